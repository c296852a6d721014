//! Anthropic's Messages.

mod blocks;
mod order;

use serde_json::Value;

use self::blocks::{ASSISTANT, CACHE, SYSTEM, USER};
use super::schema;
use super::shape::Shape::{
    Any, Bool, By, Either, Filled, Int, List, Map, Name, Number, Object, OneOf, Some as Filling,
    Tagged, Text,
};
use super::shape::{At, Faults, Field, Shape, list, may, must, or_null, text};

/// The version of the API that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// `2023-06-01`.
    V2023,
    /// `2026-10-21`, which refuses sampling parameters and documents of the model.
    V2026,
}

/// Gives what is wrong with a request.
pub(crate) fn faults(body: &Value, version: Version) -> Vec<String> {
    let mut faults = Faults::default();
    Object(&REQUEST).check(&mut faults, At::Top, body);
    let at = At::Top.key("messages");
    for (place, message) in list(&body["messages"]).iter().enumerate() {
        match (text(&message["role"]), version) {
            ("user", _) => USER_MESSAGE.check(&mut faults, at.place(place), message),
            ("assistant", _) => ASSISTANT_MESSAGE.check(&mut faults, at.place(place), message),
            ("system", Version::V2026) => {
                SYSTEM_MESSAGE.check(&mut faults, at.place(place), message);
            }
            (other, _) => {
                faults.add(at.place(place), format_args!("unexpected role `{other}`"));
            }
        }
    }
    order::check(&mut faults, body);
    thinking(&mut faults, body);
    tools(&mut faults, body);
    match version {
        Version::V2023 => {}
        Version::V2026 => newer(&mut faults, body),
    }
    faults.0
}

const REQUEST: [Field; 20] = [
    must("model", Filled),
    must("max_tokens", Int(1, i64::MAX)),
    must("messages", Filling(&Any)),
    or_null("cache_control", CACHE),
    or_null("container", Either(&[Filled, Map])),
    or_null("diagnostics", Map),
    or_null("inference_geo", Filled),
    may("metadata", Object(&[or_null("user_id", Shape::Short(256))])),
    may("output_config", Object(&OUTPUT)),
    may("service_tier", OneOf(&["auto", "standard_only"])),
    or_null("speed", OneOf(&["fast", "standard"])),
    may("stop_sequences", List(&Filled)),
    may("stream", Bool),
    may("system", Either(&[Filled, Filling(&SYSTEM)])),
    may("temperature", Number(0.0, 1.0)),
    may("thinking", THINKING),
    may("tool_choice", CHOICE),
    may("tools", Filling(&By(tool))),
    may("top_k", Int(0, i64::MAX)),
    may("top_p", Number(0.0, 1.0)),
];

const USER_MESSAGE: Shape = Object(&[
    must("role", Text),
    must("content", Either(&[Filled, Filling(&USER)])),
]);

const ASSISTANT_MESSAGE: Shape = Object(&[
    must("role", Text),
    must("content", Either(&[Filled, Filling(&ASSISTANT)])),
]);

const SYSTEM_MESSAGE: Shape = Object(&[
    must("role", Text),
    must("content", Either(&[Filled, Filling(&SYSTEM)])),
]);

const OUTPUT: [Field; 2] = [
    or_null("effort", OneOf(&["low", "medium", "high", "xhigh", "max"])),
    or_null(
        "format",
        Tagged(
            "type",
            &[(
                "json_schema",
                &[must("schema", By(schema::anthropic_strict))],
            )],
        ),
    ),
];

const DISPLAY: Field = or_null("display", OneOf(&["summarized", "omitted"]));

const THINKING: Shape = Tagged(
    "type",
    &[
        (
            "enabled",
            &[must("budget_tokens", Int(1024, i64::MAX)), DISPLAY],
        ),
        ("adaptive", &[DISPLAY]),
        ("disabled", &[]),
        ("between_tools", &[]),
    ],
);

const ONE_BY_ONE: Field = may("disable_parallel_tool_use", Bool);

const CHOICE: Shape = Tagged(
    "type",
    &[
        ("auto", &[ONE_BY_ONE]),
        ("any", &[ONE_BY_ONE]),
        ("tool", &[must("name", Name(128)), ONE_BY_ONE]),
        ("none", &[]),
    ],
);

const TOOL: Shape = Object(&[
    must("name", Name(128)),
    must("input_schema", By(schema::of_plain_input)),
    may("description", Text),
    may("strict", Bool),
    or_null("type", OneOf(&["custom"])),
    or_null("cache_control", CACHE),
    may("allowed_callers", List(&Filled)),
    may("defer_loading", Bool),
    or_null("eager_input_streaming", Bool),
    may("input_examples", List(&Map)),
]);

/// Types of the provider's own tools begin like this.
const SERVER_TOOLS: [&str; 10] = [
    "web_search_",
    "web_fetch_",
    "code_execution_",
    "bash_",
    "text_editor_",
    "memory_",
    "computer_",
    "browser_",
    "tool_search_tool_",
    "mcp_toolset",
];

fn is_server_tool(tool: &Value) -> bool {
    let kind = text(&tool["type"]);
    SERVER_TOOLS.iter().any(|server| kind.starts_with(server))
}

fn tool(faults: &mut Faults, at: At<'_>, tool: &Value) {
    if is_server_tool(tool) {
        let cache = &tool["cache_control"];
        if !cache.is_null() {
            CACHE.check(faults, at.key("cache_control"), cache);
        }
        return;
    }
    TOOL.check(faults, at, tool);
    if tool["strict"] == true {
        schema::anthropic_strict(faults, at.key("input_schema"), &tool["input_schema"]);
    }
}

/// What thinking with a budget excludes.
fn thinking(faults: &mut Faults, body: &Value) {
    if body["thinking"]["type"] != "enabled" {
        return;
    }
    let at = At::Top.key("thinking");
    if let (Some(budget), Some(most)) = (
        body["thinking"]["budget_tokens"].as_i64(),
        body["max_tokens"].as_i64(),
    ) {
        let words = "`budget_tokens` must be less than `max_tokens`";
        faults.unless(budget < most, at, words);
    }
    let choice = text(&body["tool_choice"]["type"]);
    let words = "thinking may not be enabled when `tool_choice` forces a tool";
    faults.unless(!["any", "tool"].contains(&choice), at, words);
    let sampled = [
        (
            "temperature",
            body["temperature"].as_f64().is_none_or(|t| t >= 1.0),
        ),
        ("top_k", body["top_k"].is_null()),
        ("top_p", body["top_p"].as_f64().is_none_or(|p| p >= 0.95)),
    ];
    for (name, fine) in sampled {
        let words = format_args!("`{name}` may not be set when thinking is enabled");
        faults.unless(fine, at, words);
    }
}

/// Names of tools are unique, a choice is of one that is there, and a history of calls needs tools.
fn tools(faults: &mut Faults, body: &Value) {
    let tools = list(&body["tools"]);
    let at = At::Top.key("tools");
    let mut names: Vec<&str> = Vec::new();
    for (place, tool) in tools.iter().enumerate() {
        let name = text(&tool["name"]);
        faults.unless(
            !names.contains(&name),
            at.place(place),
            format_args!("the name `{name}` of a tool is used twice"),
        );
        names.push(name);
    }
    let choice = &body["tool_choice"];
    if tools.is_empty() && !choice.is_null() {
        faults.add(At::Top.key("tool_choice"), "needs `tools`");
    } else if choice["type"] == "tool" {
        faults.unless(
            names.contains(&text(&choice["name"])),
            At::Top.key("tool_choice"),
            format_args!("the tool {} is not among `tools`", choice["name"]),
        );
    }
    let called = order::blocks_of(body)
        .any(|block| block["type"] == "tool_use" || block["type"] == "tool_result");
    if called && tools.is_empty() {
        faults.add(at, "a history with calls must define tools");
    }
}

/// What the newer version refuses.
fn newer(faults: &mut Faults, body: &Value) {
    for name in ["temperature", "top_p", "top_k"] {
        faults.unless(
            body.get(name).is_none(),
            At::Top.key(name),
            "is not supported by version 2026-10-21",
        );
    }
    let at = At::Top.key("messages");
    for (place, message) in list(&body["messages"]).iter().enumerate() {
        let at = at.place(place);
        for block in list(&message["content"]) {
            let by_model = message["role"] == "assistant" && block["type"] == "document";
            faults.unless(
                !by_model,
                at,
                "a document may not stand in an assistant message",
            );
            let cited = message["role"] == "user" && !list(&block["citations"]).is_empty();
            faults.unless(!cited, at, "a text of the user may not have citations");
        }
    }
}
