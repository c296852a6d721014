//! Why a server gives no tools.

use std::time::Duration;

/// Why a server could not be used. The words are ours: the SDK's name neither the server nor its
/// program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    #[error("the MCP server `{server}` has no command")]
    NoCommand { server: String },
    #[error("cannot start the MCP server `{server}`: the program `{program}` was not found")]
    NotFound { server: String, program: String },
    #[error("cannot start the MCP server `{server}` (`{command}`): {reason}")]
    Start {
        server: String,
        command: String,
        reason: String,
    },
    #[error("the MCP server `{server}` (`{command}`) ended while it started: {ending}")]
    Ended {
        server: String,
        command: String,
        /// The exit status and the last lines of stderr.
        ending: String,
    },
    #[error(
        "the MCP server `{server}` (`{command}`) was not ready within {}: {said}",
        seconds(limit)
    )]
    Silent {
        server: String,
        command: String,
        limit: Duration,
        /// What it had said on stderr by then.
        said: String,
    },
    #[error("the MCP server `{server}` (`{command}`) refused the connection: {answer}")]
    Refused {
        server: String,
        command: String,
        answer: String,
    },
    #[error("the MCP server `{server}` did not list its tools: {answer}")]
    NoTools { server: String, answer: String },
    #[error("the MCP server `{server}` has no tool `{wanted}`; {}", offer(there))]
    UnknownTool {
        server: String,
        wanted: String,
        there: Vec<String>,
    },
    #[error("`{wanted}` is no pattern for tools of the MCP server `{server}`: {reason}")]
    BadPattern {
        server: String,
        wanted: String,
        reason: String,
    },
    #[error("the start of the MCP server `{server}` was interrupted")]
    Cancelled { server: String },
    #[error("the MCP server `{server}` cannot be used: this program was built without MCP")]
    NotBuilt { server: String },
}

impl McpError {
    /// Tells what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            McpError::NoCommand { .. } => {
                Some("write the program after `stdio`: `mcp: stdio COMMAND`".to_owned())
            }
            McpError::NotFound { program, .. } => Some(format!(
                "install `{program}`, or correct the command; it is looked for in PATH"
            )),
            McpError::Ended { command, .. } => {
                Some(format!("run `{command}` in a terminal to see what it says"))
            }
            McpError::Silent { command, .. } => Some(format!(
                "run `{command}` once in a terminal: a first start may have to fetch packages; \
                 or raise the server's start limit"
            )),
            McpError::UnknownTool { .. } | McpError::BadPattern { .. } => {
                Some("correct the names after the command, or name none for all tools".to_owned())
            }
            McpError::NotBuilt { .. } => {
                Some("build it with the feature `mcp`, which is on by default".to_owned())
            }
            McpError::Start { .. }
            | McpError::Refused { .. }
            | McpError::NoTools { .. }
            | McpError::Cancelled { .. } => None,
        }
    }
}

fn seconds(limit: &Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

fn offer(there: &[String]) -> String {
    if there.is_empty() {
        return "it has none".to_owned();
    }
    let names: Vec<String> = there.iter().map(|name| format!("`{name}`")).collect();
    format!("it has {}", names.join(", "))
}
