//! The fields that `OpenAI` has in Responses.

use serde_json::Value;

use crate::strict::schema;
use crate::strict::shape::Shape::{
    Any, Bool, By, Either, Filled, Int, List, Map, Name, Null, Number, Object, OneOf, Short,
    Some as Filling, Tagged, Text,
};
use crate::strict::shape::{
    At, Faults, Field, PICTURES, Shape, is_url_or_data, may, metadata, must, object_text, or_null,
    text,
};

pub(super) const REQUEST: Shape = Object(&[
    must("model", Filled),
    must("input", Either(&[Filled, Filling(&By(item))])),
    or_null("background", Bool),
    or_null("context_management", List(&Map)),
    or_null("conversation", Either(&[Filled, Map])),
    or_null("include", List(&OneOf(&INCLUDE))),
    or_null("instructions", Filled),
    or_null("max_output_tokens", Int(16, i64::MAX)),
    or_null("max_tool_calls", Int(1, i64::MAX)),
    or_null("metadata", By(metadata)),
    or_null("moderation", Map),
    or_null("parallel_tool_calls", Bool),
    or_null("previous_response_id", Filled),
    or_null("prompt", Map),
    or_null("prompt_cache_key", Text),
    may("prompt_cache_options", Map),
    or_null("prompt_cache_retention", OneOf(&["in_memory", "24h"])),
    or_null("reasoning", REASONING),
    or_null("safety_identifier", Text),
    or_null(
        "service_tier",
        OneOf(&[
            "auto",
            "default",
            "flex",
            "scale",
            "priority",
            "fast",
            "ultrafast",
        ]),
    ),
    or_null("store", Bool),
    or_null("stream", Bool),
    or_null(
        "stream_options",
        Object(&[may("include_obfuscation", Bool)]),
    ),
    or_null("temperature", Number(0.0, 2.0)),
    may(
        "text",
        Object(&[
            may("format", FORMAT),
            or_null("verbosity", OneOf(&["low", "medium", "high"])),
        ]),
    ),
    may("tool_choice", CHOICE),
    may("tools", List(&By(tool))),
    or_null("top_logprobs", Int(0, 20)),
    or_null("top_p", Number(0.0, 1.0)),
    or_null("truncation", OneOf(&["auto", "disabled"])),
    may("user", Text),
]);

const INCLUDE: [&str; 8] = [
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
];

const SUMMARIES: [&str; 3] = ["auto", "concise", "detailed"];

const REASONING: Shape = Object(&[
    or_null("context", OneOf(&["auto", "current_turn", "all_turns"])),
    or_null(
        "effort",
        OneOf(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
    ),
    or_null("generate_summary", OneOf(&SUMMARIES)),
    may("mode", OneOf(&["standard", "pro"])),
    or_null("summary", OneOf(&SUMMARIES)),
]);

const FORMAT: Shape = Tagged(
    "type",
    &[
        ("text", &[]),
        ("json_object", &[]),
        (
            "json_schema",
            &[
                must("name", Name(64)),
                must("schema", Map),
                may("description", Text),
                or_null("strict", Bool),
            ],
        ),
    ],
);

const CHOICE: Shape = Either(&[
    OneOf(&["none", "auto", "required"]),
    Tagged(
        "type",
        &[
            ("function", &[must("name", Name(64))]),
            (
                "allowed_tools",
                &[
                    must("mode", OneOf(&["auto", "required"])),
                    must("tools", Filling(&Map)),
                ],
            ),
            ("custom", &[must("name", Filled)]),
            (
                "mcp",
                &[must("server_label", Filled), or_null("name", Filled)],
            ),
            ("file_search", &[]),
            ("web_search", &[]),
            ("web_search_preview", &[]),
            ("image_generation", &[]),
            ("code_interpreter", &[]),
        ],
    ),
]);

/// Tools that run at the provider, whose fields are the user's own business.
const SERVER_TOOLS: [&str; 9] = [
    "code_interpreter",
    "computer",
    "file_search",
    "image_generation",
    "mcp",
    "shell",
    "tool_search",
    "web_search_preview",
    "apply_patch",
];

fn tool(faults: &mut Faults, at: At<'_>, tool: &Value) {
    if SERVER_TOOLS.contains(&text(&tool["type"])) {
        return;
    }
    TOOL.check(faults, at, tool);
    if tool["type"] == "function" {
        let schema = &tool["parameters"];
        if tool["strict"] == true {
            schema::openai_strict(faults, at.key("parameters"), schema);
        } else if !schema.is_null() {
            schema::of_input(faults, at.key("parameters"), schema);
        }
    }
}

const SEARCH: &[Field] = &[
    may("external_web_access", Bool),
    or_null("filters", Map),
    may("search_context_size", OneOf(&["low", "medium", "high"])),
    or_null("user_location", Map),
];

const TOOL: Shape = Tagged(
    "type",
    &[
        (
            "function",
            &[
                must("name", Name(64)),
                must("parameters", Either(&[Map, Null])),
                // Where it is absent, the schema is held to the strict subset.
                must("strict", Either(&[Bool, Null])),
                may("async", Bool),
                or_null("allowed_callers", List(&Filled)),
                may("defer_loading", Bool),
                or_null("description", Text),
                or_null("output_schema", Map),
            ],
        ),
        (
            "custom",
            &[
                must("name", Name(64)),
                may("description", Text),
                may("format", Map),
            ],
        ),
        ("web_search", SEARCH),
        ("web_search_2025_08_26", SEARCH),
    ],
);

/// Items that are given back as they came.
const ECHOED: [&str; 6] = [
    "code_interpreter_call",
    "compaction",
    "file_search_call",
    "image_generation_call",
    "mcp_call",
    "web_search_call",
];

fn item(faults: &mut Faults, at: At<'_>, item: &Value) {
    let role = text(&item["role"]);
    match (item["type"].as_str(), role) {
        (None | Some("message"), "user" | "system" | "developer") => {
            ASKED.check(faults, at, item);
        }
        (None | Some("message"), "assistant") => ANSWERED.check(faults, at, item),
        (None | Some("message"), _) if item.get("id").is_none() => {
            faults.add(at, format_args!("{} is no role", item["role"]));
        }
        (Some(kind), _) if ECHOED.contains(&kind) => {
            faults.unless(item["id"].is_string(), at, "`id` is missing");
        }
        (None, _) => REFERENCE.check(faults, at, item),
        (Some(_), _) => ITEM.check(faults, at, item),
    }
}

const REFERENCE: Shape = Object(&[
    must("id", Filled),
    or_null("type", OneOf(&["item_reference"])),
]);

const STATUS: Field = may("status", OneOf(&["in_progress", "completed", "incomplete"]));

const BREAKPOINT: Field = may("prompt_cache_breakpoint", Map);

const INPUT_TEXT: (&str, &[Field]) = ("input_text", &[must("text", Filled), BREAKPOINT]);

const INPUT: Shape = Tagged(
    "type",
    &[
        INPUT_TEXT,
        (
            "input_image",
            &[
                may("detail", OneOf(&["auto", "low", "high", "original"])),
                or_null("image_url", By(picture)),
                or_null("file_id", Filled),
                BREAKPOINT,
            ],
        ),
        (
            "input_file",
            &[
                may("detail", OneOf(&["auto", "low", "high"])),
                may("file_data", By(document)),
                or_null("file_id", Filled),
                may("file_url", Filled),
                may("filename", Filled),
                BREAKPOINT,
            ],
        ),
    ],
);

fn picture(faults: &mut Faults, at: At<'_>, value: &Value) {
    faults.unless(
        is_url_or_data(text(value), &PICTURES),
        at,
        "must be an address on the web or a data URL of a picture",
    );
}

fn document(faults: &mut Faults, at: At<'_>, value: &Value) {
    let url = text(value);
    let types = ["application/pdf", "text/plain"];
    faults.unless(
        url.starts_with("data:") && is_url_or_data(url, &types),
        at,
        "must be a data URL of a document",
    );
}

/// An image or a file names one source, and a file with its bytes in it a name.
fn input(faults: &mut Faults, at: At<'_>, part: &Value) {
    INPUT.check(faults, at, part);
    let sources: &[&str] = match text(&part["type"]) {
        "input_image" => &["image_url", "file_id"],
        "input_file" => &["file_data", "file_id", "file_url"],
        _ => return,
    };
    let named = sources.iter().filter(|name| !part[**name].is_null());
    let words = format_args!("must have exactly one of {sources:?}");
    faults.unless(named.count() == 1, at, words);
    if part["file_data"].is_string() {
        faults.unless(part["filename"].is_string(), at, "`filename` is missing");
    }
}

const INPUTS: Shape = Either(&[Filled, Filling(&By(input))]);

const ASKED: Shape = Object(&[
    may("type", Text),
    must("role", Text),
    must("content", INPUTS),
    STATUS,
]);

const ANSWERED: Shape = Object(&[
    may("type", Text),
    must("role", Text),
    must(
        "content",
        Either(&[
            Filled,
            Filling(&Tagged(
                "type",
                &[
                    (
                        "output_text",
                        &[
                            must("text", Filled),
                            may("annotations", List(&Map)),
                            may("logprobs", List(&Any)),
                        ],
                    ),
                    ("refusal", &[must("refusal", Filled)]),
                ],
            )),
        ]),
    ),
    may("id", By(message_id)),
    or_null("phase", OneOf(&["commentary", "final_answer"])),
    STATUS,
]);

fn message_id(faults: &mut Faults, at: At<'_>, value: &Value) {
    begins(faults, at, value, "msg");
}

fn call_id(faults: &mut Faults, at: At<'_>, value: &Value) {
    begins(faults, at, value, "fc");
}

fn reasoning_id(faults: &mut Faults, at: At<'_>, value: &Value) {
    begins(faults, at, value, "rs");
}

fn begins(faults: &mut Faults, at: At<'_>, value: &Value, with: &str) {
    let fine = value.as_str().is_some_and(|id| id.starts_with(with));
    faults.unless(
        fine,
        at,
        format_args!("must begin with `{with}`, not {value}"),
    );
}

const ITEM: Shape = Tagged(
    "type",
    &[
        (
            "function_call",
            &[
                must("call_id", Short(64)),
                must("name", Name(64)),
                must("arguments", By(object_text)),
                may("id", By(call_id)),
                may("async", Bool),
                may("caller", Any),
                may("namespace", Filled),
                STATUS,
            ],
        ),
        (
            "function_call_output",
            &[
                must("call_id", Short(64)),
                must("output", INPUTS),
                or_null("id", Filled),
                may("caller", Any),
                or_null("name", Filled),
                or_null("namespace", Filled),
                STATUS,
            ],
        ),
        (
            "reasoning",
            &[
                must("id", By(reasoning_id)),
                must(
                    "summary",
                    List(&Tagged("type", &[("summary_text", &[must("text", Text)])])),
                ),
                may(
                    "content",
                    List(&Tagged(
                        "type",
                        &[("reasoning_text", &[must("text", Text)])],
                    )),
                ),
                or_null("encrypted_content", Filled),
                STATUS,
            ],
        ),
        ("item_reference", &[must("id", Filled)]),
    ],
);
