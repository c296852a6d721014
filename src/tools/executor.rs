//! What runs a tool.

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::chat::ToolCall;

/// Runs calls of one tool.
pub trait Executor: Send + Sync {
    /// Runs one call whose arguments fit the definition.
    fn execute<'a>(
        &'a self,
        call: &'a ToolCall,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Output, ToolError>>;

    /// Tells what running it does: whether a call that a crash left open may run again.
    fn effects(&self) -> Effects;
}

/// What a call gets besides its arguments.
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    /// Cancelled when the run is to end: an executor stops what it started.
    pub cancel: CancellationToken,
}

/// What running a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// It only reads.
    ReadOnly,
    /// Running it twice is the same as once.
    Repeatable,
    /// It may do something that must not be done twice.
    Once,
}

/// What a tool gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    pub content: String,
    /// True when the tool itself says that it failed.
    pub error: bool,
    pub media: Vec<OutputMedia>,
}

/// A picture or other bytes that a tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputMedia {
    pub mime: String,
    pub bytes: Vec<u8>,
}

/// The two kinds of failure of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The model hears it, and the loop goes on.
    #[error("{0}")]
    Tell(String),
    /// The run ends with this message.
    #[error("{message}")]
    Stop {
        message: String,
        hint: Option<String>,
    },
}
