//! A reply in one piece.

use serde_json::{Map, Value};

use super::blocks;
use crate::backends::gather::{CallPieces, Ended, Gathered, Part};
use crate::backends::wire::Failure;
use crate::backends::{ErrorKind, Reply, Stop, Usage, fault};

/// Reads a whole reply.
pub(super) fn reply(body: &Value, provider: &str) -> Result<Reply, Failure> {
    if let Some(failure) = fault::told_in(body) {
        return Err(failure);
    }
    let Some(content) = body.get("content").and_then(Value::as_array) else {
        return Err(Failure::new(
            ErrorKind::Protocol,
            "the reply is JSON, but holds no `content`",
        )
        .hint("check that the URL is that of a server of Anthropic's Messages"));
    };
    let mut gathered = Gathered::new(provider);
    surroundings(&mut gathered, body);
    for block in content.iter().filter_map(Value::as_object) {
        take(&mut gathered, block);
    }
    let stop = ending(&mut gathered, body);
    gathered.settle(Ended::Whole(stop))
}

fn take(gathered: &mut Gathered, block: &Map<String, Value>) {
    match block.get("type").and_then(Value::as_str) {
        Some("text") => gathered.text(text(block.get("text"))),
        Some("tool_use") => {
            gathered.begin(Part::Call(CallPieces {
                id: text(block.get("id")).to_owned(),
                name: text(block.get("name")).to_owned(),
                arguments: match block.get("input") {
                    None | Some(Value::Null) => String::new(),
                    Some(input) => input.to_string(),
                },
            }));
        }
        Some(_) => drop(gathered.begin(Part::Thought(blocks::kept(block)))),
        None => {}
    }
}

/// Takes the ids and the counts of a message.
pub(super) fn surroundings(gathered: &mut Gathered, message: &Value) {
    for (place, key) in [
        (&mut gathered.model, "model"),
        (&mut gathered.response_id, "id"),
    ] {
        let told = text(message.get(key));
        if !told.is_empty() {
            *place = Some(told.to_owned());
        }
    }
    count(gathered, message);
}

/// Takes counts, which grow in the course of a stream: each one that is told replaces the older.
pub(super) fn count(gathered: &mut Gathered, message: &Value) {
    let Some(usage) = message.get("usage") else {
        return;
    };
    let told = |key: &str| usage.get(key).and_then(Value::as_u64);
    let known = &mut gathered.usage;
    // Of the whole prompt only the part that was not cached is told as `input_tokens`.
    let uncached = known.prompt.map(|all| {
        all.saturating_sub(known.cache_read.unwrap_or(0) + known.cache_write.unwrap_or(0))
    });
    let input = told("input_tokens").or(uncached);
    let cache_read = told("cache_read_input_tokens").or(known.cache_read);
    let cache_write = told("cache_creation_input_tokens").or(known.cache_write);
    let thought = usage
        .pointer("/output_tokens_details/thinking_tokens")
        .and_then(Value::as_u64);
    *known = Usage {
        prompt: input.map(|input| {
            input
                .saturating_add(cache_read.unwrap_or(0))
                .saturating_add(cache_write.unwrap_or(0))
        }),
        completion: told("output_tokens").or(known.completion),
        cache_read,
        cache_write,
        cache_write_1h: usage
            .pointer("/cache_creation/ephemeral_1h_input_tokens")
            .and_then(Value::as_u64)
            .or(known.cache_write_1h),
        reasoning: thought.or(known.reasoning),
        ..*known
    };
}

/// Reads why the model stopped, from a message or the delta of one; keeps the words of a refusal.
pub(super) fn ending(gathered: &mut Gathered, message: &Value) -> Stop {
    match text(message.get("stop_reason")) {
        "" | "end_turn" | "stop_sequence" => Stop::End,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => {
            let why = text(message.pointer("/stop_details/explanation"));
            gathered.refusal.push_str(why);
            Stop::Refusal
        }
        other => Stop::Other(other.to_owned()),
    }
}

pub(super) fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
