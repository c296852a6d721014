//! Schemas that are made to cost much.

use serde_json::{Map, Value, json};

use super::{DIALECTS, Dialect, fitted, lines, schema};

/// The size of a schema in bytes.
fn size(schema: &Value) -> usize {
    schema.to_string().len()
}

#[test]
fn references_that_double_thirty_times_stay_small() {
    let mut definitions = Map::new();
    for level in 0..30 {
        let next = json!({"$ref": format!("#/$defs/%6c{}", level + 1)});
        definitions.insert(
            format!("l{level}"),
            json!({"type": "object", "properties": {"a": next, "b": next}, "allOf": [next, next]}),
        );
    }
    definitions.insert("l30".into(), json!({"type": "string"}));
    let bomb = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/l0"}}, "$defs": definitions});
    for dialect in DIALECTS {
        let fit = fitted(&bomb, dialect);
        assert!(
            size(&fit.schema) < 2_000_000,
            "{dialect:?}: {}",
            size(&fit.schema)
        );
        assert!(fit.changes.len() <= 101, "{dialect:?}");
    }
}

#[test]
fn branches_at_the_top_that_multiply_stay_small() {
    let mut definitions = Map::new();
    for level in 0..30 {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        let name = format!("p{level}");
        definitions.insert(
            format!("l{level}"),
            json!({"anyOf": vec![next; 20], "properties": {name: {"type": "string"}}}),
        );
    }
    definitions.insert("l30".into(), json!({"type": "object"}));
    let bomb = json!({"$ref": "#/$defs/l0", "$defs": definitions});
    for dialect in DIALECTS {
        assert!(size(&schema(&bomb, dialect)) < 2_000_000, "{dialect:?}");
    }
}

#[test]
fn a_long_chain_of_references_does_not_overflow() {
    let mut definitions = Map::new();
    for link in 0..20_000 {
        let next = json!({"$ref": format!("#/$defs/l%{:02x}{}", b'_', link + 1)});
        definitions.insert(format!("l_{link}"), next);
    }
    let chain = json!({"$ref": "#/$defs/l_0", "$defs": definitions});
    for dialect in DIALECTS {
        schema(&chain, dialect);
    }
}

#[test]
fn ten_thousand_levels_do_not_overflow() {
    // The nest itself is dropped on a stack that is large enough for it.
    let test = || {
        let one =
            |key: &str, inner: Value| Value::Object(Map::from_iter([(key.to_owned(), inner)]));
        let deep = |key: &str, leaf: Value| {
            (0..10_000).fold(leaf, |inner, _| match key {
                "properties" => one(key, one("a", inner)),
                "anyOf" => one(key, Value::Array(vec![inner])),
                _ => one(key, inner),
            })
        };
        for key in [
            "properties",
            "anyOf",
            "items",
            "allOf",
            "not",
            "default",
            "contains",
            "if",
        ] {
            let nest = deep(key, json!({"type": "string"}));
            let data = one("const", deep(key, json!(1)));
            for dialect in DIALECTS {
                assert!(size(&schema(&nest, dialect)) < 20_000, "{dialect:?} {key}");
                assert!(size(&schema(&data, dialect)) < 20_000, "{dialect:?} {key}");
            }
            super::super::is_strict(&nest);
        }
    };
    let thread = std::thread::Builder::new().stack_size(64 << 20).spawn(test);
    thread.unwrap().join().unwrap();
}

#[test]
fn recursion_is_opened_where_references_are_refused_and_stays_where_they_are_taken() {
    let tree = json!({
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["name"],
        }},
    });
    let given = fitted(&tree, Dialect::GeminiTool);
    assert_eq!(
        given.schema,
        json!({"type": "object", "properties": {"root": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "children": {"type": "array", "items": {"type": "object"}},
            },
            "required": ["name"],
        }}})
    );
    assert_eq!(
        lines(&given),
        [
            "at /properties/root/$ref: is put in place",
            "at /properties/root/properties/children/items/$ref: leads back to a schema that it \
             is in, so anything fits",
        ]
    );
    for dialect in [
        Dialect::OpenAiTool,
        Dialect::AnthropicTool,
        Dialect::Grammar,
    ] {
        assert_eq!(fitted(&tree, dialect).schema, tree);
    }
}

#[test]
fn what_is_no_schema_is_left_open() {
    for odd in [
        json!(null),
        json!(3),
        json!("x"),
        json!([]),
        json!(true),
        json!(false),
    ] {
        for dialect in DIALECTS {
            assert!(schema(&odd, dialect).is_object(), "{dialect:?} {odd}");
            schema(
                &json!({"properties": odd, "anyOf": odd, "type": odd, "enum": odd}),
                dialect,
            );
            schema(
                &json!({"items": odd, "required": odd, "$ref": odd, "$defs": odd}),
                dialect,
            );
        }
    }
}
