//! The fields of Converse.

use serde_json::{Map as Fields, Value};

use crate::strict::schema;
use crate::strict::shape::Shape::{
    Any, Base64, Bool, By, Filled, Int, List, Map, Name, Number, Object, OneOf, Short,
    Some as Filling, Text, Union,
};
use crate::strict::shape::{At, Faults, Field, Shape, may, must, text};

pub(super) const REQUEST: Shape = Object(&[
    must("messages", Filling(&By(message))),
    may("system", List(&SYSTEM)),
    may(
        "inferenceConfig",
        Object(&[
            may("maxTokens", Int(1, i64::MAX)),
            may("temperature", Number(0.0, 1.0)),
            may("topP", Number(0.0, 1.0)),
            may("stopSequences", List(&Filled)),
        ]),
    ),
    may(
        "toolConfig",
        Object(&[
            must("tools", Filling(&TOOL)),
            may(
                "toolChoice",
                Union(&[
                    may("auto", Object(&[])),
                    may("any", Object(&[])),
                    may("tool", Object(&[must("name", Name(64))])),
                ]),
            ),
        ]),
    ),
    may("outputConfig", Object(&OUTPUT)),
    may("guardrailConfig", Map),
    may("projectIdentifier", Filled),
    may("additionalModelRequestFields", Map),
    may("additionalModelResponseFieldPaths", List(&Filled)),
    may("promptVariables", Map),
    may("requestMetadata", Map),
    may(
        "performanceConfig",
        Object(&[may("latency", OneOf(&["standard", "optimized"]))]),
    ),
    may(
        "serviceTier",
        Object(&[must(
            "type",
            OneOf(&["priority", "default", "flex", "reserved"]),
        )]),
    ),
]);

const CACHE: Field = may(
    "cachePoint",
    Object(&[
        must("type", OneOf(&["default"])),
        may("ttl", OneOf(&["5m", "1h"])),
    ]),
);

const SYSTEM: Shape = Union(&[may("text", Filled), may("guardContent", Map), CACHE]);

const TOOL: Shape = Union(&[
    may(
        "toolSpec",
        Object(&[
            must("name", Name(64)),
            must(
                "inputSchema",
                Object(&[must("json", By(schema::of_plain_input))]),
            ),
            may("description", Filled),
            may("strict", Bool),
        ]),
    ),
    may("systemTool", Object(&[must("name", Name(64))])),
    CACHE,
]);

const OUTPUT: [Field; 2] = [
    may("effort", Short(16)),
    may(
        "textFormat",
        Object(&[
            must("type", OneOf(&["json_schema"])),
            must(
                "structure",
                Union(&[may(
                    "jsonSchema",
                    Object(&[
                        must("schema", By(schema_text)),
                        may("name", Name(64)),
                        may("description", Filled),
                    ]),
                )]),
            ),
        ]),
    ),
];

/// A schema is sent as text here.
fn schema_text(faults: &mut Faults, at: At<'_>, value: &Value) {
    match serde_json::from_str::<Fields<String, Value>>(text(value)) {
        Ok(schema) => schema::anthropic_strict(faults, at, &Value::Object(schema)),
        Err(_) => faults.add(at, "must be the text of a JSON schema"),
    }
}

fn message(faults: &mut Faults, at: At<'_>, message: &Value) {
    let shape = match text(&message["role"]) {
        "user" => USER,
        "assistant" => ASSISTANT,
        other => return faults.add(at, format_args!("`{other}` is no role of a message")),
    };
    shape.check(faults, at, message);
}

const ID: Field = must("toolUseId", Name(64));

const IMAGE: Field = may(
    "image",
    Object(&[
        must("format", OneOf(&["png", "jpeg", "gif", "webp"])),
        must("source", Union(&[BYTES, STORED])),
    ]),
);

const BYTES: Field = may("bytes", Base64);

const STORED: Field = may(
    "s3Location",
    Object(&[must("uri", Filled), may("bucketOwner", Filled)]),
);

const DOCUMENT: Field = may(
    "document",
    Object(&[
        may(
            "format",
            OneOf(&[
                "pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md",
            ]),
        ),
        must("name", By(document_name)),
        must(
            "source",
            Union(&[
                BYTES,
                STORED,
                may("text", Filled),
                may("content", Filling(&Object(&[must("text", Filled)]))),
            ]),
        ),
        may("context", Filled),
        may("citations", Object(&[must("enabled", Bool)])),
    ]),
);

fn document_name(faults: &mut Faults, at: At<'_>, value: &Value) {
    let name = text(value);
    let fine = |c: char| c.is_ascii_alphanumeric() || c == ' ' || "-()[]".contains(c);
    faults.unless(
        (1..=200).contains(&name.len()) && name.chars().all(fine) && !name.contains("  "),
        at,
        "may only hold letters, digits, single spaces, hyphens, parentheses and square brackets",
    );
}

const SEARCHED: Field = may("searchResult", Map);

const USER: Shape = Object(&[
    must("role", Text),
    must(
        "content",
        Filling(&Union(&[
            may("text", Filled),
            IMAGE,
            DOCUMENT,
            may("video", Map),
            may("audio", Map),
            may(
                "toolResult",
                Object(&[
                    ID,
                    must("content", Filling(&RESULT)),
                    may("status", OneOf(&["success", "error"])),
                    may("type", Filled),
                ]),
            ),
            may("guardContent", Map),
            CACHE,
            SEARCHED,
        ])),
    ),
]);

const RESULT: Shape = Union(&[
    may("text", Filled),
    may("json", Map),
    IMAGE,
    DOCUMENT,
    may("video", Map),
    SEARCHED,
]);

const ASSISTANT: Shape = Object(&[
    must("role", Text),
    must(
        "content",
        Filling(&Union(&[
            may("text", Filled),
            may(
                "toolUse",
                Object(&[
                    ID,
                    must("name", Name(64)),
                    must("input", Map),
                    may("type", OneOf(&["server_tool_use"])),
                ]),
            ),
            may(
                "reasoningContent",
                Union(&[
                    may(
                        "reasoningText",
                        Object(&[must("text", Text), may("signature", Filled)]),
                    ),
                    may("redactedContent", Base64),
                ]),
            ),
            may("citationsContent", Any),
            CACHE,
        ])),
    ),
]);
