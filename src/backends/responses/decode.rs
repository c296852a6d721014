//! A reply in one piece, and its items.

use serde_json::{Map, Value, json};

use super::input::MESSAGE;
use crate::backends::gather::{CallPieces, Ended, Gathered, Part, Thought};
use crate::backends::wire::Failure;
use crate::backends::{ErrorKind, Reply, Stop, Usage, fault};

/// Reads a whole reply.
pub(super) fn reply(body: &Value, provider: &str) -> Result<Reply, Failure> {
    if let Some(failure) = fault::told_in(body) {
        return Err(failure);
    }
    let Some(output) = body.get("output").and_then(Value::as_array) else {
        return Err(Failure::new(
            ErrorKind::Protocol,
            "the reply is JSON, but holds no `output`",
        )
        .hint("check that the URL is that of a server of OpenAI's Responses"));
    };
    let mut gathered = Gathered::new(provider);
    for item in output {
        take(&mut gathered, item);
    }
    surroundings(&mut gathered, body);
    let ended = ending(body)?;
    gathered.settle(ended)
}

/// Takes a whole item.
pub(super) fn take(gathered: &mut Gathered, item: &Value) {
    match text(item, "type") {
        "message" => {
            if let Some(thought) = phase(item) {
                gathered.begin(Part::Thought(thought));
            }
            for part in list(item, "content") {
                match text(part, "type") {
                    "refusal" => gathered.refusal.push_str(text(part, "refusal")),
                    _ => gathered.text(text(part, "text")),
                }
            }
        }
        "function_call" => drop(gathered.begin(Part::Call(call(item)))),
        _ => {
            if let Some(thought) = kept(item) {
                gathered.begin(Part::Thought(thought));
            }
        }
    }
}

/// Keeps what has to stand on a message when it is sent back, in a record before it.
pub(super) fn phase(message: &Value) -> Option<Thought> {
    let phase = text(message, "phase");
    (!phase.is_empty()).then(|| Thought {
        text: String::new(),
        data: Some(json!({MESSAGE: {"phase": phase}})),
    })
}

pub(super) fn call(item: &Value) -> CallPieces {
    let id = [text(item, "call_id"), text(item, "id")]
        .into_iter()
        .find(|id| !id.is_empty());
    CallPieces {
        id: id.unwrap_or_default().to_owned(),
        name: text(item, "name").to_owned(),
        arguments: match item.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        },
    }
}

/// Keeps an item that the provider wants back: reasoning, and what its own tools have done. An
/// image or a call of other kinds is nothing that this version sends, so it goes back nowhere.
pub(super) fn kept(item: &Value) -> Option<Thought> {
    let fields = item.as_object()?;
    match text(item, "type") {
        "reasoning" => Some(Thought {
            text: thought_of(item),
            data: is_sealed(fields).then(|| item.clone()),
        }),
        "web_search_call" => Some(Thought {
            text: String::new(),
            data: Some(item.clone()),
        }),
        _ => None,
    }
}

/// Tells whether a record is an item that the provider takes back.
pub(super) fn goes_back(item: &Value) -> bool {
    item.as_object()
        .is_some_and(|fields| match text(item, "type") {
            "reasoning" => is_sealed(fields),
            "web_search_call" => true,
            _ => false,
        })
}

/// Tells whether reasoning can go back: without its sealed content it is known by its id alone, to a
/// provider that was told not to keep it.
fn is_sealed(fields: &Map<String, Value>) -> bool {
    fields
        .get("encrypted_content")
        .and_then(Value::as_str)
        .is_some_and(|sealed| !sealed.is_empty())
}

/// Gives what people may read of reasoning.
fn thought_of(item: &Value) -> String {
    let texts = |name: &str| -> Vec<&str> {
        list(item, name)
            .iter()
            .map(|part| text(part, "text"))
            .filter(|text| !text.is_empty())
            .collect()
    };
    let (summary, content) = (texts("summary"), texts("content"));
    if summary.is_empty() { content } else { summary }.join("\n\n")
}

/// Takes the ids and the counts of a response.
pub(super) fn surroundings(gathered: &mut Gathered, response: &Value) {
    for (place, key) in [
        (&mut gathered.model, "model"),
        (&mut gathered.response_id, "id"),
    ] {
        let told = text(response, key);
        if !told.is_empty() {
            *place = Some(told.to_owned());
        }
    }
    if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
        let count = |pointer: &str| usage.pointer(pointer).and_then(Value::as_u64);
        gathered.usage = Usage {
            prompt: count("/input_tokens"),
            completion: count("/output_tokens"),
            total: count("/total_tokens"),
            cache_read: count("/input_tokens_details/cached_tokens"),
            cache_write: count("/input_tokens_details/cache_write_tokens"),
            reasoning: count("/output_tokens_details/reasoning_tokens"),
            ..Usage::default()
        };
    }
}

/// Reads how a response ended, or the error in which it did.
pub(super) fn ending(response: &Value) -> Result<Ended, Failure> {
    Ok(match text(response, "status") {
        "failed" => {
            let told = response.get("error").filter(|told| !told.is_null());
            return Err(told
                .and_then(|told| fault::told_in_event(&json!({"error": told}), Some("error")))
                .unwrap_or_else(|| {
                    Failure::new(
                        ErrorKind::Server,
                        "the server says that the response failed",
                    )
                    .hint("ask again")
                    .passing()
                }));
        }
        "incomplete" => {
            let reason = response
                .pointer("/incomplete_details/reason")
                .and_then(Value::as_str);
            Ended::Whole(match reason {
                Some("max_output_tokens" | "max_tokens") => Stop::Length,
                Some("content_filter") => Stop::Filter,
                Some(other) => Stop::Other(other.to_owned()),
                // What is incomplete for no reason must not pass for an answer.
                None => Stop::Error,
            })
        }
        "cancelled" => Ended::Whole(Stop::Error),
        // Such a response is being made; what stands in it is no answer.
        "in_progress" | "queued" => Ended::BrokenOff,
        _ => Ended::Whole(Stop::End),
    })
}

pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
