//! The wire against recorded and hand-made replies.

mod calls;
mod questions;
mod recorded;
mod whole;

use serde_json::{Value, json};

use super::{ChatCompletions, WireSettings};
use crate::backends::trial::{self, drawn};
use crate::backends::{Failure, Reply, read_stream};

fn wire() -> ChatCompletions {
    ChatCompletions {
        provider: "p".to_owned(),
        settings: WireSettings::STRICT,
    }
}

/// Reads a stream that comes in these chunks.
fn streamed(chunks: &[&[u8]]) -> Result<Reply, Failure> {
    read_stream(&wire(), chunks)
}

/// Reads a stream of these events.
fn events(events: &[Value]) -> Result<Reply, Failure> {
    trial::events(&wire(), events)
}

/// A chunk with one delta.
fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// The chunk that proves the end.
fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}
