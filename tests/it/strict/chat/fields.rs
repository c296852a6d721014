//! The fields that `OpenAI` has in Chat Completions.

use crate::strict::shape::Shape::{
    Any, Bool, By, Either, Filled, Int, List, Map, Name, Null, Number, Object, OneOf,
    Some as Filling, Tagged, Text,
};
use crate::strict::shape::{Field, Shape, may, metadata, must, or_null};

pub(super) const REQUEST: Shape = Object(&[
    must("model", Any),
    must("messages", Filling(&MESSAGE)),
    or_null("audio", Map),
    or_null("frequency_penalty", Number(-2.0, 2.0)),
    or_null("logit_bias", Map),
    or_null("logprobs", Bool),
    // The least of these two is judged for every server.
    or_null("max_completion_tokens", Any),
    or_null("max_tokens", Any),
    or_null("metadata", By(metadata)),
    or_null("modalities", List(&OneOf(&["text", "audio"]))),
    or_null("moderation", Map),
    or_null("n", Int(1, 128)),
    may("parallel_tool_calls", Bool),
    or_null("prediction", Map),
    or_null("presence_penalty", Number(-2.0, 2.0)),
    or_null("prompt_cache_key", Text),
    may("prompt_cache_options", Map),
    or_null("prompt_cache_retention", OneOf(&["in_memory", "24h"])),
    or_null("reasoning_effort", OneOf(&EFFORTS)),
    may("response_format", FORMAT),
    or_null("safety_identifier", Text),
    or_null("seed", Int(i64::MIN, i64::MAX)),
    or_null(
        "service_tier",
        OneOf(&["auto", "default", "flex", "scale", "priority", "fast"]),
    ),
    or_null("stop", Either(&[Text, List(&Text)])),
    or_null("store", Bool),
    or_null("stream", Bool),
    or_null(
        "stream_options",
        Object(&[may("include_obfuscation", Bool), may("include_usage", Bool)]),
    ),
    or_null("temperature", Number(0.0, 2.0)),
    may(
        "tool_choice",
        Either(&[
            OneOf(&["none", "auto", "required"]),
            Tagged(
                "type",
                &[
                    ("function", &[must("function", NAMED)]),
                    ("custom", &[must("custom", NAMED)]),
                    ("allowed_tools", &[must("allowed_tools", Map)]),
                ],
            ),
        ]),
    ),
    // An empty list is judged for every server.
    may("tools", List(&TOOL)),
    or_null("top_logprobs", Int(0, 20)),
    or_null("top_p", Number(0.0, 1.0)),
    may("user", Text),
    or_null("verbosity", OneOf(&["low", "medium", "high"])),
    may("web_search_options", Map),
]);

const EFFORTS: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const NAMED: Shape = Object(&[must("name", Name(64))]);

const TOOL: Shape = Tagged(
    "type",
    &[
        (
            "function",
            &[must(
                "function",
                Object(&[
                    // Name and schema are judged for every server.
                    must("name", Text),
                    may("description", Text),
                    may("parameters", Map),
                    or_null("strict", Bool),
                ]),
            )],
        ),
        ("custom", &[must("custom", Map)]),
    ],
);

const FORMAT: Shape = Tagged(
    "type",
    &[
        ("text", &[]),
        ("json_object", &[]),
        (
            "json_schema",
            &[must(
                "json_schema",
                Object(&[
                    must("name", Name(64)),
                    may("description", Text),
                    may("schema", Map),
                    or_null("strict", Bool),
                ]),
            )],
        ),
    ],
);

const NAME: Field = may("name", Filled);

const BREAKPOINT: Field = may("prompt_cache_breakpoint", Map);

const TEXT: &[Field] = &[must("text", Text), BREAKPOINT];

/// What stands in a message is judged for every server; here are only its fields.
const MESSAGE: Shape = Tagged(
    "role",
    &[
        ("developer", &[must("content", TEXTS), NAME]),
        ("system", &[must("content", TEXTS), NAME]),
        (
            "user",
            &[must("content", Either(&[Text, List(&PART)])), NAME],
        ),
        (
            "assistant",
            &[
                or_null("content", Either(&[Text, List(&SAID), Null])),
                NAME,
                or_null("audio", Map),
                or_null("refusal", Text),
                may("tool_calls", List(&CALL)),
                // What a compatible server thought is given back to that server.
                may("reasoning", Any),
                may("reasoning_content", Any),
                may("reasoning_details", Any),
            ],
        ),
        (
            "tool",
            &[must("content", TEXTS), must("tool_call_id", Filled)],
        ),
    ],
);

const TEXTS: Shape = Either(&[Text, List(&Tagged("type", &[("text", TEXT)]))]);

const SAID: Shape = Tagged(
    "type",
    &[("text", TEXT), ("refusal", &[must("refusal", Text)])],
);

const PART: Shape = Tagged(
    "type",
    &[
        ("text", TEXT),
        (
            "image_url",
            &[
                must(
                    "image_url",
                    Object(&[
                        must("url", Text),
                        may("detail", OneOf(&["auto", "low", "high", "original"])),
                    ]),
                ),
                BREAKPOINT,
            ],
        ),
        ("input_audio", &[must("input_audio", Map), BREAKPOINT]),
        (
            "file",
            &[
                must(
                    "file",
                    Object(&[
                        may("file_data", Filled),
                        may("file_id", Filled),
                        may("filename", Filled),
                    ]),
                ),
                BREAKPOINT,
            ],
        ),
    ],
);

const CALL: Shape = Tagged(
    "type",
    &[
        (
            "function",
            &[
                must("id", Text),
                must(
                    "function",
                    Object(&[must("name", Text), must("arguments", Text)]),
                ),
            ],
        ),
        ("custom", &[must("id", Text), must("custom", Map)]),
    ],
);
