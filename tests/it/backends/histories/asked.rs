//! What is asked with a history: tools, the form of the answer, and parameters.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use scoutai::plan::Said;
use scoutai::tools::ToolDefinition;
use serde_json::{Map, Value, json};

use super::said::history;

/// A whole question, but for its provider.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) said: Vec<Said>,
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) format: Option<Value>,
    /// The option as it is written; the name of a tool where that is offered.
    pub(super) choice: Option<String>,
    pub(super) parameters: Map<String, Value>,
    pub(super) web_search: bool,
    pub(super) stream: bool,
    /// Whether the conversation is kept, and goes on from its last answer.
    pub(super) kept: bool,
}

/// Schemas of tools that people write, and generators of schemas do.
fn schemas() -> Vec<Value> {
    let tree = json!({"type": "object", "properties": {"left": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}}});
    vec![
        json!({"type": "object", "properties": {}}),
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"x": {"type": "integer", "minimum": 0},
            "y": {"type": ["string", "null"], "format": "uri", "maxLength": 9}},
            "required": ["x"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"type": "array", "minItems": 2,
            "items": {"oneOf": [{"type": "string"}, {"const": 5}]}}, "e": {"enum": [1, "b", null]}},
            "patternProperties": {"^x-": {"type": "string"}}, "minProperties": 1}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "T",
            "type": "object", "properties": {"p": {"$ref": "#/definitions/p"}},
            "definitions": {"p": {"type": "object", "properties": {"q": {"type": "string",
                "default": "z", "examples": ["y"]}}}}}),
        tree,
        json!({}),
        json!({"properties": {"x": true, "y": {"type": ["integer", "string"]}}}),
        json!({"anyOf": [{"type": "object", "properties": {"x": {"type": "string"}},
            "required": ["x"]}, {"type": "object", "properties": {"y": {"const": 1}}}]}),
        json!({"type": "object", "properties": {"x": {"allOf": [{"type": "string"},
            {"minLength": 1}], "not": {"const": "z"}}, "l": {"type": "array",
            "prefixItems": [{"type": "number", "exclusiveMinimum": 0}], "uniqueItems": true}},
            "dependentRequired": {"x": ["l"]}, "if": {"required": ["x"]}, "then": {}}),
    ]
}

fn tools() -> impl Strategy<Value = Vec<ToolDefinition>> {
    let names = vec!["add", "neg", "save", "other-tool_1"];
    let schemas = proptest::collection::vec(select(schemas()), 4);
    let told = select(vec!["Adds.", "", "那 \"x\"\n"]);
    (proptest::sample::subsequence(names, 0..4), schemas, told).prop_map(
        |(names, schemas, told)| {
            names
                .into_iter()
                .zip(schemas)
                .map(|(name, schema)| ToolDefinition::new(name, told, schema))
                .collect()
        },
    )
}

fn format() -> impl Strategy<Value = Value> {
    select(vec![
        json!("json"),
        json!({"type": "object", "properties": {"n": {"type": "integer"}},
            "required": ["n"], "additionalProperties": false}),
        json!({"name": "a person", "type": "object", "properties": {"n": {"type": "string"},
            "m": {"anyOf": [{"type": "null"}, {"type": "number"}]}},
            "required": ["n", "m"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0,
            "multipleOf": 2}, "t": {"$ref": "#/$defs/t"}, "l": {"type": "array",
            "items": {"type": "string", "maxLength": 3}, "minItems": 2, "uniqueItems": true}},
            "$defs": {"t": {"type": "object", "properties": {"u": {"oneOf": [
                {"type": "string", "format": "uri"}, {"type": "null"}]}}}}, "required": ["n"]}),
        json!({"type": "array", "items": {"type": "string"}}),
    ])
}

/// Parameters that every provider has, or that are left out where it has not.
fn parameters() -> impl Strategy<Value = Map<String, Value>> {
    let one = |name: &'static str, values: Vec<Value>| {
        option::weighted(0.25, select(values)).prop_map(move |value| Some((name, value?)))
    };
    (
        one("max_tokens", vec![json!(1), json!(1024), json!(9000)]),
        one(
            "reasoning_effort",
            ["none", "minimal", "low", "medium", "high"]
                .map(Value::from)
                .to_vec(),
        ),
        one("reasoning_budget", vec![json!(0), json!(100), json!(4096)]),
        one("reasoning_summary", vec![json!("auto")]),
        one("parallel_tool_calls", vec![json!(true), json!(false)]),
        one("stop", vec![json!("END"), json!(["A", "B"])]),
        one("seed", vec![json!(7)]),
        one("prompt_cache", vec![json!("1h"), json!("5m"), json!("off")]),
        one("verbosity", vec![json!("low")]),
    )
        .prop_map(|(a, b, c, d, e, f, g, h, i)| {
            [a, b, c, d, e, f, g, h, i]
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        })
}

/// Any question, with reasoning of these providers in its history.
pub(super) fn case(providers: &'static [&'static str]) -> impl Strategy<Value = Case> {
    let choice = select(vec!["auto", "none", "required", "(first)"]);
    (
        history(providers),
        tools(),
        option::weighted(0.2, format()),
        option::weighted(0.4, choice),
        parameters(),
        proptest::bool::weighted(0.25),
        any::<bool>(),
        proptest::bool::weighted(0.2),
    )
        .prop_map(
            |(said, tools, format, choice, parameters, web_search, stream, kept)| {
                let first = tools.first().map(|tool| tool.name.0.clone());
                Case {
                    choice: choice.and_then(|choice| match choice {
                        "(first)" => first,
                        word => Some(word.to_owned()),
                    }),
                    said,
                    tools,
                    format,
                    parameters,
                    web_search,
                    stream,
                    kept,
                }
            },
        )
}
