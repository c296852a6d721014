//! A reply in one piece, and what its pieces say.

use serde_json::{Value, json};

use super::contents::SIGNATURE;
use crate::backends::gather::{CallPieces, Ended, Gathered, Part, Thought};
use crate::backends::wire::Failure;
use crate::backends::{Delta, ErrorKind, Reply, Stop, Usage, fault};

/// Reads a whole reply; a list is a stream that was sent in one piece.
pub(super) fn reply(body: &Value, provider: &str) -> Result<Reply, Failure> {
    let mut gathered = Gathered::new(provider);
    let mut stop = None;
    let one = std::slice::from_ref(body);
    let pieces = body.as_array().map_or(one, Vec::as_slice);
    for piece in pieces {
        if let Some(failure) = fault::told_in(piece) {
            return Err(failure);
        }
        take(&mut gathered, piece);
        stop = ending(&mut gathered, piece)?.or(stop);
    }
    match stop {
        Some(stop) => gathered.settle(Ended::Whole(stop)),
        None if pieces.iter().any(|piece| piece.get("candidates").is_some()) => {
            gathered.settle(if body.is_array() {
                Ended::BrokenOff
            } else {
                Ended::Whole(Stop::End)
            })
        }
        None => Err(Failure::new(
            ErrorKind::Protocol,
            "the reply is JSON, but holds no `candidates`",
        )
        .hint("check that the URL is that of a Gemini server, with `/v1beta` at its end")),
    }
}

/// Takes what a piece says; gives what can be shown of it.
pub(super) fn take(gathered: &mut Gathered, piece: &Value) -> Vec<Delta> {
    for (place, key) in [
        (&mut gathered.model, "modelVersion"),
        (&mut gathered.response_id, "responseId"),
    ] {
        let told = text(piece, key);
        if !told.is_empty() {
            *place = Some(told.to_owned());
        }
    }
    if let Some(usage) = piece.get("usageMetadata").filter(|usage| usage.is_object()) {
        gathered.usage = read_usage(usage);
    }
    let parts = candidate(piece)
        .and_then(|candidate| candidate.pointer("/content/parts"))
        .and_then(Value::as_array);
    let mut deltas = Vec::new();
    for part in parts.into_iter().flatten() {
        deltas.extend(take_part(gathered, part));
    }
    deltas
}

fn take_part(gathered: &mut Gathered, part: &Value) -> Option<Delta> {
    let said = text(part, "text");
    let signature = text(part, SIGNATURE);
    if part.get("thought").and_then(Value::as_bool) == Some(true) {
        gathered.think(said);
        return Some(Delta::Reasoning(said.to_owned())).filter(|_| !said.is_empty());
    }
    if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
        sign_next(gathered, signature);
        gathered.begin(Part::Call(CallPieces {
            id: text(call, "id").to_owned(),
            name: text(call, "name").to_owned(),
            arguments: match call.get("args") {
                None | Some(Value::Null) => String::new(),
                Some(args) => args.to_string(),
            },
        }));
        return None;
    }
    gathered.text(said);
    sign_last_text(gathered, signature);
    Some(Delta::Text(said.to_owned())).filter(|_| !said.is_empty())
}

/// Puts a signature before the part that it is on and that comes next.
fn sign_next(gathered: &mut Gathered, signature: &str) {
    if signature.is_empty() {
        return;
    }
    let data = signed(gathered, signature);
    if let Some(Part::Thought(thought)) = gathered.parts().next_back()
        && thought.data.is_none()
    {
        thought.data = Some(data);
        return;
    }
    gathered.begin(Part::Thought(Thought {
        text: String::new(),
        data: Some(data),
    }));
}

/// Puts a signature before the last text: it may come with any piece of it, or after it.
fn sign_last_text(gathered: &mut Gathered, signature: &str) {
    if signature.is_empty() {
        return;
    }
    let data = signed(gathered, signature);
    let thought = Thought {
        text: String::new(),
        data: Some(data),
    };
    gathered.begin_before_last_text(thought);
}

fn signed(gathered: &Gathered, signature: &str) -> Value {
    match &gathered.model {
        Some(model) => json!({SIGNATURE: signature, "model": model}),
        None => json!({SIGNATURE: signature}),
    }
}

/// Gives the first candidate: others are never asked for.
fn candidate(piece: &Value) -> Option<&Value> {
    piece.get("candidates")?.as_array()?.first()
}

/// Reads why the model stopped, when it has; some reasons are errors.
pub(super) fn ending(gathered: &mut Gathered, piece: &Value) -> Result<Option<Stop>, Failure> {
    let block = piece
        .pointer("/promptFeedback/blockReason")
        .and_then(Value::as_str);
    if let Some(reason) = block {
        gathered.refusal.clear();
        return Ok(Some(match reason {
            "" | "BLOCK_REASON_UNSPECIFIED" => return Ok(None),
            _ => Stop::Filter,
        }));
    }
    let Some(candidate) = candidate(piece) else {
        return Ok(None);
    };
    Ok(match text(candidate, "finishReason") {
        "" => None,
        "STOP" | "FUNCTION_CALL" => Some(Stop::End),
        "MAX_TOKENS" => Some(Stop::Length),
        "SAFETY"
        | "RECITATION"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => Some(Stop::Filter),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" => {
            let why = text(candidate, "finishMessage");
            let why = if why.is_empty() {
                "no reason is told"
            } else {
                why
            };
            return Err(Failure::new(
                ErrorKind::Server,
                format!(
                    "the model made a call that cannot be read: {}",
                    fault::one_line(why)
                ),
            )
            .hint("ask again, or offer fewer tools")
            .passing());
        }
        "MISSING_THOUGHT_SIGNATURE" => {
            return Err(Failure::new(
                ErrorKind::Request,
                "the model misses its signature on a call of this chat",
            )
            .hint("the `reasoning:` records before the calls hold them: put them back, or start the turn anew"));
        }
        other => Some(Stop::Other(other.to_lowercase())),
    })
}

fn read_usage(usage: &Value) -> Usage {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0).saturating_add(other.unwrap_or(0))),
    };
    Usage {
        prompt: both(count("promptTokenCount"), count("toolUsePromptTokenCount")),
        // What the model thought is not among the tokens of its candidates.
        completion: both(count("candidatesTokenCount"), count("thoughtsTokenCount")),
        total: count("totalTokenCount"),
        cache_read: count("cachedContentTokenCount"),
        reasoning: count("thoughtsTokenCount"),
        ..Usage::default()
    }
}

pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
