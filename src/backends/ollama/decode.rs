//! A reply in one piece, and what its pieces say.

use serde_json::Value;

use crate::backends::gather::{CallPieces, Ended, Gathered, Part};
use crate::backends::wire::Failure;
use crate::backends::{Delta, ErrorKind, Reply, Stop, Usage, fault};

/// Reads a whole reply.
pub(super) fn reply(body: &Value, provider: &str) -> Result<Reply, Failure> {
    if let Some(failure) = fault::told_in(body) {
        return Err(failure);
    }
    if !body.get("message").is_some_and(Value::is_object) {
        return Err(Failure::new(
            ErrorKind::Protocol,
            "the reply is JSON, but holds no `message`",
        )
        .hint("check that the URL is that of an Ollama server, with `/api` at its end"));
    }
    let mut gathered = Gathered::new(provider);
    take(&mut gathered, body);
    // A reply that was asked for in one piece is whole when its JSON is.
    let reason = body.get("done_reason").and_then(Value::as_str);
    gathered.settle(Ended::Whole(stop(reason.unwrap_or_default())))
}

/// Takes what a line says; gives what can be shown of it.
pub(super) fn take(gathered: &mut Gathered, line: &Value) -> Vec<Delta> {
    let mut deltas = Vec::new();
    if let Some(model) = text(line, "model") {
        gathered.model = Some(model.to_owned());
    }
    let message = line.get("message").unwrap_or(&Value::Null);
    if let Some(thought) = text(message, "thinking") {
        gathered.think(thought);
        deltas.push(Delta::Reasoning(thought.to_owned()));
    }
    if let Some(said) = text(message, "content") {
        gathered.text(said);
        deltas.push(Delta::Text(said.to_owned()));
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for call in calls.into_iter().flatten() {
        gathered.begin(Part::Call(pieces(call)));
    }
    if line.get("done").and_then(Value::as_bool) == Some(true) {
        gathered.usage = usage(line);
    }
    deltas
}

fn pieces(call: &Value) -> CallPieces {
    let function = call.get("function").unwrap_or(call);
    CallPieces {
        id: text(call, "id").unwrap_or_default().to_owned(),
        name: text(function, "name").unwrap_or_default().to_owned(),
        arguments: match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        },
    }
}

/// Reads the counts; a count of zero is left out on the wire, as it is when the prompt was cached.
fn usage(line: &Value) -> Usage {
    let count = |key| line.get(key).and_then(Value::as_u64);
    let (prompt, completion) = (count("prompt_eval_count"), count("eval_count"));
    let measured = prompt.or(completion).or(count("total_duration")).is_some();
    Usage {
        prompt: prompt.or(measured.then_some(0)),
        completion: completion.or(measured.then_some(0)),
        ..Usage::default()
    }
}

/// Reads why it stopped; calls are told by being there.
pub(super) fn stop(reason: &str) -> Stop {
    match reason {
        "" | "stop" => Stop::End,
        "length" => Stop::Length,
        other => Stop::Other(other.to_owned()),
    }
}

/// Gives a text field that is not empty.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}
