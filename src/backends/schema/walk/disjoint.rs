//! Whether no value fits two branches of a `oneOf`.

use serde_json::{Map, Value};

use super::super::merge::types;

/// How many references are followed from a branch.
const FOLLOWED: usize = 8;

/// Tells whether the branches differ in their types, or in the fixed value of one property.
/// Gives false where it cannot be told.
pub(super) fn disjoint(branches: &[Value], root: &Value) -> bool {
    let branches: Option<Vec<&Map<String, Value>>> = branches
        .iter()
        .map(|branch| resolved(branch, root))
        .collect();
    branches.is_some_and(|branches| by_type(&branches) || by_tag(&branches))
}

fn resolved<'a>(mut branch: &'a Value, root: &'a Value) -> Option<&'a Map<String, Value>> {
    for _ in 0..FOLLOWED {
        let fields = branch.as_object()?;
        let Some(reference) = fields.get("$ref").and_then(Value::as_str) else {
            return Some(fields);
        };
        branch = root.pointer(reference.strip_prefix('#')?)?;
    }
    None
}

fn by_type(branches: &[&Map<String, Value>]) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    for branch in branches {
        let Some(kind) = branch.get("type") else {
            return false;
        };
        for kind in types(kind) {
            // A whole number is a number, too.
            let kind = if kind == "integer" { "number" } else { kind };
            if seen.contains(&kind) {
                return false;
            }
            seen.push(kind);
        }
    }
    true
}

fn by_tag(branches: &[&Map<String, Value>]) -> bool {
    let objects = branches
        .iter()
        .all(|branch| branch.get("type").and_then(Value::as_str) == Some("object"));
    let Some(first) = branches.first().filter(|_| objects) else {
        return false;
    };
    let names = first.get("properties").and_then(Value::as_object);
    names.into_iter().flatten().any(|(name, _)| {
        let mut seen: Vec<&Value> = Vec::new();
        branches.iter().all(|branch| {
            let Some(values) = fixed(branch, name) else {
                return false;
            };
            let new = values.iter().all(|value| !seen.contains(&value));
            seen.extend(values);
            new
        })
    })
}

/// Gives the values that a branch allows for a property that it requires.
fn fixed<'a>(branch: &'a Map<String, Value>, name: &str) -> Option<&'a [Value]> {
    let required = branch.get("required")?.as_array()?;
    if !required.iter().any(|one| one.as_str() == Some(name)) {
        return None;
    }
    let property = branch.get("properties")?.get(name)?;
    match (property.get("const"), property.get("enum")) {
        (Some(value @ Value::String(_)), None) => Some(std::slice::from_ref(value)),
        (None, Some(Value::Array(values))) if values.iter().all(Value::is_string) => Some(values),
        (Some(_) | None, None | Some(_)) => None,
    }
}
