//! What is wrong, or may be, with a chat: told as data, drawn by the command line.

use super::Origin;

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// One finding about a place in a chat.
///
/// The message is lower case, without a full stop, and holds no position; the hint is what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub at: Origin,
    pub severity: Severity,
    /// A short, stable, kebab-case name for programs that read `check --json`.
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// Further places that belong to the finding, each with what it shows.
    pub also: Vec<(Origin, String)>,
}
