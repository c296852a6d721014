//! Blocks of content, by who may send them.

use crate::strict::shape::Shape::{
    Any, Base64, Bool, By, Either, Filled, List, Map, Name, Object, OneOf, Some as Filling, Tagged,
    Text,
};
use crate::strict::shape::{At, Faults, Field, PICTURES, Shape, may, must, or_null, text};
use serde_json::Value;

/// A mark up to which a prompt is cached.
pub(super) const CACHE: Shape = Tagged(
    "type",
    &[("ephemeral", &[may("ttl", OneOf(&["5m", "1h"]))])],
);

const CACHED: Field = or_null("cache_control", CACHE);

/// A text, which may not be blank.
const TEXT: &[Field] = &[
    must("text", Filled),
    CACHED,
    or_null("citations", List(&Map)),
];

const URL: Field = must("url", By(url));

fn url(faults: &mut Faults, at: At<'_>, value: &Value) {
    let url = text(value);
    let fine = url.starts_with("https://") || url.starts_with("http://");
    faults.unless(fine, at, "must be an address on the web");
}

const IMAGE: &[Field] = &[
    must(
        "source",
        Tagged(
            "type",
            &[
                (
                    "base64",
                    &[must("media_type", OneOf(&PICTURES)), must("data", Base64)],
                ),
                ("url", &[URL]),
                ("file", &[must("file_id", Filled)]),
            ],
        ),
    ),
    CACHED,
    or_null("transformations", Map),
];

const DOCUMENT: &[Field] = &[
    must(
        "source",
        Tagged(
            "type",
            &[
                (
                    "base64",
                    &[
                        must("media_type", OneOf(&["application/pdf"])),
                        must("data", Base64),
                    ],
                ),
                (
                    "text",
                    &[
                        must("media_type", OneOf(&["text/plain"])),
                        must("data", Filled),
                    ],
                ),
                (
                    "content",
                    &[must(
                        "content",
                        Either(&[
                            Filled,
                            Filling(&Tagged("type", &[("text", TEXT), ("image", IMAGE)])),
                        ]),
                    )],
                ),
                ("url", &[URL]),
                ("file", &[must("file_id", Filled)]),
            ],
        ),
    ),
    CACHED,
    or_null("title", Shape::Short(500)),
    or_null("context", Filled),
    or_null("citations", Object(&[may("enabled", Bool)])),
];

const FOUND: &[Field] = &[
    must("source", Filled),
    must("title", Filled),
    must("content", Filling(&Tagged("type", &[("text", TEXT)]))),
    CACHED,
    may("citations", Object(&[may("enabled", Bool)])),
];

/// What a tool gives back.
const RESULT: &[Field] = &[
    must("tool_use_id", Name(200)),
    may("content", Either(&[Filled, Filling(&IN_RESULT)])),
    may("is_error", Bool),
    CACHED,
    or_null("toolset_name", Filled),
];

const IN_RESULT: Shape = Tagged(
    "type",
    &[
        ("text", TEXT),
        ("image", IMAGE),
        ("document", DOCUMENT),
        ("search_result", FOUND),
        ("tool_reference", &[must("tool_name", Filled), CACHED]),
        (
            "browser_state",
            &[
                must("tabs", List(&Map)),
                CACHED,
                or_null("state_changes", List(&Map)),
            ],
        ),
    ],
);

const CALLER: Field = may("caller", Map);

/// What a tool of the provider gave; it is sent back as it came.
const SERVED: &[Field] = &[
    must("tool_use_id", By(server_id)),
    must("content", Any),
    CACHED,
    CALLER,
];

fn server_id(faults: &mut Faults, at: At<'_>, value: &Value) {
    let rest = text(value).strip_prefix("srvtoolu_");
    let fine = rest.is_some_and(|rest| {
        !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    faults.unless(fine, at, "must be `srvtoolu_` and letters, digits and `_`");
}

/// Blocks of the system text.
pub(super) const SYSTEM: Shape = Tagged("type", &[("text", TEXT)]);

/// Blocks of the user.
pub(super) const USER: Shape = Tagged(
    "type",
    &[
        ("text", TEXT),
        ("image", IMAGE),
        ("document", DOCUMENT),
        ("search_result", FOUND),
        ("tool_result", RESULT),
        ("container_upload", &[must("file_id", Filled), CACHED]),
    ],
);

/// Blocks of the model.
pub(super) const ASSISTANT: Shape = Tagged(
    "type",
    &[
        ("text", TEXT),
        ("document", DOCUMENT),
        (
            "thinking",
            &[must("thinking", Text), must("signature", Filled)],
        ),
        ("redacted_thinking", &[must("data", Filled)]),
        (
            "tool_use",
            &[
                must("id", Name(200)),
                must("name", Name(200)),
                must("input", Map),
                CACHED,
                CALLER,
                or_null("toolset_name", Filled),
            ],
        ),
        (
            "server_tool_use",
            &[
                must("id", By(server_id)),
                must(
                    "name",
                    OneOf(&[
                        "web_search",
                        "web_fetch",
                        "code_execution",
                        "bash_code_execution",
                        "text_editor_code_execution",
                        "tool_search_tool_regex",
                        "tool_search_tool_bm25",
                    ]),
                ),
                must("input", Map),
                CACHED,
                CALLER,
            ],
        ),
        ("web_search_tool_result", SERVED),
        ("web_fetch_tool_result", SERVED),
        ("code_execution_tool_result", SERVED),
        ("bash_code_execution_tool_result", SERVED),
        ("text_editor_code_execution_tool_result", SERVED),
        ("tool_search_tool_result", SERVED),
    ],
);
