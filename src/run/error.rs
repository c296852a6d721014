//! Why a run did not end in an answer.

use super::{LimitReached, TranscriptError};
use crate::backends::BackendError;

/// Why a run did not end in an answer. What was whole before stands in the record all the same.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("there is nothing to ask: the chat holds no question")]
    NothingAsked,
    /// The request failed; when something of the answer had come, it is recorded and marked.
    #[error("{error}")]
    Backend {
        #[source]
        error: BackendError,
        partial: Partial,
    },
    #[error("the model answered with nothing")]
    Empty,
    #[error("the answer was cut at the token limit")]
    Length { partial: Partial },
    #[error("{message}")]
    Refused { message: String, partial: Partial },
    #[error("{0}")]
    Limit(#[from] LimitReached),
    /// A tool has ended the run.
    #[error("{message}")]
    Stopped {
        message: String,
        hint: Option<String>,
    },
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

/// What became of the part of an answer that had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partial {
    /// There was none.
    None,
    /// It stands in the record, marked as cut.
    Recorded,
}

impl RunError {
    /// Says what to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&str> {
        match self {
            RunError::NothingAsked => Some("write a question below `user:`"),
            RunError::Backend { error, .. } => error.hint.as_deref(),
            RunError::Empty => Some("run the chat again, or ask in other words"),
            RunError::Length { .. } => {
                Some("raise `option: max_tokens`, and run the chat again to ask anew")
            }
            RunError::Refused { .. } => Some("ask in other words"),
            RunError::Limit(limit) => Some(limit.hint()),
            RunError::Stopped { hint, .. } => hint.as_deref(),
            RunError::Interrupted => Some("run the chat again to go on"),
            RunError::Transcript(error) => error.hint(),
        }
    }
}
