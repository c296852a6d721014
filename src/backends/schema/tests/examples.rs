//! One example for each thing that is rewritten.

use serde_json::{Value, json};

use super::{Dialect, fitted, lines, schema};

/// Checks what becomes of the property `p` of a tool or an answer.
fn property(dialect: Dialect, from: &Value, to: &Value) {
    let around = |inner: &Value| match dialect {
        Dialect::AnthropicStrict => json!({"type": "object", "properties": {"p": inner},
            "required": ["p"], "additionalProperties": false}),
        Dialect::OpenAiTool
        | Dialect::OpenAiStrict
        | Dialect::Answer
        | Dialect::AnthropicTool
        | Dialect::GeminiTool
        | Dialect::GeminiAnswer
        | Dialect::BedrockTool
        | Dialect::OllamaTool
        | Dialect::Grammar => {
            json!({"type": "object", "properties": {"p": inner}, "required": ["p"]})
        }
    };
    assert_eq!(
        schema(&around(from), dialect),
        around(to),
        "{dialect:?}: {from}"
    );
}

#[test]
fn what_an_api_takes_is_sent_as_it_is() {
    let all = json!({
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "minLength": 3, "pattern": "(?=x)", "default": "x"},
            "b": {"oneOf": [{"const": 1}, {"type": "array", "items": {"$ref": "#/$defs/D"}}]},
            "c": {"if": {"type": "string"}, "then": {"format": "odd"}, "not": {"enum": [{}]}},
        },
        "patternProperties": {"^x": {"allOf": [{"type": "number"}]}},
        "unevaluatedProperties": false,
        "x-vendor": {"kept": true},
        "$defs": {"D": {"type": "integer"}},
    });
    for dialect in [Dialect::OpenAiTool, Dialect::AnthropicTool, Dialect::Answer] {
        let given = fitted(&all, dialect);
        assert_eq!(
            (given.schema, given.changes),
            (all.clone(), Vec::new()),
            "{dialect:?}"
        );
    }
}

#[test]
fn bounds_are_told_where_they_are_refused() {
    let from = json!({"type": "integer", "description": "how many", "minimum": 3,
        "exclusiveMaximum": 9, "multipleOf": 2, "default": 4});
    let rest = |description: &str| json!({"type": "integer", "description": description});
    let told = "how many (at least 3, less than 9, a multiple of 2, default 4)";
    property(Dialect::OllamaTool, &from, &rest(told));
    let mut anthropic = rest("how many (at least 3, less than 9, a multiple of 2)");
    anthropic["default"] = 4.into();
    property(Dialect::AnthropicStrict, &from, &anthropic);
    let mut gemini = rest("how many (less than 9, a multiple of 2, default 4)");
    gemini["minimum"] = 3.into();
    property(Dialect::GeminiTool, &from, &gemini);
    property(
        Dialect::GeminiTool,
        &json!({"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^a", "format": "uri"}),
        &json!({"type": "string", "description":
            "(at least 1 character, at most 5 characters, matching `^a`, format uri)"}),
    );
    property(
        Dialect::AnthropicStrict,
        &json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": true}),
        &json!({"type": "array", "items": {"type": "string"},
            "description": "(at least 2 items, no item twice)"}),
    );
}

#[test]
fn fixed_values_are_said_as_each_api_can() {
    property(
        Dialect::GeminiTool,
        &json!({"const": "a"}),
        &json!({"enum": ["a"]}),
    );
    property(
        Dialect::AnthropicTool,
        &json!({"const": "a"}),
        &json!({"const": "a"}),
    );
    property(
        Dialect::GeminiTool,
        &json!({"enum": ["a", 1, null]}),
        &json!({"anyOf": [{"enum": ["a", 1]}, {"type": "null"}]}),
    );
    property(
        Dialect::GeminiTool,
        &json!({"type": "boolean", "enum": [true]}),
        &json!({"type": "boolean", "description": "(one of true)"}),
    );
    property(
        Dialect::AnthropicStrict,
        &json!({"type": "string", "enum": ["a", {"$ref": "#/x"}]}),
        &json!({"type": "string", "description": r##"(one of "a", {"$ref":"#/x"})"##}),
    );
}

#[test]
fn names_are_no_keywords_and_data_is_no_schema() {
    let from = json!({
        "type": "object",
        "properties": {
            "$ref": {"type": "string"},
            "enum": {"type": "string"},
            "allOf": {"type": "array", "items": {"type": "string"}},
            "properties": {"type": "object", "properties": {"not": {"type": "string"}}},
        },
        "required": ["$ref", "enum"],
    });
    for dialect in super::DIALECTS {
        if dialect != Dialect::AnthropicStrict {
            property(dialect, &from, &from);
        }
    }
    let data = json!({"enum": [{"$ref": "#/nowhere", "allOf": [{"type": "x"}], "$schema": 1}]});
    property(Dialect::BedrockTool, &data, &data);
    property(Dialect::Grammar, &data, &data);
}

#[test]
fn references_are_put_in_place_with_what_stands_beside_them() {
    let from = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/odd%20~1name", "description": "mine"},
            "b": {"$ref": "#/definitions/B", "maxLength": 3},
            "c": {"$ref": "#anchored"},
            "d": {"$ref": "https://a.test/s", "type": "string"},
        },
        "$defs": {
            "odd /name": {"type": "string", "description": "theirs"},
            "c": {"$anchor": "anchored", "type": "null"},
        },
        "definitions": {"B": {"type": "string", "maxLength": 5}},
    });
    let given = fitted(&from, Dialect::BedrockTool);
    assert_eq!(
        given.schema,
        json!({"type": "object", "properties": {
            "a": {"description": "mine", "type": "string"},
            "b": {"maxLength": 3, "type": "string"},
            "c": {"type": "null"},
            "d": {"type": "string"},
        }})
    );
    assert_eq!(
        lines(&given),
        [
            "at /$schema: is left out",
            "at /$defs/c/$anchor: is left out",
            "at /properties/a/$ref: is put in place",
            "at /properties/b/$ref: is put in place",
            "at /properties/c/$ref: is put in place",
            "at /properties/d: `$ref` is left out, since it leads to no place in this schema",
        ]
    );
}

#[test]
fn older_drafts_are_read_by_their_own_rules() {
    let from = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {
            "a": {"$ref": "#/definitions/A", "type": "null"},
            "b": {"type": "array", "items": [{"type": "string"}], "additionalItems": false},
        },
        "dependencies": {"a": ["b"], "b": {"required": ["a"]}},
        "definitions": {"A": {"minimum": 3, "exclusiveMinimum": true}},
    });
    assert_eq!(
        schema(&from, Dialect::AnthropicTool),
        json!({
            "type": "object",
            "properties": {
                "a": {"$ref": "#/definitions/A"},
                "b": {"type": "array", "prefixItems": [{"type": "string"}], "items": false},
            },
            "dependentRequired": {"a": ["b"]},
            "dependentSchemas": {"b": {"required": ["a"]}},
            "definitions": {"A": {"exclusiveMinimum": 3}},
        })
    );
}

#[test]
fn branches_at_the_top_of_a_tool_become_one_object() {
    let from = json!({
        "description": "moves",
        "oneOf": [
            {"$ref": "#/$defs/Up"},
            {"type": "object", "properties": {"kind": {"const": "down"}, "by": {"type": "number"},
                "fast": {"type": "boolean"}}, "required": ["kind"], "additionalProperties": false},
            {"type": "null"},
        ],
        "$defs": {"Up": {"type": "object", "properties": {"kind": {"const": "up"},
            "by": {"type": "number"}}, "required": ["kind", "by"], "additionalProperties": false}},
    });
    assert_eq!(
        schema(&from, Dialect::GeminiTool),
        json!({
            "description": "moves",
            "type": "object",
            "properties": {
                "kind": {"enum": ["up", "down"]},
                "by": {"type": "number"},
                "fast": {"type": "boolean"},
            },
            "required": ["kind"],
            "additionalProperties": false,
        })
    );
    let either = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    assert_eq!(
        schema(&either, Dialect::AnthropicTool),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}})
    );
    assert_eq!(
        schema(&json!({}), Dialect::OpenAiTool),
        json!({"type": "object", "properties": {}})
    );
}

#[test]
fn the_top_of_bedrock_has_only_its_properties() {
    let from = json!({"title": "T", "description": "d", "type": "object", "properties": {
        "a": {"type": "object", "additionalProperties": false}}, "required": ["a"],
        "additionalProperties": false});
    assert_eq!(
        schema(&from, Dialect::BedrockTool),
        json!({"type": "object", "properties": {
            "a": {"type": "object", "additionalProperties": false}}, "required": ["a"]})
    );
}

#[test]
fn unions_are_said_as_each_api_can() {
    let types = json!({"type": ["string", "integer", "null"], "maxItems": 3, "minimum": 1});
    property(
        Dialect::GeminiTool,
        &types,
        &json!({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 1}, {"type": "null"}]}),
    );
    let nullable = json!({"type": ["string", "null"]});
    property(Dialect::GeminiTool, &nullable, &nullable);
    let one_of = json!({"oneOf": [{"type": "string"}, {"type": "number"}]});
    let any_of = json!({"anyOf": [{"type": "string"}, {"type": "number"}]});
    property(Dialect::AnthropicStrict, &one_of, &any_of);
    property(Dialect::OllamaTool, &one_of, &any_of);
    property(Dialect::OpenAiTool, &one_of, &one_of);
    property(
        Dialect::AnthropicStrict,
        &json!({"allOf": [{"type": "string"}, {"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}),
        &json!({"type": "string", "enum": ["b"]}),
    );
}

#[test]
fn lists_and_objects_say_what_their_api_wants() {
    let list = json!({"type": "array"});
    property(
        Dialect::OpenAiTool,
        &list,
        &json!({"type": "array", "items": {}}),
    );
    property(Dialect::Answer, &list, &list);
    let places = json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}],
        "items": false});
    property(
        Dialect::GeminiTool,
        &places,
        &json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "null"}], "maxItems": 2}),
    );
    property(
        Dialect::OllamaTool,
        &places,
        &json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}),
    );
    let open = json!({"type": "object", "properties": {"a": {}}});
    let given = fitted(&open, Dialect::AnthropicStrict);
    assert_eq!(
        given.schema,
        json!({"type": "object",
            "properties": {"a": {"type": ["string", "number", "boolean", "null"]}},
            "additionalProperties": false})
    );
    assert_eq!(
        lines(&given),
        [
            "at /properties/a: takes plain values only, since the API has no word for any value",
            "at its top: has no further properties, since the API takes only such objects",
        ]
    );
}

#[test]
fn grammars_get_patterns_and_repetitions_that_can_be_written_out() {
    property(
        Dialect::Grammar,
        &json!({"type": "string", "pattern": "a+", "maxLength": 10_000}),
        &json!({"type": "string", "description": "(matching `a+`, at most 10000 characters)"}),
    );
    let fine = json!({"type": "string", "pattern": "^a+$", "maxLength": 10});
    property(Dialect::Grammar, &fine, &fine);
    for refused in ["^(?=a)$", r"^\ba$", r"^(a)\1$", r"^\p{L}$"] {
        property(
            Dialect::Grammar,
            &json!({"type": "string", "pattern": refused}),
            &json!({"type": "string", "description": format!("(matching `{refused}`)")}),
        );
    }
}

#[test]
fn what_refuses_by_what_was_loosened_is_left_out() {
    // In a place that is negated, looser means stricter.
    let from = json!({"not": {"$ref": "https://a.test/s"}, "type": "string"});
    property(Dialect::OpenAiTool, &from, &json!({"type": "string"}));
    let kept = json!({"not": {"$ref": "#/$defs/N"}});
    let around = |n: Value| json!({"type": "object", "properties": {"p": kept}, "$defs": {"N": n}});
    let exact = around(json!({"type": "null"}));
    assert_eq!(schema(&exact, Dialect::OpenAiTool), exact);
    let loosened = schema(
        &around(json!({"type": "string", "$dynamicRef": "#x"})),
        Dialect::OpenAiTool,
    );
    assert_eq!(loosened["properties"]["p"], json!({}));
}
