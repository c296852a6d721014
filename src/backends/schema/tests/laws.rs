//! What is true of every rewriting, for random schemas and values of one small world.

use jsonschema::Validator;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any};
use proptest::sample::select;
use proptest::{prop_oneof, proptest};
use serde_json::{Map, Value, json};

use super::super::keywords::{Holds, holds};
use super::super::{Dialect, Effect, is_strict};
use super::{DIALECTS, fitted, for_tools};

const NAMES: [&str; 4] = ["a", "b", "enum", "$ref"];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(vec!["", "a", "bb", "2020-01-01"]).prop_map(Value::from),
        (-1i64..4).prop_map(Value::from),
        select(vec![0.5, 2.0]).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            object(inner),
        ]
    })
}

fn object(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    vec((select(NAMES.to_vec()), inner), 0..4).prop_map(|pairs| {
        let pairs = pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Value::Object(pairs.collect())
    })
}

fn plain_keyword() -> impl Strategy<Value = (&'static str, Value)> {
    let kinds = [
        "object", "object", "object", "array", "string", "integer", "number", "null",
    ];
    prop_oneof![
        select(kinds.to_vec()).prop_map(|kind| ("type", kind.into())),
        vec(select(kinds.to_vec()), 1..4).prop_map(|mut kinds| {
            kinds.sort_unstable();
            kinds.dedup();
            ("type", kinds.into())
        }),
        scalar().prop_map(|value| ("const", value)),
        vec(value(), 1..4).prop_map(|values| ("enum", values.into())),
        (
            select(vec![
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "minLength",
                "maxLength",
                "minItems",
                "maxItems",
                "minProperties",
                "maxProperties",
                "minContains",
                "maxContains",
            ]),
            0i64..3,
        )
            .prop_map(|(key, bound)| (key, Value::from(bound))),
        vec(select(NAMES.to_vec()), 1..3).prop_map(|mut names| {
            names.sort_unstable();
            names.dedup();
            ("required", names.into())
        }),
        Just(("$dynamicRef", "#/$defs/xy".into())),
        Just(("uniqueItems", true.into())),
        Just(("multipleOf", 2.into())),
        select(vec!["^a", "^b+$", "(?=a)"]).prop_map(|pattern| ("pattern", pattern.into())),
        Just(("format", "date".into())),
        Just(("format", "odd".into())),
        Just(("description", "words".into())),
        value().prop_map(|value| ("default", value)),
        Just(("dependentRequired", json!({"a": ["b"]}))),
        select(vec![
            "#/$defs/x",
            "#/$defs/y",
            "#/$defs/x%79",
            "#",
            "#/properties/a",
            "http://a/b",
        ])
        .prop_map(|place| ("$ref", place.into())),
        select(vec!["#/$defs/x", "#/$defs/y"]).prop_map(|place| ("$ref", place.into())),
    ]
}

fn made(pairs: Vec<(&'static str, Value)>) -> Value {
    let pairs = pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value));
    Value::Object(pairs.collect())
}

fn part() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => vec(plain_keyword(), 0..3).prop_map(made),
        1 => any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let named = vec((select(NAMES.to_vec()), inner.clone()), 1..4).prop_map(|pairs| {
            let pairs = pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value));
            Value::Object(pairs.collect())
        });
        let keyword = prop_oneof![
            3 => plain_keyword(),
            3 => (
                select(vec!["properties", "properties", "dependentSchemas", "patternProperties"]),
                named,
            )
                ,
            3 => (
                select(vec!["anyOf", "oneOf", "allOf", "prefixItems"]),
                vec(inner.clone(), 1..4),
            )
                .prop_map(|(key, list)| (key, list.into())),
            3 => (
                select(vec![
                    "items", "additionalProperties", "not", "if", "then", "else", "contains",
                    "propertyNames", "unevaluatedProperties", "unevaluatedItems",
                ]),
                inner,
            ),
            2 => Just(("additionalProperties", false.into())),
        ];
        vec(keyword, 1..5).prop_map(made)
    })
}

fn whole() -> impl Strategy<Value = Value> {
    (part(), part(), part()).prop_map(|(top, x, y)| {
        let mut top = top.as_object().cloned().unwrap_or_default();
        top.insert(
            "$defs".into(),
            json!({"x": x, "y": y, "xy": {"type": "string"}}),
        );
        Value::Object(top)
    })
}

fn validator(schema: &Value) -> Option<Validator> {
    jsonschema::options().offline().build(schema).ok()
}

/// Whether a reference leads back to itself with nothing in between, which a validator may follow
/// without end.
fn circles(schema: &Value) -> bool {
    fn reaches(node: &Value, root: &Value, left: usize) -> bool {
        let Value::Object(fields) = node else {
            return false;
        };
        if left == 0 {
            return true;
        }
        fields
            .iter()
            .any(|(key, value)| match (key.as_str(), value) {
                ("$ref", Value::String(place)) => {
                    let place = place.replace("%79", "y");
                    let target = place
                        .strip_prefix('#')
                        .and_then(|place| root.pointer(place));
                    target.is_some_and(|target| reaches(target, root, left - 1))
                }
                ("not" | "if" | "then" | "else", inner) => reaches(inner, root, left - 1),
                ("anyOf" | "oneOf" | "allOf", Value::Array(list)) => {
                    list.iter().any(|inner| reaches(inner, root, left - 1))
                }
                ("dependentSchemas", Value::Object(named)) => {
                    named.values().any(|inner| reaches(inner, root, left - 1))
                }
                _ => false,
            })
    }
    fn anywhere(node: &Value, root: &Value) -> bool {
        let inner = match node {
            Value::Object(fields) => fields.values().any(|inner| anywhere(inner, root)),
            Value::Array(list) => list.iter().any(|inner| anywhere(inner, root)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        inner || reaches(node, root, 20)
    }
    anywhere(schema, schema)
}

/// Each keyword of a schema and of those in it, without names and data.
fn keywords(schema: &Value, found: &mut Vec<(String, Value)>) {
    let Value::Object(fields) = schema else {
        found.push(("boolean".to_owned(), schema.clone()));
        return;
    };
    for (key, value) in fields {
        found.push((key.clone(), value.clone()));
        match (holds(key), value) {
            (Holds::Schema, Value::Bool(_)) if key == "additionalProperties" => {}
            (Holds::Schema, inner) => keywords(inner, found),
            (Holds::List, Value::Array(list)) => {
                for inner in list {
                    keywords(inner, found);
                }
            }
            (Holds::Named, Value::Object(named)) => {
                for inner in named.values() {
                    keywords(inner, found);
                }
            }
            (Holds::List | Holds::Named | Holds::Data, _) => {}
        }
    }
}

/// What no API of a kind may see, written down a second time.
fn refused(dialect: Dialect) -> &'static [&'static str] {
    const STRUCTURE: &[&str] = &[
        "$schema",
        "$id",
        "$ref",
        "$defs",
        "definitions",
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "dependentRequired",
        "dependentSchemas",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
        "contains",
        "minContains",
        "maxContains",
        "uniqueItems",
        "minProperties",
        "maxProperties",
        "multipleOf",
        "boolean",
    ];
    match dialect {
        Dialect::OpenAiStrict => &["$schema", "$id", "default", "examples"],
        Dialect::OpenAiTool | Dialect::Answer | Dialect::AnthropicTool => &["$schema", "$id"],
        Dialect::BedrockTool => &["$schema", "$ref", "$defs", "definitions", "allOf"],
        Dialect::AnthropicStrict
        | Dialect::GeminiTool
        | Dialect::GeminiAnswer
        | Dialect::OllamaTool => STRUCTURE,
        Dialect::Grammar => &[
            "$schema", "oneOf", "allOf", "not", "if", "contains", "boolean",
        ],
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_fitted_still_fits(
        original in whole(),
        values in vec(object(value()), 12),
        others in vec(value(), 6),
    ) {
        if circles(&original) {
            return Ok(());
        }
        let Some(before) = validator(&original) else {
            return Ok(());
        };
        for dialect in DIALECTS {
            let fit = fitted(&original, dialect);
            let after = validator(&fit.schema)
                .unwrap_or_else(|| panic!("{dialect:?} gives no schema: {}", fit.schema));
            let effects = |effect| fit.changes.iter().any(|change| change.effect == effect);
            if effects(Effect::Narrower) {
                assert!(dialect == Dialect::AnthropicStrict || for_tools(dialect));
                continue;
            }
            let others = others.iter().filter(|_| !for_tools(dialect));
            for value in values.iter().chain(others) {
                let (was, is) = (before.is_valid(value), after.is_valid(value));
                assert!(is || !was, "{dialect:?} refuses {value}: {}", fit.schema);
                if !effects(Effect::Looser) {
                    assert!(was || !is, "{dialect:?} takes {value}: {}", fit.schema);
                }
            }
        }
    }

    #[test]
    fn nothing_refused_is_left_and_a_second_rewriting_changes_nothing(original in whole()) {
        for dialect in DIALECTS {
            let fit = fitted(&original, dialect);
            let mut found = Vec::new();
            keywords(&fit.schema, &mut found);
            for (key, _) in &found {
                assert!(!refused(dialect).contains(&key.as_str()), "{dialect:?} keeps {key}: {}", fit.schema);
            }
            if for_tools(dialect) {
                let none = Map::new();
                let top = fit.schema.as_object().unwrap_or(&none);
                assert_eq!(top.get("type"), Some(&json!("object")));
                assert!(top["properties"].is_object());
                for key in ["$ref", "anyOf", "oneOf", "allOf", "not", "enum", "const"] {
                    assert!(!top.contains_key(key), "{dialect:?} keeps {key} at the top");
                }
            }
            if dialect == Dialect::OpenAiStrict && !is_strict(&fit.schema) {
                // What cannot be sent as strict is not sent in this form.
                continue;
            }
            let again = fitted(&fit.schema, dialect);
            assert_eq!(again.schema, fit.schema, "{dialect:?}");
        }
    }
}
