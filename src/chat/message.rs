//! A chat as a list of messages.

use super::{Diagnostic, Origin, Role};

/// One message: who or what, the text as it is meant (escapes undone), and where it stands.
#[derive(Debug, Clone)]
pub struct Message {
    pub role: Role,
    pub content: String,
    pub origin: Origin,
}

impl Message {
    /// Makes a message of the running program.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message {
            role,
            content: content.into(),
            origin: Origin::Run,
        }
    }
}

/// Messages are the same when they say the same; where they stand does not count.
impl PartialEq for Message {
    fn eq(&self, other: &Message) -> bool {
        self.role == other.role && self.content == other.content
    }
}

impl Eq for Message {}

/// How the lines of a file end, told from its first line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineEnd {
    #[default]
    Lf,
    CrLf,
}

/// A chat that was read: what it says and what was noticed while reading. Nothing in it was
/// checked beyond the form of lines, and nothing was looked up.
#[derive(Debug, Clone, Default)]
pub struct Chat {
    pub messages: Vec<Message>,
    pub line_end: LineEnd,
    /// Every finding of the reader, errors and warnings; a chat with errors must not be run.
    pub diagnostics: Vec<Diagnostic>,
}
