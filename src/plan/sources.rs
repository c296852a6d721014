//! Where tools come from, as declared in a chat.

use crate::chat::Origin;

/// Something declared, with the place of its declaration.
#[derive(Debug, Clone)]
pub struct Declared<T> {
    pub value: T,
    pub at: Origin,
}

/// A source of tools.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ToolSource {
    /// `mcp: stdio COMMAND [arg ...]`.
    McpStdio {
        /// The program and its arguments.
        command: Vec<String>,
        /// The only tools to take, by name or glob; empty means all.
        only: Vec<String>,
        /// The folder in which it is started: that of the chat.
        folder: std::path::PathBuf,
    },
}
