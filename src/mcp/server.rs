//! What is known of a server before it is started.

use std::path::PathBuf;
use std::time::Duration;

/// A server that is started as a program and speaks on its stdin and stdout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StdioServer {
    /// How people and qualified tool names call it.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    pub folder: PathBuf,
    /// The whole environment of the program.
    pub environment: Vec<(String, String)>,
    /// Names or globs of the tools that are wanted; all are when this is empty.
    pub only: Vec<String>,
    /// The longest time from the start of the program to its list of tools.
    pub startup_timeout: Duration,
    /// The longest silence in a call: each progress message starts it anew.
    pub call_timeout: Duration,
    /// The longest time of a call, whatever progress it tells of.
    pub call_limit: Duration,
    pub annotations: Annotations,
}

impl StdioServer {
    /// Makes a server with the usual limits, an empty environment and all of its tools, to be
    /// started in the current folder.
    pub fn new(name: impl Into<String>, command: Vec<String>) -> StdioServer {
        StdioServer {
            name: name.into(),
            command,
            folder: PathBuf::from("."),
            environment: Vec::new(),
            only: Vec::new(),
            startup_timeout: Duration::from_secs(30),
            call_timeout: Duration::from_mins(1),
            call_limit: Duration::from_hours(1),
            annotations: Annotations::Ignored,
        }
    }
}

/// Shows the command of a server as it could be typed.
pub fn command_line(command: &[String]) -> String {
    shlex::try_join(command.iter().map(String::as_str)).unwrap_or_else(|_| command.join(" "))
}

/// What a server's own word on the effects of its tools is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotations {
    /// Nothing: no tool of it is run again unasked.
    Ignored,
    /// The user's configuration says that it may be believed.
    Trusted,
}
