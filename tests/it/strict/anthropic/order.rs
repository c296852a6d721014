//! What must stand before and after what.

use std::collections::HashSet;

use serde_json::Value;

use crate::strict::pairs::{self, Turn};
use crate::strict::shape::{At, Faults, list, text};

/// Most marks of the cache in a request.
const MOST_MARKS: usize = 4;

/// Gives every block of the messages.
pub(super) fn blocks_of(body: &Value) -> impl Iterator<Item = &Value> {
    let messages = list(&body["messages"]).iter();
    messages.flat_map(|message| list(&message["content"]))
}

/// Judges the order of messages and blocks.
pub(super) fn check(faults: &mut Faults, body: &Value) {
    let messages = list(&body["messages"]);
    let at = At::Top.key("messages");
    if let Some(first) = messages.first() {
        faults.unless(
            first["role"] == "user",
            at.place(0),
            "the first message must be the user's",
        );
    }
    let turns = turns(messages);
    let paired: Vec<Turn<'_>> = turns.iter().map(turn).collect();
    pairs::check(faults, &paired);
    for (place, block) in blocks_of(body).enumerate() {
        let plain = block["type"] != "tool_result"
            || block["is_error"] != true
            || list(&block["content"])
                .iter()
                .all(|inner| inner["type"] == "text");
        faults.unless(
            plain,
            At::Top.key("blocks").place(place),
            "all content must be text where `is_error` is true",
        );
    }
    if let Some(last) = turns.last() {
        ending(faults, last);
    }
    if body["thinking"]["type"] == "enabled" {
        thought_first(faults, &turns);
    }
    served(faults, messages);
    marks(faults, body);
}

/// Messages of one role in a row, which the API joins.
struct Joined<'a> {
    place: usize,
    role: &'a str,
    blocks: Vec<&'a Value>,
    /// Whether it has text that is no block.
    plain: bool,
}

fn turns(messages: &[Value]) -> Vec<Joined<'_>> {
    let mut turns: Vec<Joined<'_>> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let role = text(&message["role"]);
        if turns.last().is_none_or(|last| last.role != role) {
            turns.push(Joined {
                place,
                role,
                blocks: Vec::new(),
                plain: false,
            });
        }
        if let Some(turn) = turns.last_mut() {
            turn.blocks.extend(list(&message["content"]));
            turn.plain |= message["content"].is_string();
        }
    }
    turns
}

fn turn<'a>(joined: &Joined<'a>) -> Turn<'a> {
    let ids = |kind: &str, key: &str| -> Vec<&'a str> {
        joined
            .blocks
            .iter()
            .filter(|block| block["type"] == kind)
            .map(|block| text(&block[key]))
            .collect()
    };
    let is_result = |block: &&Value| block["type"] == "tool_result";
    let last = joined.blocks.iter().rposition(is_result);
    let first_other = joined.blocks.iter().position(|block| !is_result(block));
    Turn {
        at: format!("messages[{}]", joined.place),
        calls: ids("tool_use", "id"),
        results: ids("tool_result", "tool_use_id"),
        results_late: last
            .zip(first_other)
            .is_some_and(|(last, other)| other < last)
            || (last.is_some() && joined.plain),
    }
}

/// The user has the last word, save where a turn that paused is given back to go on.
fn ending(faults: &mut Faults, last: &Joined<'_>) {
    let top = At::Top.key("messages");
    let at = top.place(last.place);
    if last.role != "assistant" {
        return faults.unless(
            last.role == "user",
            at,
            "the last message must be the user's",
        );
    }
    let paused = last
        .blocks
        .iter()
        .any(|block| block["type"] == "server_tool_use");
    faults.unless(
        paused,
        at,
        "the conversation must end with a user message: prefill is not supported",
    );
    let end = last.blocks.last().map_or("", |block| text(&block["text"]));
    faults.unless(
        !paused || end.trim_end() == end,
        at,
        "the text of the last assistant message may not end in white space",
    );
}

/// While calls are answered, the turn that made them begins with what the model thought.
fn thought_first(faults: &mut Faults, turns: &[Joined<'_>]) {
    let [.., asked, answered] = turns else {
        return;
    };
    let is_answered = answered
        .blocks
        .iter()
        .any(|block| block["type"] == "tool_result");
    let first = asked
        .blocks
        .first()
        .map_or("", |block| text(&block["type"]));
    if is_answered {
        faults.unless(
            ["thinking", "redacted_thinking"].contains(&first),
            At::Top.key("messages").place(asked.place),
            format_args!("expected a thinking block first, but found `{first}`"),
        );
    }
}

/// What the provider's own tools gave needs the call before it in the same message.
fn served(faults: &mut Faults, messages: &[Value]) {
    let top = At::Top.key("messages");
    for (place, message) in messages.iter().enumerate() {
        let mut called = HashSet::new();
        for block in list(&message["content"]) {
            let kind = text(&block["type"]);
            if kind == "server_tool_use" {
                called.insert(text(&block["id"]));
            } else if kind.ends_with("_tool_result")
                && !called.contains(text(&block["tool_use_id"]))
            {
                faults.add(
                    top.place(place),
                    format_args!(
                        "the `{kind}` {} has no call before it",
                        block["tool_use_id"]
                    ),
                );
            }
        }
    }
}

/// There are only so many marks of the cache, and those that last longer come first.
fn marks(faults: &mut Faults, body: &Value) {
    let mut marks: Vec<&Value> = Vec::new();
    let inner = blocks_of(body)
        .flat_map(|block| list(&block["content"]).iter().chain(std::iter::once(block)));
    let all = list(&body["tools"])
        .iter()
        .chain(list(&body["system"]))
        .chain(inner)
        .chain(std::iter::once(body));
    for block in all {
        let mark = &block["cache_control"];
        if !mark.is_null() {
            marks.push(mark);
        }
    }
    faults.unless(
        marks.len() <= MOST_MARKS,
        At::Top,
        format_args!(
            "{} blocks have `cache_control`, {MOST_MARKS} may",
            marks.len()
        ),
    );
    let short = marks.iter().position(|mark| mark["ttl"] != "1h");
    let long = marks.iter().rposition(|mark| mark["ttl"] == "1h");
    faults.unless(
        short.zip(long).is_none_or(|(short, long)| long < short),
        At::Top,
        "a `cache_control` with the ttl 1h must come before those of 5m",
    );
}
