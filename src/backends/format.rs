//! The form that an answer must have, taken apart.

use serde_json::Value;

/// What is wanted of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Wanted {
    /// Any JSON object.
    Json,
    Schema {
        /// How the provider may call it.
        name: String,
        schema: Value,
    },
}

/// Reads the form of a question; a top `name` of a schema names it and is not part of it.
pub(super) fn wanted(format: &Value) -> Wanted {
    let Value::Object(fields) = format else {
        return Wanted::Json;
    };
    let mut schema = fields.clone();
    let name = match schema.get("name") {
        Some(Value::String(_)) => schema.shift_remove("name"),
        Some(_) | None => None,
    };
    if schema.is_empty() {
        return Wanted::Json;
    }
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut name: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .take(64)
        .collect();
    if name.is_empty() {
        "answer".clone_into(&mut name);
    }
    Wanted::Schema {
        name,
        schema: Value::Object(schema),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Wanted, wanted};

    #[test]
    fn a_schema_has_a_name_that_every_provider_takes() {
        let named = |name: &str| Wanted::Schema {
            name: name.to_owned(),
            schema: json!({"type": "object"}),
        };
        assert_eq!(wanted(&json!({"type": "object"})), named("answer"));
        assert_eq!(
            wanted(&json!({"type": "object", "name": "a person"})),
            named("a_person")
        );
        assert_eq!(wanted(&json!("json")), Wanted::Json);
        assert_eq!(wanted(&json!({"name": "x"})), Wanted::Json);
    }
}
