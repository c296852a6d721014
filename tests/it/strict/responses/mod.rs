//! `OpenAI`'s Responses.

mod fields;

use std::collections::HashSet;

use serde_json::Value;

use super::schema;
use super::shape::{At, Faults, list, text};

/// Gives what is wrong with a request.
pub(crate) fn faults(body: &Value) -> Vec<String> {
    let mut faults = Faults::default();
    fields::REQUEST.check(&mut faults, At::Top, body);
    let items = list(&body["input"]);
    calls(&mut faults, body, items);
    reasoning(&mut faults, body, items);
    ids(&mut faults, items);
    choice(&mut faults, body);
    format(&mut faults, body);
    faults.unless(
        body["previous_response_id"].is_null() || body["conversation"].is_null(),
        At::Top,
        "`previous_response_id` and `conversation` may not both be set",
    );
    faults.unless(
        body["stream"] == true || body["stream_options"].is_null(),
        At::Top.key("stream_options"),
        "is only allowed when `stream` is true",
    );
    faults.0
}

/// Tells whether the provider has items that come before those of the request.
fn goes_on(body: &Value) -> bool {
    !body["previous_response_id"].is_null() || !body["conversation"].is_null()
}

/// Each call has one output after it, and each output a call before it.
fn calls(faults: &mut Faults, body: &Value, items: &[Value]) {
    let at = At::Top.key("input");
    let mut called = HashSet::new();
    let mut answered = HashSet::new();
    for (place, item) in items.iter().enumerate() {
        let id = text(&item["call_id"]);
        match text(&item["type"]) {
            "function_call" if !called.insert(id) => {
                faults.add(
                    at.place(place),
                    format_args!("the call `{id}` is there twice"),
                );
            }
            "function_call_output" => {
                if !called.contains(id) && !goes_on(body) {
                    faults.add(
                        at.place(place),
                        format_args!("no tool call found for the output of `{id}`"),
                    );
                }
                if !answered.insert(id) {
                    faults.add(
                        at.place(place),
                        format_args!("the call `{id}` has more than one output"),
                    );
                }
            }
            _ => {}
        }
    }
    for (place, item) in items.iter().enumerate() {
        let id = text(&item["call_id"]);
        if item["type"] == "function_call" && !answered.contains(id) {
            faults.add(
                at.place(place),
                format_args!("no tool output found for the call `{id}`"),
            );
        }
    }
}

/// What the model thought stands before what came of it, and comes with its content where the
/// provider keeps nothing.
fn reasoning(faults: &mut Faults, body: &Value, items: &[Value]) {
    let at = At::Top.key("input");
    for (place, item) in items.iter().enumerate() {
        let kind = text(&item["type"]);
        if kind == "item_reference" && body["store"] == false && !goes_on(body) {
            faults.add(
                at.place(place),
                "an item cannot be found where `store` is false",
            );
        }
        if kind != "reasoning" {
            continue;
        }
        let followed = items.get(place + 1).is_some_and(|next| {
            let kind = text(&next["type"]);
            next["role"] == "assistant" || kind == "reasoning" || kind.ends_with("_call")
        });
        faults.unless(
            followed,
            at.place(place),
            format_args!("the reasoning {} is without its following item", item["id"]),
        );
        faults.unless(
            body["store"] != false || item["encrypted_content"].is_string(),
            at.place(place),
            "needs `encrypted_content` where `store` is false",
        );
    }
}

/// No two items are the same.
fn ids(faults: &mut Faults, items: &[Value]) {
    let mut seen = HashSet::new();
    let at = At::Top.key("input");
    for (place, item) in items.iter().enumerate() {
        if let Some(id) = item["id"].as_str() {
            let new = seen.insert(id);
            faults.unless(new, at.place(place), format_args!("duplicate item `{id}`"));
            faults.unless(id.len() <= 64, at.place(place), "the id is too long");
        }
    }
}

fn choice(faults: &mut Faults, body: &Value) {
    let tools = list(&body["tools"]);
    let choice = &body["tool_choice"];
    let at = At::Top.key("tool_choice");
    let names = |name: &Value| {
        let named = |tool: &Value| tool["type"] == "function" && tool["name"] == *name;
        tools.iter().any(named)
    };
    if choice == "required" || choice["type"] == "allowed_tools" {
        faults.unless(!tools.is_empty(), at, "needs `tools`");
    }
    if choice["type"] == "function" {
        let words = format_args!("the tool {} is not among `tools`", choice["name"]);
        faults.unless(names(&choice["name"]), at, words);
    }
    for allowed in list(&choice["tools"]) {
        if allowed["type"] == "function" {
            let words = format_args!("the tool {} is not among `tools`", allowed["name"]);
            faults.unless(names(&allowed["name"]), at, words);
        }
    }
}

fn format(faults: &mut Faults, body: &Value) {
    let format = &body["text"]["format"];
    let text = At::Top.key("text");
    if format["strict"] == true {
        schema::openai_strict(faults, text.key("format"), &format["schema"]);
    }
    let said = format!("{}{}", body["input"], body["instructions"]).to_lowercase();
    faults.unless(
        format["type"] != "json_object" || said.contains("json") || goes_on(body),
        At::Top.key("input"),
        "must hold the word `json` where the format is `json_object`",
    );
}
