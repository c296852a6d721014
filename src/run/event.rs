//! What a run tells while it runs. Sinks look on; they cannot steer.

use std::time::Duration;

use super::Cost;
use crate::backends::Usage;
use crate::chat::ToolCall;

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// A request is sent: the round counts from 1.
    Asking { model: String, round: u32 },
    /// A piece of the answer.
    Text(String),
    /// A piece of what the model thinks.
    Reasoning(String),
    /// A request is sent again after a wait.
    Retrying {
        reason: String,
        wait: Duration,
        attempt: u32,
    },
    /// A tool is called.
    Calling { call: ToolCall },
    /// A tool has answered.
    Returned {
        call: ToolCall,
        elapsed: Duration,
        bytes: usize,
        error: bool,
    },
    /// A reply is whole: what it took, and how long.
    Used {
        usage: Usage,
        cost: Cost,
        elapsed: Duration,
    },
    /// Something that people should know.
    Warned(String),
    /// Something of use to those who look for it.
    Noted(String),
    /// The model answered in plain text: the whole answer.
    Answered { text: String },
}

/// Takes events.
pub trait Sink: Send {
    fn tell(&mut self, event: Event);
}
