//! Whether a schema is of the kind that `OpenAI` can enforce.

use serde_json::{Map, Value};

use super::rules::OPENAI_FORMATS;

/// The limits of the API: levels of objects, properties in all, values in `enum`s in all.
const LEVELS: usize = 10;
const PROPERTIES: usize = 5000;
const VALUES: usize = 1000;

/// Schemas within schemas, so that no depth does harm.
const NESTED: usize = 64;

/// Tells whether a schema can be sent as strict: its top is an object, each object says that it
/// has no further properties and requires all that it names, and no keyword is used that cannot be
/// enforced.
pub(in crate::backends) fn is_strict(schema: &Value) -> bool {
    let Value::Object(fields) = schema else {
        return false;
    };
    let object = fields.get("type").and_then(Value::as_str) == Some("object");
    let mut strict = Strict {
        root: schema,
        properties: 0,
        values: 0,
    };
    object
        && !fields.contains_key("anyOf")
        && strict.fits(schema, 0, 0)
        && strict.properties <= PROPERTIES
        && strict.values <= VALUES
}

struct Strict<'a> {
    root: &'a Value,
    properties: usize,
    values: usize,
}

impl Strict<'_> {
    fn fits(&mut self, schema: &Value, nested: usize, level: usize) -> bool {
        let Value::Object(fields) = schema else {
            return false;
        };
        if nested > NESTED {
            return false;
        }
        let says = ["type", "anyOf", "$ref"]
            .iter()
            .any(|key| fields.contains_key(*key));
        let level = level + usize::from(fields.contains_key("properties"));
        let alone = !fields.contains_key("$ref")
            || fields
                .keys()
                .all(|key| ["$ref", "$defs", "definitions"].contains(&key.as_str()));
        says && alone
            && level <= LEVELS
            && closed(fields)
            && fields
                .iter()
                .all(|(key, value)| self.keyword(key, value, fields, nested, level))
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        fields: &Map<String, Value>,
        nested: usize,
        level: usize,
    ) -> bool {
        match (key, value) {
            (
                "$schema" | "title" | "description" | "const" | "required" | "pattern"
                | "multipleOf" | "minItems" | "maxItems" | "minimum" | "maximum"
                | "exclusiveMinimum" | "exclusiveMaximum",
                _,
            ) => true,
            ("additionalProperties", value) => *value == Value::Bool(false),
            ("type", Value::String(kind)) => kind != "array" || fields.contains_key("items"),
            ("type", Value::Array(kinds)) => {
                let array = kinds.iter().any(|kind| kind.as_str() == Some("array"));
                !array || fields.contains_key("items")
            }
            ("enum", Value::Array(values)) => {
                self.values += values.len();
                true
            }
            ("format", Value::String(format)) => OPENAI_FORMATS.contains(&format.as_str()),
            ("$ref", Value::String(reference)) => reference
                .strip_prefix('#')
                .is_some_and(|place| self.root.pointer(place).is_some()),
            ("items", inner) => self.fits(inner, nested + 1, level),
            ("anyOf", Value::Array(list)) => {
                list.iter().all(|inner| self.fits(inner, nested + 1, level))
            }
            ("properties", Value::Object(named)) => {
                self.properties += named.len();
                named
                    .values()
                    .all(|inner| self.fits(inner, nested + 1, level))
            }
            // A definition is as deep as where it is used, which is not followed here.
            ("$defs" | "definitions", Value::Object(named)) => {
                named.values().all(|inner| self.fits(inner, nested + 1, 0))
            }
            _ => false,
        }
    }
}

/// Tells whether a schema that may be an object says all that such a one must say.
fn closed(fields: &Map<String, Value>) -> bool {
    let object = match fields.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("object")),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => false,
    };
    let Some(Value::Object(properties)) = fields.get("properties") else {
        return !object && !fields.contains_key("properties");
    };
    let required = fields.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    fields.get("additionalProperties") == Some(&Value::Bool(false))
        && required.len() == properties.len()
        && properties
            .keys()
            .all(|name| required.contains(&name.as_str()))
}
