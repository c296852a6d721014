//! What is passed on, what is mended and what is told.

use serde_json::json;

use super::*;

fn checked(schema: &Value, arguments: &Value) -> Result<Value, String> {
    check(&compile(schema).unwrap(), object(arguments.clone())).map(Value::Object)
}

fn add() -> Value {
    json!({
        "type": "object",
        "properties": {
            "a": {"type": "number"},
            "b": {"type": "integer"},
            "how": {"enum": ["plain", "round"]},
            "list": {"type": ["array", "null"], "items": {"type": "integer"}},
            "note": {"type": "string"},
        },
        "required": ["a", "b"],
        "additionalProperties": false,
    })
}

#[test]
fn what_fits_is_passed_on() {
    for arguments in [
        json!({"a": 1.5, "b": 2}),
        json!({"b": 1, "a": 2, "how": "round", "list": null, "note": "7"}),
    ] {
        assert_eq!(checked(&add(), &arguments), Ok(arguments));
    }
}

#[test]
fn plain_meanings_are_mended() {
    assert_eq!(
        checked(
            &add(),
            &json!({"a": "1.5", "b": " 2 ", "list": "[1, 2]", "note": null})
        ),
        Ok(json!({"a": 1.5, "b": 2, "list": [1, 2]}))
    );
}

#[test]
fn one_of_several_forms_is_mended_and_told() {
    let schema = json!({
        "type": "object",
        "properties": {
            "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "range": {"anyOf": [{"$ref": "#/$defs/range"}, {"type": "string"}]},
            "choice": {"oneOf": [{"const": 1}, {"const": 2}]},
        },
        "$defs": {"range": {
            "type": "object",
            "properties": {"from": {"type": "integer"}},
            "required": ["from", "to"],
        }},
    });
    assert_eq!(
        checked(
            &schema,
            &json!({"limit": "5", "range": "all", "choice": "2"})
        ),
        Ok(json!({"limit": 5, "range": "all", "choice": 2}))
    );
    assert_eq!(
        checked(
            &schema,
            &json!({"limit": "many", "range": {"from": "x"}, "choice": 3})
        ),
        Err([
            r#"- the input `limit` must be of type integer or null, and it is "many""#,
            "- the input `range.to` is missing",
            r#"- the input `range.from` must be of type integer, and it is "x""#,
            "- the input `choice` has none of the forms that it may have, and it is 3",
        ]
        .join("\n"))
    );
}

#[test]
fn nothing_is_guessed() {
    assert_eq!(
        checked(&add(), &json!({"a": "one", "b": "2", "how": "up", "c": 1})),
        Err([
            r#"- the input `a` must be of type number, and it is "one""#,
            r#"- the input `b` must be of type integer, and it is "2""#,
            r#"- the input `how` must be one of ["plain","round"], and it is "up""#,
            "- the input `c` is no input of this tool",
        ]
        .join("\n"))
    );
    assert_eq!(
        checked(&add(), &json!({})),
        Err("- the input `a` is missing\n- the input `b` is missing".to_owned())
    );
    assert_eq!(
        checked(&add(), &json!({"a": null, "b": 1, "list": [1, "x"]})),
        Err([
            "- the input `a` must be of type number, and it is null",
            r#"- the input `list.1` must be of type integer, and it is "x""#,
        ]
        .join("\n"))
    );
}

#[test]
fn long_values_are_shortened_between_characters() {
    let told = checked(&add(), &json!({"a": "名".repeat(500), "b": 1})).unwrap_err();
    assert_eq!(
        told,
        format!(
            "- the input `a` must be of type number, and it is \"{}...",
            "名".repeat(79)
        )
    );
}

#[test]
fn schemas_are_told_apart() {
    assert_eq!(
        compile(&json!({"type": "object", "required": true})).unwrap_err(),
        SchemaFault::Invalid("at /required: true is not of type \"array\"".to_owned())
    );
    assert!(matches!(
        compile(&json!({"type": "object", "$ref": "https://localhost/schema.json"})),
        Err(SchemaFault::Unchecked(_))
    ));
}
