//! Arguments whose form alone is off, mended.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, Validator};
use serde_json::Value;

/// Reads texts as what the schema wants and leaves out each `null` that does not fit. Whether the
/// result fits is for the caller to check.
pub(super) fn mend(validator: &Validator, mut arguments: Value) -> Value {
    let repairs: Vec<(String, Option<Value>)> = validator
        .iter_errors(&arguments)
        .filter_map(|error| match (error.kind(), error.instance().as_ref()) {
            (ValidationErrorKind::Type { kind }, Value::String(text)) => {
                let meant = serde_json::from_str(text.trim()).ok()?;
                // A text that is wanted as text is never at fault, so what it holds is meant.
                admits(kind, &meant).then(|| (error.instance_path().to_string(), Some(meant)))
            }
            (
                ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::OneOfNotValid { .. },
                Value::String(text),
            ) => {
                let meant = serde_json::from_str(text.trim()).ok()?;
                Some((error.instance_path().to_string(), Some(meant)))
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
