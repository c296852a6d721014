//! What each API takes of JSON Schema.

use serde_json::{Map, Value};

use super::shape::{At, Faults, list, text};

/// Keywords that hold a schema, a list of schemas, or schemas by name.
const ONE: [&str; 4] = ["items", "additionalProperties", "not", "contains"];
const MANY: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];

/// Keywords of the strict subset of `OpenAI`.
const OPENAI_STRICT: [&str; 22] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// Keywords that Anthropic refuses where the answer is held to a schema.
const ANTHROPIC_REFUSED: [&str; 14] = [
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "patternProperties",
    "prefixItems",
    "uniqueItems",
];

/// Keywords of the `Schema` of Gemini.
const GEMINI: [&str; 22] = [
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
    "title",
    "type",
];

/// The schema of a tool's input: an object's.
pub(super) fn of_input(faults: &mut Faults, at: At<'_>, schema: &Value) {
    faults.unless(
        schema["type"] == "object",
        at,
        "the schema of a tool must be an object's",
    );
}

/// The same, without alternatives at its top.
pub(super) fn of_plain_input(faults: &mut Faults, at: At<'_>, schema: &Value) {
    of_input(faults, at, schema);
    for keyword in ["anyOf", "oneOf", "allOf"] {
        faults.unless(
            schema.get(keyword).is_none(),
            at,
            format_args!("`{keyword}` is not supported at the top of a tool's schema"),
        );
    }
}

/// A schema in the strict subset of `OpenAI`.
pub(super) fn openai_strict(faults: &mut Faults, at: At<'_>, schema: &Value) {
    faults.unless(
        schema["type"] == "object" && schema.get("anyOf").is_none(),
        at,
        "a strict schema must be an object's",
    );
    every(at, schema, schema, &mut |at, one, top| {
        for keyword in one.keys() {
            faults.unless(
                OPENAI_STRICT.contains(&keyword.as_str()),
                at,
                format_args!("`{keyword}` is not permitted in a strict schema"),
            );
        }
        let typed = ["type", "anyOf", "$ref", "enum", "const"];
        faults.unless(
            typed.iter().any(|keyword| one.contains_key(*keyword)),
            at,
            "a strict schema must have a `type`",
        );
        closed(faults, at, one);
        if let Some(properties) = one.get("properties").and_then(Value::as_object) {
            let required = list(one.get("required").unwrap_or(&Value::Null));
            for name in properties.keys() {
                faults.unless(
                    required.iter().any(|one| one == name),
                    at,
                    format_args!("`required` must name every property, and `{name}` is not there"),
                );
            }
        }
        leads_somewhere(faults, at, one, top);
    });
}

/// A schema that Anthropic holds an answer or an input to.
pub(super) fn anthropic_strict(faults: &mut Faults, at: At<'_>, schema: &Value) {
    every(at, schema, schema, &mut |at, one, top| {
        for keyword in ANTHROPIC_REFUSED {
            faults.unless(
                !one.contains_key(keyword),
                at,
                format_args!("`{keyword}` is not supported"),
            );
        }
        let few = one
            .get("minItems")
            .is_none_or(|least| least == 0 || least == 1);
        faults.unless(few, at, "`minItems` may only be 0 or 1");
        closed(faults, at, one);
        leads_somewhere(faults, at, one, top);
    });
}

/// The `Schema` of Gemini, which is no JSON Schema.
pub(super) fn gemini(faults: &mut Faults, at: At<'_>, schema: &Value) {
    every(at, schema, schema, &mut |at, one, _| {
        for keyword in one.keys() {
            faults.unless(
                GEMINI.contains(&keyword.as_str()),
                at,
                format_args!("unknown name `{keyword}`"),
            );
        }
        let field = |name: &str| one.get(name).unwrap_or(&Value::Null);
        let kind = text(field("type")).to_ascii_uppercase();
        let known = [
            "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL",
        ];
        if one.contains_key("type") && !known.contains(&kind.as_str()) {
            faults.add(
                at,
                format_args!("`type` must name one type, not {}", field("type")),
            );
        }
        if !one.contains_key("type") && !one.contains_key("anyOf") {
            faults.add(at, "`type` is missing");
        }
        let texts = list(field("enum")).iter().all(Value::is_string);
        faults.unless(texts, at, "`enum` may only hold texts");
        if kind == "ARRAY" {
            faults.unless(one.contains_key("items"), at, "an array needs `items`");
        }
        let formats: &[&str] = match kind.as_str() {
            "STRING" => &["enum", "date-time"],
            "NUMBER" => &["float", "double"],
            "INTEGER" => &["int32", "int64"],
            _ => &[],
        };
        if one.contains_key("format") && !formats.contains(&text(field("format"))) {
            faults.add(
                at,
                format_args!("the format {} is not supported", field("format")),
            );
        }
        for name in list(field("required")) {
            faults.unless(
                field("properties").get(text(name)).is_some(),
                at,
                format_args!("the required property {name} is not defined"),
            );
        }
    });
    let properties = schema["properties"].as_object();
    faults.unless(
        properties.is_none_or(|properties| !properties.is_empty()),
        at,
        "`properties` must not be empty",
    );
}

/// What the program of Ollama can read of a tool's schema.
pub(super) fn ollama(faults: &mut Faults, at: At<'_>, schema: &Value) {
    of_input(faults, at, schema);
    let texts = |value: &Value| list(value).iter().all(Value::is_string);
    faults.unless(texts(&schema["required"]), at, "`required` must hold texts");
    let Some(properties) = schema["properties"].as_object() else {
        let absent = schema["properties"].is_null();
        return faults.unless(absent, at, "`properties` must be an object");
    };
    let above = at.key("properties");
    for (name, property) in properties {
        let at = above.key(name);
        let Some(property) = property.as_object() else {
            faults.add(at, "a property must be an object");
            continue;
        };
        let field = |name: &str| property.get(name).unwrap_or(&Value::Null);
        let kind = field("type");
        let typed = kind.is_null() || kind.is_string() || (kind.is_array() && texts(kind));
        faults.unless(typed, at, "`type` must be a text or a list of texts");
        let told = field("description");
        let fine = told.is_null() || told.is_string();
        faults.unless(fine, at, "`description` must be a text");
        let values = field("enum");
        let fine = values.is_null() || values.is_array();
        faults.unless(fine, at, "`enum` must be a list");
    }
}

/// An object of a strict schema takes no other properties.
fn closed(faults: &mut Faults, at: At<'_>, one: &Map<String, Value>) {
    let kind = one.get("type").unwrap_or(&Value::Null);
    let is_object = kind == "object" || list(kind).iter().any(|kind| kind == "object");
    if is_object {
        faults.unless(
            one.get("additionalProperties") == Some(&Value::Bool(false)),
            at,
            "`additionalProperties` must be false",
        );
    }
}

/// A reference must lead to a place in the same schema.
fn leads_somewhere(faults: &mut Faults, at: At<'_>, one: &Map<String, Value>, top: &Value) {
    if let Some(reference) = one.get("$ref") {
        let place = text(reference).strip_prefix('#');
        faults.unless(
            place.is_some_and(|place| top.pointer(place).is_some()),
            at,
            format_args!("`$ref` {reference} leads nowhere in the schema"),
        );
    }
}

/// Looks at a schema and each one in it; one that is only true or false is passed over.
fn every(
    at: At<'_>,
    schema: &Value,
    top: &Value,
    look: &mut impl FnMut(At<'_>, &Map<String, Value>, &Value),
) {
    let Some(fields) = schema.as_object() else {
        return;
    };
    look(at, fields, top);
    for (keyword, value) in fields {
        let at = at.key(keyword);
        if ONE.contains(&keyword.as_str()) {
            every(at, value, top, look);
        } else if MANY.contains(&keyword.as_str()) {
            for (place, one) in list(value).iter().enumerate() {
                every(at.place(place), one, top, look);
            }
        } else if NAMED.contains(&keyword.as_str()) {
            for (name, one) in value.as_object().into_iter().flatten() {
                every(at.key(name), one, top, look);
            }
        }
    }
}
