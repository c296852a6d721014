//! Two schemas as one that takes at least what both take.

use serde_json::{Map, Value, json};

use super::changes::{Changes, Effect, below};
use super::keywords::leader;

/// Adds what `from` says to `into`. What cannot be said in one schema is left out and told.
pub(super) fn intersect(
    into: &mut Map<String, Value>,
    from: &Map<String, Value>,
    at: &mut String,
    changes: &mut Changes,
) {
    if reaches(into, from) || reaches(from, into) {
        let what = "limits what further parts name, which is less than it was";
        changes.add(at, Effect::Looser, what);
    }
    let led: Vec<&str> = ["contains", "if"]
        .into_iter()
        .filter(|leader| into.contains_key(*leader))
        .collect();
    for (key, value) in from {
        if let Some(leader) = leader(key) {
            if !from.contains_key(leader) {
                continue;
            }
            if led.contains(&leader) {
                below(at, key, |at| leave_out(at, changes));
                continue;
            }
        }
        let Some(there) = into.get_mut(key) else {
            into.insert(key.clone(), value.clone());
            continue;
        };
        if there != value {
            below(at, key, |at| both(key, there, value, at, changes));
        }
    }
}

/// Tells whether one schema limits what is not named in it, and the other names such things.
fn reaches(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let names = |fields: &Map<String, Value>, key: &str| -> Vec<String> {
        let named = fields.get(key).and_then(Value::as_object);
        named
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let more = |key: &str| {
        let own = names(one, key);
        names(other, key).iter().any(|name| !own.contains(name))
    };
    let listed = |fields: &Map<String, Value>| {
        let list = fields.get("prefixItems").and_then(Value::as_array);
        list.map_or(0, Vec::len)
    };
    let unevaluated = ["unevaluatedProperties", "unevaluatedItems"];
    (one.contains_key("additionalProperties") && (more("properties") || more("patternProperties")))
        || (one.contains_key("items") && listed(other) > listed(one))
        || (!other.is_empty() && unevaluated.iter().any(|key| one.contains_key(*key)))
}

/// Makes one keyword's value say what two say.
fn both(key: &str, there: &mut Value, value: &Value, at: &str, changes: &mut Changes) {
    match (key, &mut *there, value) {
        ("properties" | "patternProperties" | "dependentSchemas", Value::Object(named), _) => {
            for (name, schema) in value.as_object().into_iter().flatten() {
                match named.get_mut(name) {
                    Some(first) if first != schema => *first = all_of(first.take(), schema),
                    Some(_) => {}
                    None => {
                        named.insert(name.clone(), schema.clone());
                    }
                }
            }
        }
        ("$defs" | "definitions", Value::Object(named), Value::Object(more)) => {
            for (name, schema) in more {
                named.entry(name.as_str()).or_insert_with(|| schema.clone());
            }
        }
        ("required" | "allOf", Value::Array(list), Value::Array(more)) => {
            for one in more {
                if !list.contains(one) {
                    list.push(one.clone());
                }
            }
        }
        ("enum", Value::Array(list), Value::Array(more)) => {
            let shared: Vec<Value> = list
                .iter()
                .filter(|one| more.contains(one))
                .cloned()
                .collect();
            if shared.is_empty() {
                leave_out(at, changes);
            } else {
                *list = shared;
            }
        }
        ("type", _, _) => match shared_types(there, value) {
            Some(types) => *there = types,
            None => leave_out(at, changes),
        },
        ("minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties", _, _) => {
            if value.as_f64() > there.as_f64() {
                *there = value.clone();
            }
        }
        ("maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties", _, _) => {
            if value.as_f64() < there.as_f64() {
                *there = value.clone();
            }
        }
        ("uniqueItems", _, _) => *there = true.into(),
        ("title" | "description" | "default" | "examples", _, _) => {}
        ("not", _, _) => *there = json!({"anyOf": [there.take(), value]}),
        ("additionalProperties" | "items" | "propertyNames", _, _) => {
            *there = all_of(there.take(), value);
        }
        _ => leave_out(at, changes),
    }
}

fn leave_out(at: &str, changes: &mut Changes) {
    let what = "is left out, since another schema for the same value says otherwise";
    changes.add(at, Effect::Looser, what);
}

/// Gives a schema that asks for both; a plain `true` or `false` decides.
pub(super) fn all_of(first: Value, second: &Value) -> Value {
    match (&first, second) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => false.into(),
        (_, Value::Bool(true)) => first,
        (Value::Bool(true), _) => second.clone(),
        _ => json!({"allOf": [first, second]}),
    }
}

/// Gives the types that two `type`s share, or nothing where they share none.
fn shared_types(first: &Value, second: &Value) -> Option<Value> {
    let (first, second) = (types(first), types(second));
    let mut shared: Vec<&str> = Vec::new();
    for one in &first {
        for other in &second {
            let narrow = match (*one, *other) {
                (one, other) if one == other => one,
                ("integer", "number") | ("number", "integer") => "integer",
                _ => continue,
            };
            if !shared.contains(&narrow) {
                shared.push(narrow);
            }
        }
    }
    match shared.as_slice() {
        [] => None,
        [one] => Some((*one).into()),
        _ => Some(shared.into()),
    }
}

/// Gives the names that a `type` holds.
pub(super) fn types(value: &Value) -> Vec<&str> {
    match value {
        Value::String(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
