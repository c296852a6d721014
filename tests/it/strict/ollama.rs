//! Ollama's own protocol.

use serde_json::Value;

use super::schema;
use super::shape::Shape::{
    Base64, Bool, By, Either, Filled, Int, List, Map, Number, Object, OneOf, Some as Filling,
    Tagged, Text,
};
use super::shape::{At, Faults, Field, Shape, list, may, must, or_null, text};

/// Gives what is wrong with a request.
pub(crate) fn faults(body: &Value) -> Vec<String> {
    let mut faults = Faults::default();
    REQUEST.check(&mut faults, At::Top, body);
    order(&mut faults, list(&body["messages"]));
    faults.0
}

const REQUEST: Shape = Object(&[
    must("model", Filled),
    must("messages", Filling(&By(message))),
    or_null("stream", Bool),
    or_null("format", Either(&[OneOf(&["", "json"]), Map])),
    or_null("keep_alive", Either(&[Text, Number(f64::MIN, f64::MAX)])),
    or_null("tools", List(&TOOL)),
    or_null("options", By(options)),
    or_null(
        "think",
        Either(&[Bool, OneOf(&["low", "medium", "high", "max"])]),
    ),
    or_null("truncate", Bool),
    or_null("shift", Bool),
    or_null("logprobs", Bool),
    or_null("top_logprobs", Int(0, 20)),
]);

const TOOL: Shape = Object(&[
    must("type", OneOf(&["function"])),
    must(
        "function",
        Object(&[
            must("name", Filled),
            may("description", Text),
            must("parameters", By(schema::ollama)),
        ]),
    ),
]);

const WHOLE: Shape = Int(i64::MIN, i64::MAX);
const BROKEN: Shape = Number(f64::MIN, f64::MAX);

/// Options whose types are looked at; others are passed over with a line in the server's log.
const OPTIONS: [(&str, Shape); 21] = [
    ("frequency_penalty", BROKEN),
    ("main_gpu", WHOLE),
    ("min_p", BROKEN),
    ("num_batch", WHOLE),
    ("num_ctx", WHOLE),
    ("num_gpu", WHOLE),
    ("num_keep", WHOLE),
    ("num_predict", WHOLE),
    ("num_thread", WHOLE),
    ("penalize_newline", Bool),
    ("presence_penalty", BROKEN),
    ("repeat_last_n", WHOLE),
    ("repeat_penalty", BROKEN),
    ("seed", WHOLE),
    ("stop", List(&Text)),
    ("temperature", BROKEN),
    ("tfs_z", BROKEN),
    ("top_k", WHOLE),
    ("top_p", BROKEN),
    ("typical_p", BROKEN),
    ("use_mmap", Bool),
];

fn options(faults: &mut Faults, at: At<'_>, value: &Value) {
    Map.check(faults, at, value);
    for (name, shape) in OPTIONS {
        match value.get(name) {
            Some(value) if !value.is_null() => shape.check(faults, at.key(name), value),
            Some(_) | None => {}
        }
    }
}

const CONTENT: Field = must("content", Text);

const IMAGES: Field = may("images", Filling(&Base64));

const MESSAGE: Shape = Tagged(
    "role",
    &[
        ("system", &[CONTENT]),
        ("user", &[CONTENT, IMAGES]),
        (
            "assistant",
            &[
                CONTENT,
                IMAGES,
                may("thinking", Text),
                may("tool_calls", Filling(&CALL)),
            ],
        ),
        (
            "tool",
            &[
                CONTENT,
                IMAGES,
                may("tool_name", Filled),
                may("tool_call_id", Filled),
            ],
        ),
    ],
);

const CALL: Shape = Object(&[
    may("id", Filled),
    may("type", OneOf(&["function"])),
    must(
        "function",
        Object(&[
            may("index", Int(0, i64::MAX)),
            must("name", Filled),
            must("arguments", Map),
        ]),
    ),
]);

/// A message says something: the server passes an empty one on, and the model answers nothing.
fn message(faults: &mut Faults, at: At<'_>, message: &Value) {
    MESSAGE.check(faults, at, message);
    let beside = ["images", "tool_calls"];
    faults.unless(
        !text(&message["content"]).trim().is_empty()
            || beside.iter().any(|field| message.get(field).is_some()),
        at,
        "says nothing",
    );
}

/// Results stand right after their calls, in their order.
fn order(faults: &mut Faults, messages: &[Value]) {
    let top = At::Top.key("messages");
    let mut open: Vec<&Value> = Vec::new();
    for (place, message) in messages.iter().enumerate() {
        let at = top.place(place);
        if message["role"] == "tool" {
            if open.is_empty() {
                faults.add(at, "a tool message has no call before it");
                continue;
            }
            let call = open.remove(0);
            let name = &message["tool_name"];
            faults.unless(
                name.is_null() || *name == call["function"]["name"],
                at,
                format_args!("the result of {name} answers {}", call["function"]["name"]),
            );
            continue;
        }
        faults.unless(open.is_empty(), at, "calls before this have no results");
        open = list(&message["tool_calls"]).iter().collect();
    }
    faults.unless(open.is_empty(), top, "the last calls have no results");
}
