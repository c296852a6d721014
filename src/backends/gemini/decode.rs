//! A reply in one piece, and what its pieces say.

use serde_json::{Map, Value};

use super::contents::{MODEL, RAW, SIGNATURE};
use super::ending::ending;
use super::partial;
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
        take_call(gathered, call, signature);
        return None;
    }
    if RAW
        .iter()
        .any(|key| part.get(key).is_some_and(Value::is_object))
    {
        let mut data = Map::from_iter([("part".to_owned(), part.clone())]);
        data.extend(made_by(gathered));
        gathered.begin(Part::Thought(Thought {
            text: String::new(),
            data: Some(Value::Object(data)),
        }));
        return None;
    }
    gathered.text(said);
    sign_last_text(gathered, signature);
    Some(Delta::Text(said.to_owned())).filter(|_| !said.is_empty())
}

fn take_call(gathered: &mut Gathered, call: &Value, signature: &str) {
    let name = text(call, "name");
    let pieces = call.get("partialArgs").and_then(Value::as_array);
    // A call without a name carries on the one before it.
    if name.is_empty()
        && let Some(Part::Call(before)) = gathered.parts().next_back()
    {
        partial::put(&mut before.arguments, pieces.map_or(&[], Vec::as_slice));
        return;
    }
    let mut arguments = match call.get("args") {
        None | Some(Value::Null) => String::new(),
        Some(args) => args.to_string(),
    };
    if let Some(pieces) = pieces {
        partial::put(&mut arguments, pieces);
    }
    sign_next(gathered, signature);
    gathered.begin(Part::Call(CallPieces {
        id: text(call, "id").to_owned(),
        name: name.to_owned(),
        arguments,
    }));
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
    // A part that is kept whole has its signature in itself.
    let replaces = |data: &Value| data.get(SIGNATURE).is_some();
    gathered.begin_before_last_text(thought, replaces);
}

fn signed(gathered: &Gathered, signature: &str) -> Value {
    let mut data = Map::from_iter([(SIGNATURE.to_owned(), signature.into())]);
    data.extend(made_by(gathered));
    Value::Object(data)
}

/// Names the model that made something: what it signed is for itself alone.
fn made_by(gathered: &Gathered) -> Option<(String, Value)> {
    let model = gathered.model.clone()?;
    Some((MODEL.to_owned(), model.into()))
}

/// Gives the first candidate: others are never asked for.
pub(super) fn candidate(piece: &Value) -> Option<&Value> {
    piece.get("candidates")?.as_array()?.first()
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
