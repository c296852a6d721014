//! The wire against recorded and hand-made replies.

mod calls;
mod questions;
mod recorded;
mod whole;

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};

use super::{ChatCompletions, WireSettings};
use crate::backends::{CutCall, Failure, Reply, Usage, Wire, sse};
use crate::plan::Item;

fn wire() -> ChatCompletions {
    ChatCompletions {
        provider: "p".to_owned(),
        settings: WireSettings::STRICT,
    }
}

/// Reads a stream that comes in these chunks.
fn streamed(chunks: &[&[u8]]) -> Result<Reply, Failure> {
    let chunks = chunks
        .iter()
        .map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)));
    let events: Vec<_> = sse::events(stream::iter(chunks))
        .collect()
        .now_or_never()
        .expect("nothing waits here");
    let mut decoder = wire().stream();
    for event in events {
        decoder.event(&event.expect("these streams are UTF-8"))?;
    }
    decoder.finish()
}

/// Reads a stream of these events.
fn events(events: &[Value]) -> Result<Reply, Failure> {
    let mut decoder = wire().stream();
    for event in events {
        decoder.event(&event.to_string())?;
    }
    decoder.finish()
}

/// A chunk with one delta.
fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// The chunk that proves the end.
fn end(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// Writes a reply on one line: what is compared is the whole of it.
fn drawn(outcome: &Result<Reply, Failure>) -> String {
    match outcome {
        Ok(reply) => draw(reply),
        Err(failure) => {
            let partial = failure.partial.as_ref();
            format!(
                "{:?} {:?}: {} / {}",
                failure.error.kind,
                failure.again,
                failure.error.message,
                partial.map_or_else(|| "nothing".to_owned(), |partial| draw(partial))
            )
        }
    }
}

fn draw(reply: &Reply) -> String {
    let items = reply.items.iter().map(|item| match item {
        Item::Text(text) => format!("{text:?} "),
        Item::Reasoning(one) => format!(
            "~{:?}{} ",
            one.text.as_deref().unwrap_or_default(),
            one.data.as_ref().map(Value::to_string).unwrap_or_default()
        ),
        Item::Call(call) => format!(
            "{}({})#{} ",
            call.name.0,
            Value::Object(call.arguments.clone()),
            call.id.0
        ),
    });
    let cut = reply.cut_calls.iter().map(
        |CutCall {
             id,
             name,
             arguments,
             fault,
         }| format!("{}({arguments:?})#{} {fault:?} ", name.0, id.0),
    );
    let Usage {
        prompt,
        completion,
        total,
        cache_read,
        cache_write,
        reasoning,
    } = reply.usage;
    let counts: Vec<String> = [
        prompt,
        completion,
        total,
        cache_read,
        cache_write,
        reasoning,
    ]
    .iter()
    .map(|count| count.map_or_else(|| "-".to_owned(), |count| count.to_string()))
    .collect();
    format!(
        "{}{}{} {}",
        items.collect::<String>(),
        cut.collect::<String>(),
        reply.stop.name(),
        counts.join("/")
    )
}
