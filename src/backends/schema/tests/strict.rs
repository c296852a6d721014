//! Which schemas can be sent as strict.

use serde_json::{Value, json};

use super::super::is_strict;
use super::{Dialect, schema};

fn with(property: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {"a": property},
        "required": ["a"],
        "additionalProperties": false,
    })
}

#[test]
fn the_strict_kind_is_told_from_the_rest() {
    for (property, strict) in [
        (json!({"type": "string"}), true),
        (
            json!({"type": ["string", "null"], "enum": ["a", null]}),
            true,
        ),
        (json!({"type": "string", "pattern": "^a"}), true),
        (json!({"type": "string", "format": "email"}), true),
        (json!({"type": "string", "format": "uri"}), false),
        (json!({"type": "string", "minLength": 3}), false),
        (
            json!({"type": "integer", "minimum": 3, "multipleOf": 2}),
            true,
        ),
        (
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
            true,
        ),
        (json!({"type": "array"}), false),
        (
            json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true}),
            false,
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
            true,
        ),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
            false,
        ),
        (json!({"allOf": [{"type": "string"}]}), false),
        (json!({"not": {"type": "string"}}), false),
        (json!({"$ref": "#"}), true),
        (json!({"$ref": "#/$defs/none"}), false),
        (json!({"$ref": "#", "description": "again"}), false),
        (json!({}), false),
        (json!(true), false),
        (json!({"type": "string", "default": "x"}), false),
        (json!({"type": "object"}), false),
        (with(&json!({"type": "string"})), true),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}},
            "additionalProperties": false}),
            false,
        ),
        (
            json!({"type": "object", "properties": {}, "required": [],
            "additionalProperties": false}),
            true,
        ),
    ] {
        assert_eq!(is_strict(&with(&property)), strict, "{property}");
    }
    let named = json!({"type": "object", "properties": {"minLength": {"type": "string"}},
        "required": ["minLength"], "additionalProperties": false});
    assert!(is_strict(&named), "names of properties are no keywords");
}

#[test]
fn the_top_is_an_object_and_not_too_deep() {
    assert!(!is_strict(&json!({"type": "string"})));
    assert!(!is_strict(
        &json!({"anyOf": [with(&json!({"type": "string"}))]})
    ));
    let nest = |levels: usize| (0..levels).fold(json!({"type": "null"}), |inner, _| with(&inner));
    assert!(is_strict(&nest(10)));
    assert!(!is_strict(&nest(11)));
}

#[test]
fn what_means_the_same_becomes_strict() {
    let tag = |name: &str| {
        json!({
            "type": "object",
            "properties": {"kind": {"type": "string", "const": name}},
            "required": ["kind"],
            "additionalProperties": false,
        })
    };
    let original = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": "#/$defs/Top",
        "$defs": {
            "Top": with(&json!({
                "allOf": [{"$ref": "#/$defs/Pet"}],
                "description": "the pet",
                "examples": [],
            })),
            "Pet": {"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]},
            "Cat": tag("cat"),
            "Dog": tag("dog"),
        },
    });
    let given = schema(&original, Dialect::OpenAiStrict);
    assert!(is_strict(&given), "{given}");
    assert_eq!(
        given["properties"]["a"],
        json!({
            "description": "the pet",
            "anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
        })
    );
    let open = with(&json!({"oneOf": [{"type": "number"}, {"type": "integer"}]}));
    assert_eq!(
        schema(&open, Dialect::OpenAiStrict),
        open,
        "both may fit, so it stays"
    );
}
