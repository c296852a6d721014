//! A reply in one piece.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
    let content = body.pointer("/output/message/content");
    let Some(content) = content.and_then(Value::as_array) else {
        return Err(Failure::new(
            ErrorKind::Protocol,
            "the reply is JSON, but holds no `output`",
        )
        .hint("check that the URL is that of a server of Bedrock's Converse"));
    };
    let mut gathered = Gathered::new(provider);
    count(&mut gathered, body);
    for block in content.iter().filter_map(Value::as_object) {
        take(&mut gathered, block);
    }
    settle(gathered, ending(body))
}

fn take(gathered: &mut Gathered, block: &Map<String, Value>) {
    if let Some(Value::String(said)) = block.get("text") {
        gathered.text(said);
    } else if let Some(cited) = block.get("citationsContent") {
        // The sources are for people who look them up; the text reads on without them.
        let texts = cited.get("content").and_then(Value::as_array);
        for piece in texts.into_iter().flatten() {
            gathered.text(text(piece.get("text")));
        }
    } else if let Some(call) = block.get("toolUse").filter(|call| is_ours(call)) {
        gathered.begin(Part::Call(CallPieces {
            id: text(call.get("toolUseId")).to_owned(),
            name: text(call.get("name")).to_owned(),
            arguments: match call.get("input") {
                None | Some(Value::Null) => String::new(),
                Some(input) => input.to_string(),
            },
        }));
    } else if let Some(hidden) = block
        .get("reasoningContent")
        .and_then(|thought| thought.get("redactedContent"))
        .and_then(Value::as_str)
    {
        match STANDARD.decode(hidden) {
            Ok(bytes) => drop(gathered.begin(Part::Thought(blocks::redacted(&bytes)))),
            Err(_) => drop(gathered.begin(Part::Thought(blocks::kept(block)))),
        }
    } else if is_kept(block) {
        gathered.begin(Part::Thought(blocks::kept(block)));
    }
}

/// Tells whether a call is to be made here, and not by the provider itself.
pub(super) fn is_ours(call: &Value) -> bool {
    call.get("type").and_then(Value::as_str) != Some("server_tool_use")
}

/// Tells whether the API wants a block back, although it is neither text nor a call.
fn is_kept(block: &Map<String, Value>) -> bool {
    ["reasoningContent", "toolUse", "toolResult"]
        .iter()
        .any(|kind| block.get(*kind).is_some_and(Value::is_object))
}

/// Takes counts.
pub(super) fn count(gathered: &mut Gathered, message: &Value) {
    let Some(usage) = message.get("usage").filter(|usage| usage.is_object()) else {
        return;
    };
    let told = |key: &str| usage.get(key).and_then(Value::as_u64);
    let cache_read = told("cacheReadInputTokens");
    let cache_write = told("cacheWriteInputTokens");
    // Of the whole prompt only the part that was not cached is told as `inputTokens`.
    let prompt = told("inputTokens").map(|input| {
        input
            .saturating_add(cache_read.unwrap_or(0))
            .saturating_add(cache_write.unwrap_or(0))
    });
    let completion = told("outputTokens");
    let details = usage.get("cacheDetails").and_then(Value::as_array);
    let for_an_hour = details
        .into_iter()
        .flatten()
        .filter(|detail| detail.get("ttl").and_then(Value::as_str) == Some("1h"))
        .filter_map(|detail| detail.get("inputTokens").and_then(Value::as_u64))
        .reduce(u64::saturating_add);
    gathered.usage = Usage {
        prompt,
        completion,
        total: prompt
            .zip(completion)
            .map(|(prompt, completion)| prompt.saturating_add(completion)),
        cache_read,
        cache_write,
        cache_write_1h: for_an_hour,
        ..gathered.usage
    };
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Stopped(Stop),
    /// The model wrote something that the provider could not read, for which this is its word.
    Malformed(String),
}

/// Reads why the model stopped.
pub(super) fn ending(message: &Value) -> Ending {
    Ending::Stopped(match text(message.get("stopReason")) {
        "" | "end_turn" | "stop_sequence" => Stop::End,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "guardrail_intervened" | "content_filtered" => Stop::Filter,
        "refusal" => Stop::Refusal,
        malformed if malformed.starts_with("malformed_") => {
            return Ending::Malformed(malformed.to_owned());
        }
        other => Stop::Other(other.to_owned()),
    })
}

/// Gives the reply of a whole message.
pub(super) fn settle(gathered: Gathered, ending: Ending) -> Result<Reply, Failure> {
    match ending {
        Ending::Stopped(stop) => gathered.settle(Ended::Whole(stop)),
        Ending::Malformed(word) => {
            gathered
                .settle(Ended::Whole(Stop::Error))
                .map_err(|mut failure| {
                    failure.error.message = format!(
                        "the model wrote something that the provider cannot read (`{word}`)"
                    );
                    failure
                })
        }
    }
}

pub(super) fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
