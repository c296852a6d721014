//! A reply in one piece.

use serde_json::Value;

use super::gathered::{Ended, Gathered};
use crate::backends::fault;
use crate::backends::wire::Failure;
use crate::backends::{Delta, ErrorKind, Reply};

/// Reads a whole reply. It proves its own end, so a reason to stop may be missing.
pub(super) fn reply(body: &Value, provider: &str) -> Result<Reply, Failure> {
    if let Some(failure) = fault::told_in(body) {
        return Err(failure);
    }
    let mut gathered = Gathered::new(provider);
    gathered.surroundings(body);
    let message = choice(body).and_then(|choice| {
        gathered.finish = text(choice, "finish_reason").map(str::to_owned);
        choice.get("message")
    });
    match message {
        Some(message) => {
            take(&mut gathered, message);
            gathered.settle(Ended::Whole)
        }
        None => Err(Failure::new(
            ErrorKind::Protocol,
            "the reply is JSON, but holds no `choices` with a `message`",
        )
        .hint("check that the URL is that of a Chat Completions server")),
    }
}

/// Gives the first choice: others are never asked for.
pub(super) fn choice(body: &Value) -> Option<&Value> {
    let choices = body.get("choices")?.as_array()?;
    choices
        .iter()
        .find(|choice| choice.get("index").and_then(Value::as_u64) == Some(0))
        .or_else(|| choices.first().filter(|first| first.get("index").is_none()))
        .or_else(|| choices.first())
}

/// Takes what a message, or a piece of one, says; gives what can be shown of it.
pub(super) fn take(gathered: &mut Gathered, message: &Value) -> Vec<Delta> {
    let mut deltas = Vec::new();
    for name in ["reasoning_content", "reasoning"] {
        if let Some(thought) = text(message, name) {
            think(gathered, &mut deltas, thought);
            break;
        }
    }
    for detail in list(message, "reasoning_details") {
        gathered.detail(detail);
    }
    if let Some(said) = text(message, "content") {
        say(gathered, &mut deltas, said);
    }
    for part in list(message, "content") {
        let inner = list(part, "thinking");
        if let Some(said) = text(part, "text") {
            say(gathered, &mut deltas, said);
        }
        for thought in inner.iter().filter_map(|one| text(one, "text")) {
            think(gathered, &mut deltas, thought);
        }
    }
    if let Some(refusal) = text(message, "refusal") {
        gathered.inner.refusal.push_str(refusal);
    }
    for piece in list(message, "tool_calls") {
        gathered.call(piece);
    }
    deltas
}

fn say(gathered: &mut Gathered, deltas: &mut Vec<Delta>, said: &str) {
    gathered.inner.text(said);
    deltas.push(Delta::Text(said.to_owned()));
}

fn think(gathered: &mut Gathered, deltas: &mut Vec<Delta>, thought: &str) {
    gathered.inner.think(thought);
    deltas.push(Delta::Reasoning(thought.to_owned()));
}

/// Gives a text field that is not empty.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
