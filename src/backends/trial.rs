//! What the tests of every wire need: streams cut in any way, and replies drawn on one line.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::Value;

use super::{CutCall, Failure, Frame, Reply, Usage, Wire, frames};
use crate::plan::Item;

/// Reads a stream that comes in these chunks.
pub(super) fn streamed(wire: &dyn Wire, chunks: &[&[u8]]) -> Result<Reply, Failure> {
    let chunks: Vec<_> = chunks
        .iter()
        .map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)))
        .collect();
    let events: Vec<_> = frames::events(wire.framing(), stream::iter(chunks))
        .collect()
        .now_or_never()
        .expect("nothing waits here");
    let mut decoder = wire.stream();
    for event in events {
        match event {
            Ok(event) => drop(decoder.event(event.as_frame())?),
            // What the frames cannot be is told by the sender; here the stream has only broken off.
            Err(_) => break,
        }
    }
    decoder.finish()
}

/// Reads a stream of these events.
pub(super) fn events(wire: &dyn Wire, events: &[Value]) -> Result<Reply, Failure> {
    let mut decoder = wire.stream();
    for event in events {
        decoder.event(Frame::of(&event.to_string()))?;
    }
    decoder.finish()
}

/// Holds a recorded stream to what is always true: however its bytes are cut it says the same, and
/// no beginning of it is taken for more than it is. `proved` is how many bytes are needed until the
/// end is proved.
pub(super) fn holds_however_it_is_cut(wire: &dyn Wire, name: &str, body: &[u8]) {
    let whole = drawn(&streamed(wire, &[body]));
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(drawn(&streamed(wire, &bytes)), whole, "{name} in bytes");
    for cut in 1..body.len() {
        let halves = [&body[..cut], &body[cut..]];
        assert_eq!(
            drawn(&streamed(wire, &halves)),
            whole,
            "{name} cut at {cut}"
        );
    }
    let said =
        |outcome: &Result<Reply, Failure>| outcome.as_ref().ok().map(|one| one.items.clone());
    let all = said(&streamed(wire, &[body]));
    for end in 0..body.len() {
        let begun = streamed(wire, &[&body[..end]]);
        if let Some(items) = said(&begun) {
            assert_eq!(
                Some(items),
                all,
                "{name} ends at {end} and is taken for whole"
            );
        }
    }
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
