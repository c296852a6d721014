//! Bedrock's Converse, for the models of Anthropic that it serves.

mod fields;

use std::collections::HashSet;

use serde_json::Value;

use super::pairs::{self, Turn};
use super::shape::{At, Faults, list, text};

/// Most documents of a request.
const MOST_DOCUMENTS: usize = 5;

/// Most points of the cache in a request.
const MOST_MARKS: usize = 4;

/// Gives what is wrong with a request.
pub(crate) fn faults(body: &Value) -> Vec<String> {
    let mut faults = Faults::default();
    fields::REQUEST.check(&mut faults, At::Top, body);
    let messages = list(&body["messages"]);
    order(&mut faults, messages);
    let turns: Vec<Turn<'_>> = messages.iter().enumerate().map(turn).collect();
    pairs::check(&mut faults, &turns);
    documents(&mut faults, messages);
    tools(&mut faults, body);
    marks(&mut faults, body);
    thinking(&mut faults, body);
    faults.0
}

fn order(faults: &mut Faults, messages: &[Value]) {
    let top = At::Top.key("messages");
    for (place, message) in messages.iter().enumerate() {
        let at = top.place(place);
        let before = place.checked_sub(1).map(|before| &messages[before]);
        match before {
            None => faults.unless(
                message["role"] == "user",
                at,
                "a conversation must start with a user message",
            ),
            Some(before) => faults.unless(
                before["role"] != message["role"],
                at,
                "roles must alternate between `user` and `assistant`",
            ),
        }
        if place + 1 == messages.len() {
            faults.unless(
                message["role"] == "user",
                at,
                "a conversation must end with a user message",
            );
        }
    }
}

fn turn((place, message): (usize, &Value)) -> Turn<'_> {
    let blocks = list(&message["content"]);
    let ids = |kind: &str| -> Vec<&str> {
        blocks
            .iter()
            .filter_map(|block| block.get(kind))
            .map(|block| text(&block["toolUseId"]))
            .collect()
    };
    let is_result = |block: &Value| block.get("toolResult").is_some();
    let last = blocks.iter().rposition(is_result);
    let other = blocks.iter().position(|block| !is_result(block));
    Turn {
        at: format!("messages[{place}]"),
        calls: ids("toolUse"),
        results: ids("toolResult"),
        results_late: last.zip(other).is_some_and(|(last, other)| other < last),
    }
}

/// Documents have names of their own, come with a text, and are few.
fn documents(faults: &mut Faults, messages: &[Value]) {
    let top = At::Top.key("messages");
    let mut names = HashSet::new();
    let mut count = 0;
    for (place, message) in messages.iter().enumerate() {
        let blocks = list(&message["content"]);
        let has = |kind: &str| blocks.iter().any(|block| block.get(kind).is_some());
        faults.unless(
            !has("document") || has("text"),
            top.place(place),
            "a document needs a text block beside it",
        );
        let inner = blocks
            .iter()
            .flat_map(|block| list(&block["toolResult"]["content"]));
        for document in blocks.iter().chain(inner).filter_map(|b| b.get("document")) {
            count += 1;
            let name = text(&document["name"]).to_lowercase();
            let new = names.insert(name);
            faults.unless(
                new,
                top.place(place),
                format_args!("the document name {} is there twice", document["name"]),
            );
        }
    }
    faults.unless(
        count <= MOST_DOCUMENTS,
        top,
        format_args!("{count} documents, and {MOST_DOCUMENTS} are the most"),
    );
}

/// A history with calls needs tools, names are unique, and a choice is of one that is there.
fn tools(faults: &mut Faults, body: &Value) {
    let at = At::Top.key("toolConfig");
    let config = &body["toolConfig"];
    let called = list(&body["messages"])
        .iter()
        .flat_map(|message| list(&message["content"]))
        .any(|block| block.get("toolUse").is_some() || block.get("toolResult").is_some());
    faults.unless(
        !called || !config.is_null(),
        at,
        "must be there while messages hold `toolUse` or `toolResult` blocks",
    );
    let mut names = HashSet::new();
    for tool in list(&config["tools"]) {
        for name in [&tool["toolSpec"]["name"], &tool["systemTool"]["name"]] {
            if let Some(name) = name.as_str() {
                let new = names.insert(name);
                faults.unless(new, at, format_args!("the tool `{name}` is there twice"));
            }
        }
    }
    if let Some(chosen) = config["toolChoice"]["tool"]["name"].as_str() {
        faults.unless(
            names.contains(chosen),
            at,
            format_args!("the chosen tool `{chosen}` is not there"),
        );
    }
    faults.unless(
        config["tools"].is_null() || !names.is_empty(),
        at,
        "must have at least one tool",
    );
}

/// Points of the cache are few, and stand after what they keep.
fn marks(faults: &mut Faults, body: &Value) {
    let messages = list(&body["messages"]).iter();
    let lists: Vec<&[Value]> = messages
        .map(|message| list(&message["content"]))
        .chain([list(&body["system"]), list(&body["toolConfig"]["tools"])])
        .collect();
    let is_mark = |block: &&Value| block.get("cachePoint").is_some();
    let count: usize = lists
        .iter()
        .map(|blocks| blocks.iter().filter(is_mark).count())
        .sum();
    faults.unless(
        count <= MOST_MARKS,
        At::Top,
        format_args!("{count} cache points, and {MOST_MARKS} are the most"),
    );
    let alone = lists
        .iter()
        .any(|blocks| blocks.first().is_some_and(|b| is_mark(&b)));
    faults.unless(
        !alone,
        At::Top,
        "a cache point must stand after what it keeps",
    );
}

/// What thinking with a budget excludes.
fn thinking(faults: &mut Faults, body: &Value) {
    let thinking = &body["additionalModelRequestFields"]["thinking"];
    if thinking["type"] != "enabled" {
        return;
    }
    let at = At::Top.key("additionalModelRequestFields");
    let budget = thinking["budget_tokens"].as_i64().unwrap_or(0);
    faults.unless(budget >= 1024, at, "`budget_tokens` must be at least 1024");
    let most = body["inferenceConfig"]["maxTokens"].as_i64();
    faults.unless(
        most.is_none_or(|most| budget < most),
        at,
        "`budget_tokens` must be less than `maxTokens`",
    );
    let choice = &body["toolConfig"]["toolChoice"];
    faults.unless(
        choice.get("any").is_none() && choice.get("tool").is_none(),
        at,
        "thinking may not be enabled when `toolChoice` forces a tool",
    );
}
