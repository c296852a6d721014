//! How the program ends.

/// The exit codes, as `docs/REFERENCE.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The question was answered, or the command did what it was asked.
    Answered,
    /// The run failed.
    Failed,
    /// The command line is wrong.
    Usage,
    /// The chat file is wrong.
    Chat,
    /// Refused: trust or approval is missing.
    Refused,
    /// A limit was reached.
    Limit,
    /// The chat is in use by another run.
    InUse,
    /// The model refused, or a filter took the answer.
    ModelRefused,
    /// Ctrl-C or a signal ended the run.
    Interrupted,
}

impl Exit {
    /// Gives the number that the shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Answered => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Chat => 3,
            Exit::Refused => 4,
            Exit::Limit => 5,
            Exit::InUse => 6,
            Exit::ModelRefused => 7,
            Exit::Interrupted => 130,
        }
    }
}
