//! What the server plays for one request.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::strict::Api;

/// One scripted answer.
#[derive(Debug, Clone)]
pub(crate) struct Play {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) steps: Vec<Step>,
    pub(super) end: End,
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    /// One chunk of the body.
    Bytes(Vec<u8>),
    Wait(Duration),
    Gate(Gate),
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// The connection closes although the body is not whole.
    Broken,
    /// The connection is reset.
    Reset,
    /// The connection stays open and silent.
    Silent,
}

/// Holds an answer back until a test opens it: for what must be seen before more is sent.
#[derive(Debug, Clone)]
pub(crate) struct Gate(pub(super) Arc<Semaphore>);

impl Gate {
    pub(crate) fn new() -> Gate {
        Gate(Arc::new(Semaphore::new(0)))
    }

    pub(crate) fn open(&self) {
        self.0.add_permits(1);
    }
}

impl Play {
    /// Any answer in one chunk.
    pub(crate) fn body(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Play {
        Play {
            status,
            headers: vec![("content-type".into(), kind.into())],
            steps: vec![Step::Bytes(body.into())],
            end: End::Whole,
        }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Play {
        Play::body(status, "application/json", body.to_string())
    }

    /// A refusal as `OpenAI` words it.
    pub(crate) fn error(status: u16, kind: &str, message: &str) -> Play {
        let error = json!({"message": message, "type": kind, "param": null, "code": kind});
        Play::json(status, &json!({"error": error}))
    }

    /// A refusal of a request as a provider words it.
    pub(super) fn refused(api: Api, message: &str) -> Play {
        let play = Play::json(400, &api.refusal(message));
        match api.refusal_header() {
            Some((name, value)) => play.header(name, value),
            None => play,
        }
    }

    /// A stream as it stands, in one chunk.
    pub(crate) fn sse(body: impl Into<Vec<u8>>) -> Play {
        Play::body(200, "text/event-stream", body)
    }

    /// A stream of these events, each a chunk of its own, and `[DONE]`.
    pub(crate) fn events(events: &[Value]) -> Play {
        let mut play = Play::sse("");
        play.steps = events
            .iter()
            .map(Value::to_string)
            .chain(["[DONE]".to_owned()])
            .map(|event| Step::Bytes(format!("data: {event}\n\n").into_bytes()))
            .collect();
        play
    }

    /// A streamed answer in plain text, a chunk for each word.
    pub(crate) fn text(text: &str) -> Play {
        let mut events = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
        events.extend(
            text.split_inclusive(' ')
                .map(|word| chunk(&json!({"content": word}), None)),
        );
        Play::events(&finished(events, "stop"))
    }

    /// A streamed answer that calls tools: id, name and the text of the arguments of each.
    pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> Play {
        let mut events = vec![chunk(&json!({"role": "assistant", "content": null}), None)];
        for (index, (id, name, arguments)) in calls.iter().enumerate() {
            let opening = json!({"index": index, "id": id, "type": "function",
                "function": {"name": name, "arguments": ""}});
            let rest = json!({"index": index, "function": {"arguments": arguments}});
            events.push(chunk(&json!({"tool_calls": [opening]}), None));
            events.push(chunk(&json!({"tool_calls": [rest]}), None));
        }
        Play::events(&finished(events, "tool_calls"))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Play {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Cuts the whole body into chunks of so many bytes.
    pub(crate) fn in_pieces_of(mut self, size: usize) -> Play {
        let bytes: Vec<u8> = self
            .steps
            .iter()
            .flat_map(|step| match step {
                Step::Bytes(bytes) => bytes.clone(),
                Step::Wait(_) | Step::Gate(_) => Vec::new(),
            })
            .collect();
        self.steps = bytes
            .chunks(size)
            .map(|piece| Step::Bytes(piece.to_vec()))
            .collect();
        self
    }

    /// Keeps the first chunks and ends the connection then, without the end of the body.
    pub(crate) fn broken_after(mut self, chunks: usize) -> Play {
        self.steps.truncate(chunks);
        self.end = End::Broken;
        self
    }

    /// Keeps the first chunks and resets the connection then.
    pub(crate) fn reset_after(mut self, chunks: usize) -> Play {
        self.steps.truncate(chunks);
        self.end = End::Reset;
        self
    }

    /// Keeps the first chunks and says nothing more, with the connection open.
    pub(crate) fn silent_after(mut self, chunks: usize) -> Play {
        self.steps.truncate(chunks);
        self.end = End::Silent;
        self
    }

    /// Plays the body of another answer after this one's.
    pub(crate) fn then(mut self, other: Play) -> Play {
        self.steps.extend(other.steps);
        self
    }

    /// Waits before the chunk of this number, counted from 0.
    pub(crate) fn waiting(mut self, chunk: usize, wait: Duration) -> Play {
        self.steps.insert(chunk, Step::Wait(wait));
        self
    }

    /// Holds the chunk of this number back until the gate is opened.
    pub(crate) fn gated(mut self, chunk: usize, gate: &Gate) -> Play {
        self.steps.insert(chunk, Step::Gate(gate.clone()));
        self
    }
}

/// One chunk of a stream.
pub(crate) fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    json!({
        "id": "chatcmpl-fake",
        "object": "chat.completion.chunk",
        "model": "fake-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    })
}

/// The end of a stream: the reason, then the counts.
fn finished(mut events: Vec<Value>, reason: &str) -> Vec<Value> {
    events.push(chunk(&json!({}), Some(reason)));
    events.push(json!({
        "id": "chatcmpl-fake",
        "model": "fake-1",
        "choices": [],
        "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14},
    }));
    events
}
