//! What the tests of every wire need: streams of events, and replies drawn on one line.

use serde_json::Value;

use super::{CutCall, Failure, Frame, Reply, Usage, Wire};
use crate::plan::Item;

/// Reads a stream of these events.
pub(super) fn events(wire: &dyn Wire, events: &[Value]) -> Result<Reply, Failure> {
    let mut decoder = wire.stream();
    for event in events {
        decoder.event(Frame::of(&event.to_string()))?;
    }
    decoder.finish()
}

/// Writes a reply on one line: what is compared is the whole of it.
pub(super) fn drawn(outcome: &Result<Reply, Failure>) -> String {
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

pub(super) fn draw(reply: &Reply) -> String {
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
        cache_write_1h: _,
        cost: _,
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
