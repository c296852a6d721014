//! The form that an answer must have: `json`, a JSON schema, or Scout's map of fields.

use serde_json::{Map, Value, json};

use super::faults::{Fault, value_at};
use super::setting::{Assigned, Assignment, Hold};
use crate::chat::{Message, Origin};

/// Reads the form of an answer.
pub struct Format;

/// The types of JSON schema, by which a map of fields is told from a schema.
const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

/// Keys of which a schema has at least one.
const SCHEMA_KEYS: [&str; 14] = [
    "type",
    "properties",
    "additionalProperties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "$ref",
    "$defs",
    "$schema",
];

impl Format {
    /// Types the text of a `format` directive.
    pub(super) fn read(message: &Message, text: &str) -> Result<Assignment, Fault> {
        let at = value_at(message);
        let value = match text {
            "" => {
                return Err(Fault::chat(at, "no-value", "`format` has no value")
                    .hint("write `json`, `text`, a JSON schema or the path of one"));
            }
            "nil" | "null" => Assigned::Value(Value::Null),
            "json" | "json_object" => Assigned::Value("json".into()),
            "text" => Assigned::Value("text".into()),
            _ if text.starts_with(['{', '[']) => match serde_json::from_str(text) {
                Ok(value) => Assigned::Value(Format::schema(value, &at)?),
                Err(error) => {
                    return Err(Fault::chat(
                        at,
                        "bad-json",
                        format!("the schema of `format` is not JSON: {error}"),
                    ));
                }
            },
            _ => Assigned::SchemaFile(text.to_owned()),
        };
        Ok(Assignment {
            key: "format".to_owned(),
            value,
            hold: Hold::UntilAnswer,
        })
    }

    /// Makes a JSON schema of what was given: a schema stays as it is, what providers wrap around
    /// one is taken off, and a map of fields becomes one. A top `name` names the schema.
    pub fn schema(value: Value, at: &Origin) -> Result<Value, Fault> {
        let wrong = |message: &str| {
            Fault::chat(at.clone(), "bad-schema", message)
                .hint("write a JSON schema, or a map such as `{\"town\": \"string\"}`")
        };
        let Value::Object(mut map) = value else {
            return Err(wrong("the schema of `format` is no JSON object"));
        };
        if let Some(inner @ Value::Object(_)) = map.get_mut("format") {
            return Format::schema(inner.take(), at);
        }
        if map.get("type").and_then(Value::as_str) == Some("json_schema") {
            // One API puts the schema beside its name, another both below `json_schema`.
            let mut wrapped = match map.remove("json_schema") {
                Some(Value::Object(wrapped)) => wrapped,
                Some(_) | None => map,
            };
            let Some(Value::Object(mut schema)) = wrapped.remove("schema") else {
                return Err(wrong("the format has type `json_schema` and no `schema`"));
            };
            if let Some(name) = wrapped.remove("name") {
                schema.entry("name").or_insert(name);
            }
            return Ok(Value::Object(schema));
        }
        let name = match map.get("name") {
            Some(name) if name.is_string() && !is_field(name) => map.remove("name"),
            Some(_) | None => None,
        };
        let mut schema = if is_field_map(&map) {
            of_fields(map)
        } else if SCHEMA_KEYS.iter().any(|key| map.contains_key(*key)) {
            map
        } else {
            return Err(wrong(
                "the format is neither a JSON schema nor a map of fields",
            ));
        };
        if let Some(name) = name {
            schema.insert("name".to_owned(), name);
        }
        Ok(Value::Object(schema))
    }
}

/// Tells whether every value is a type, or `[type, description, default]`. `"type": "object"` is
/// a schema whatever stands beside it.
fn is_field_map(map: &Map<String, Value>) -> bool {
    !map.is_empty()
        && map.values().all(is_field)
        && !matches!(
            map.get("type").and_then(Value::as_str),
            Some("object" | "array")
        )
}

fn is_field(value: &Value) -> bool {
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(parts) => {
            parts.first().is_some_and(is_type)
                && parts.len() <= 3
                && parts
                    .get(1)
                    .is_none_or(|text| text.is_string() || text.is_null())
        }
        Value::String(_) => is_type(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn of_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, field) in fields {
        let parts = if let Value::Array(parts) = field {
            parts
        } else {
            vec![field]
        };
        let mut parts = parts.into_iter();
        let mut property = Map::new();
        property.extend(parts.next().map(|kind| ("type".to_owned(), kind)));
        property.extend(
            parts
                .next()
                .filter(Value::is_string)
                .map(|text| ("description".to_owned(), text)),
        );
        match parts.next() {
            Some(default) => {
                property.insert("default".to_owned(), default);
            }
            None => required.push(Value::String(name.clone())),
        }
        properties.insert(name, Value::Object(property));
    }
    // Where nothing is required, the map is an open one: further texts may stand in it.
    let others = if required.is_empty() {
        json!({"type": "string"})
    } else {
        Value::Bool(false)
    };
    Map::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), Value::Object(properties)),
        ("required".to_owned(), Value::Array(required)),
        ("additionalProperties".to_owned(), others),
    ])
}
