//! Arguments against a schema: checked, mended where only the form is off, and told in plain words.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::{Map, Value};

/// The most faults that are told of one call.
const TOLD: usize = 10;

/// The most characters of a value that are shown.
const SHOWN: usize = 80;

/// Why a schema cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaFault {
    /// It breaks the rules for schemas, so that a provider refuses every request that holds it.
    Invalid(String),
    /// It follows the rules, but it cannot be checked against here, such as with a `$ref` to
    /// another document: nothing is fetched for a check.
    Unchecked(String),
}

/// Prepares the check of a tool's arguments.
pub(super) fn compile(schema: &Value) -> Result<Validator, SchemaFault> {
    let refused = |error: ValidationError<'_>| {
        if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
            return SchemaFault::Unchecked(error.to_string());
        }
        let place = error.instance_path().as_str();
        let place = if place.is_empty() { "its top" } else { place };
        SchemaFault::Invalid(format!("at {place}: {}", short(&error.to_string())))
    };
    jsonschema::options()
        .offline()
        .build(schema)
        .map_err(refused)
}

/// Checks arguments, and gives them as the tool gets them.
///
/// Arguments that do not fit are mended where their meaning is plain and the mended ones fit as a
/// whole: a text that holds exactly the number, the truth value, the list or the object that the
/// schema wants is read as one, and a `null` for an input that may be missing is left out. Nothing
/// is guessed beyond that: what still does not fit is told to the model, one line for each fault.
pub(super) fn check(
    validator: &Validator,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let given = Value::Object(arguments);
    if validator.is_valid(&given) {
        return Ok(object(given));
    }
    let mended = mend(validator, given.clone());
    if validator.is_valid(&mended) {
        return Ok(object(mended));
    }
    let mut told: Vec<String> = Vec::new();
    let mut further = 0;
    for error in validator.iter_errors(&given) {
        let line = words(&error);
        if told.contains(&line) {
            continue;
        }
        if told.len() < TOLD {
            told.push(line);
        } else {
            further += 1;
        }
    }
    if further > 0 {
        told.push(format!("- and {further} more"));
    }
    Err(told.join("\n"))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

fn mend(validator: &Validator, mut arguments: Value) -> Value {
    let repairs: Vec<(String, Option<Value>)> = validator
        .iter_errors(&arguments)
        .filter_map(|error| match (error.kind(), error.instance().as_ref()) {
            (ValidationErrorKind::Type { kind }, Value::String(text)) => {
                let meant = serde_json::from_str(text.trim()).ok()?;
                // A text that is wanted as text is never at fault, so what it holds is meant.
                admits(kind, &meant).then(|| (error.instance_path().to_string(), Some(meant)))
            }
            (_, Value::Null) => Some((error.instance_path().to_string(), None)),
            _ => None,
        })
        .collect();
    for (place, meant) in repairs {
        match meant {
            Some(meant) => {
                if let Some(value) = arguments.pointer_mut(&place) {
                    *value = meant;
                }
            }
            None => leave_out(&mut arguments, &place),
        }
    }
    arguments
}

fn leave_out(arguments: &mut Value, place: &str) {
    let Some((parent, field)) = place.rsplit_once('/') else {
        return;
    };
    if let Some(Value::Object(fields)) = arguments.pointer_mut(parent) {
        fields.shift_remove(&field.replace("~1", "/").replace("~0", "~"));
    }
}

fn admits(kind: &TypeKind, value: &Value) -> bool {
    let is = |wanted: JsonType| match wanted {
        JsonType::Null => value.is_null(),
        JsonType::Boolean => value.is_boolean(),
        JsonType::Integer => value.is_i64() || value.is_u64(),
        JsonType::Number => value.is_number(),
        JsonType::String => value.is_string(),
        JsonType::Array => value.is_array(),
        JsonType::Object => value.is_object(),
    };
    match kind {
        TypeKind::Single(wanted) => is(*wanted),
        TypeKind::Multiple(wanted) => wanted.iter().any(is),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the validator's own words do for the rarer kinds"
)]
fn words(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let of = |field: &str| input(&format!("{place}/{field}"));
    let this = input(place);
    let value = || short(&error.instance().to_string());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let field = property
                .as_str()
                .map_or_else(|| property.to_string(), str::to_owned);
            format!("- {} is missing", of(&field))
        }
        ValidationErrorKind::Type { kind } => {
            format!(
                "- {this} must be of type {}, and it is {}",
                types(kind),
                value()
            )
        }
        ValidationErrorKind::Enum { options } => {
            format!(
                "- {this} must be one of {}, and it is {}",
                short(&options.to_string()),
                value()
            )
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .map(|field| format!("- {} is no input of this tool", of(&short(field))))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => format!("- {this}: {}", short(&error.to_string())),
    }
}

/// Names an input by its path: `a`, or `a.0.b` for one inside another.
fn input(place: &str) -> String {
    let path = place.trim_start_matches('/').replace('/', ".");
    let path = path.replace("~1", "/").replace("~0", "~");
    if path.is_empty() {
        "the input as a whole".to_owned()
    } else {
        format!("the input `{path}`")
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(wanted) => wanted.to_string(),
        TypeKind::Multiple(wanted) => wanted
            .iter()
            .map(|one| one.to_string())
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

/// Shortens a value for a message, between characters.
fn short(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
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
}
