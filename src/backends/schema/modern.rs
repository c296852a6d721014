//! Any draft of JSON Schema as draft 2020-12, with every reference a pointer from the top.

use serde_json::{Map, Value, json};

use super::changes::{Changes, Effect, below};
use super::keywords::{Holds, LOST, describes, holds, leader};
use super::refs::{Names, resource};
use super::{DATA_DEPTH, DEPTH};

/// Which rules a schema follows by its `$schema`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Draft {
    /// Up to 7: what stands beside a `$ref` counts for nothing.
    UpTo7,
    Later,
}

/// Gives a schema in the words of draft 2020-12, cut where it is nested too deeply.
pub(super) fn modern(root: &Value, changes: &mut Changes) -> Value {
    let old = root
        .get("$schema")
        .and_then(Value::as_str)
        .is_some_and(|uri| {
            ["draft-03", "draft-04", "draft-06", "draft-07"]
                .iter()
                .any(|draft| uri.contains(draft))
        });
    let mut modern = Modern {
        root,
        names: Names::of(root),
        draft: if old { Draft::UpTo7 } else { Draft::Later },
        changes,
    };
    modern.schema(root, &mut String::new(), "", 0)
}

struct Modern<'a> {
    root: &'a Value,
    names: Names,
    draft: Draft,
    changes: &'a mut Changes,
}

impl Modern<'_> {
    fn schema(&mut self, node: &Value, at: &mut String, base: &str, depth: usize) -> Value {
        let fields = match node {
            Value::Bool(_) => return node.clone(),
            Value::Object(fields) => fields,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return json!({LOST: "is no schema, so anything fits"});
            }
        };
        if depth >= DEPTH {
            return json!({LOST: format!("is nested deeper than {DEPTH} schemas, so anything fits")});
        }
        let place = resource(fields, at).map(|_| at.clone());
        let base = place.as_deref().unwrap_or(base);
        let alone = self.draft == Draft::UpTo7 && fields.contains_key("$ref");
        let mut out = Map::new();
        for (key, value) in fields {
            let means_nothing = leader(key).is_some_and(|leader| !fields.contains_key(leader));
            if means_nothing || (alone && key != "$ref" && !describes(key)) {
                continue;
            }
            below(at, key, |at| {
                self.keyword(key, value, fields, at, base, depth, &mut out);
            });
        }
        Value::Object(out)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a keyword is read in its place: the schema around it, and the resource it is in"
    )]
    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        fields: &Map<String, Value>,
        at: &mut String,
        base: &str,
        depth: usize,
        out: &mut Map<String, Value>,
    ) {
        match (key, value) {
            (
                "$schema" | "$id" | "$anchor" | "$comment" | "$vocabulary" | "$dynamicAnchor"
                | "$recursiveAnchor",
                _,
            ) => {
                self.changes.add(at, Effect::Same, "is left out");
            }
            ("$dynamicRef" | "$recursiveRef", _) => {
                lost(out, key, "since where it leads is not fixed");
            }
            ("$ref", _) => {
                let pointer = value
                    .as_str()
                    .and_then(|reference| self.names.pointer(reference, base, self.root));
                match pointer {
                    Some(pointer) => {
                        out.insert(key.into(), format!("#{pointer}").into());
                    }
                    None => lost(out, key, "since it leads to no place in this schema"),
                }
            }
            ("items", Value::Array(_)) => {
                out.insert("prefixItems".into(), self.list(value, at, base, depth));
            }
            ("additionalItems", _) => {
                if matches!(fields.get("items"), Some(Value::Array(_))) {
                    out.insert("items".into(), self.schema(value, at, base, depth + 1));
                }
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(exclusive)) => {
                let bound = fields.get(inclusive(key)).filter(|_| *exclusive);
                if let Some(bound) = bound {
                    out.insert(key.into(), bound.clone());
                }
            }
            ("minimum", _) if fields.get("exclusiveMinimum") == Some(&Value::Bool(true)) => {}
            ("maximum", _) if fields.get("exclusiveMaximum") == Some(&Value::Bool(true)) => {}
            ("dependencies", Value::Object(named))
                if self.draft == Draft::UpTo7
                    && named
                        .values()
                        .all(|needed| nested_within(needed, DATA_DEPTH)) =>
            {
                for (name, needed) in named {
                    let (keyword, needed) = if needed.is_array() {
                        ("dependentRequired", needed.clone())
                    } else {
                        ("dependentSchemas", self.schema(needed, at, base, depth + 1))
                    };
                    let entry = out.entry(keyword).or_insert_with(|| json!({}));
                    if let Value::Object(entry) = entry {
                        entry.insert(name.clone(), needed);
                    }
                }
            }
            ("required", Value::Bool(_)) | ("id", Value::String(_)) => {}
            _ => self.plain(key, value, at, base, depth, out),
        }
    }

    fn plain(
        &mut self,
        key: &str,
        value: &Value,
        at: &mut String,
        base: &str,
        depth: usize,
        out: &mut Map<String, Value>,
    ) {
        let rewritten = match (holds(key), value) {
            (Holds::Schema, _) => self.schema(value, at, base, depth + 1),
            (Holds::List, Value::Array(_)) => self.list(value, at, base, depth),
            (Holds::Named, Value::Object(named)) => {
                let named = named.iter().map(|(name, inner)| {
                    let inner = below(at, name, |at| self.schema(inner, at, base, depth + 1));
                    (name.clone(), inner)
                });
                Value::Object(named.collect())
            }
            (Holds::Data, _) if nested_within(value, DATA_DEPTH) => value.clone(),
            (Holds::List | Holds::Named | Holds::Data, _) => {
                lost(out, key, "since it cannot be read");
                return;
            }
        };
        out.insert(key.to_owned(), rewritten);
    }

    fn list(&mut self, value: &Value, at: &mut String, base: &str, depth: usize) -> Value {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter()
            .enumerate()
            .map(|(index, inner)| {
                below(at, &index.to_string(), |at| {
                    self.schema(inner, at, base, depth + 1)
                })
            })
            .collect()
    }
}

/// Leaves a keyword out, and a sign of it in its place.
fn lost(out: &mut Map<String, Value>, key: &str, why: &str) {
    out.entry(LOST)
        .or_insert_with(|| format!("`{key}` is left out, {why}").into());
}

fn inclusive(exclusive: &str) -> &'static str {
    if exclusive == "exclusiveMinimum" {
        "minimum"
    } else {
        "maximum"
    }
}

/// Tells whether data is nested at most so deeply.
fn nested_within(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(list) => depth > 0 && list.iter().all(|one| nested_within(one, depth - 1)),
        Value::Object(fields) => {
            depth > 0 && fields.values().all(|one| nested_within(one, depth - 1))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}
