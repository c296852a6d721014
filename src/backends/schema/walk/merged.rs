//! References and `allOf` merged into the schema that holds them.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::super::changes::{Effect, below};
use super::super::keywords::{Holds, describes, holds};
use super::super::merge::intersect;
use super::super::rules::{AllOf, Rules, Top};
use super::super::{DEPTH, refs};
use super::Walk;

impl Walk<'_> {
    /// Gives a schema in which references and `allOf` are merged, where they have to be, and the
    /// places that were followed for it.
    pub(super) fn flat<'b>(
        &mut self,
        fields: &'b Map<String, Value>,
        at: &mut String,
    ) -> (Cow<'b, Map<String, Value>>, Vec<String>) {
        // Strict schemas may say nothing beside a reference, not even a description.
        let described = fields.len() > 1
            && fields.keys().all(|key| key == "$ref" || describes(key))
            && self.rules.all_of == AllOf::MergedWhereSame;
        let follow = fields.contains_key("$ref") && (!self.stay || described);
        let merge = fields.contains_key("allOf") && self.rules.all_of != AllOf::Stays;
        if !follow && !merge {
            return (Cow::Borrowed(fields), Vec::new());
        }
        let before = (
            self.changes.list.len(),
            self.changes.inexact,
            self.changes.unlisted,
        );
        let mut merged = Map::new();
        let mut followed = Vec::new();
        self.gather(fields, at, &mut merged, &mut followed);
        let reversible = self.stay && self.rules.all_of == AllOf::MergedWhereSame;
        if reversible && self.changes.inexact > before.1 {
            self.changes.list.truncate(before.0);
            (self.changes.inexact, self.changes.unlisted) = (before.1, before.2);
            return (Cow::Borrowed(fields), Vec::new());
        }
        (Cow::Owned(merged), followed)
    }

    fn gather(
        &mut self,
        fields: &Map<String, Value>,
        at: &mut String,
        merged: &mut Map<String, Value>,
        followed: &mut Vec<String>,
    ) {
        let merge = self.rules.all_of != AllOf::Stays;
        let mut own = fields.clone();
        let reference = own.shift_remove("$ref");
        let parts = if merge {
            own.shift_remove("allOf")
        } else {
            None
        };
        intersect(merged, &own, at, &mut self.changes);
        if let Some(Value::String(reference)) = reference {
            below(at, "$ref", |at| {
                self.follow(&reference, at, merged, followed);
            });
        }
        if let Some(Value::Array(parts)) = parts {
            self.changes
                .add(&format!("{at}/allOf"), Effect::Same, "is merged");
            for part in &parts {
                match part {
                    Value::Object(part) => self.gather(part, at, merged, followed),
                    Value::Bool(false) => {
                        let nothing = self.nothing(at);
                        if let Value::Object(nothing) = nothing {
                            intersect(merged, &nothing, at, &mut self.changes);
                        }
                    }
                    Value::Bool(true)
                    | Value::Null
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_) => {}
                }
            }
        }
    }

    fn follow(
        &mut self,
        reference: &str,
        at: &mut String,
        merged: &mut Map<String, Value>,
        followed: &mut Vec<String>,
    ) {
        let known = |places: &[String]| places.iter().any(|place| place == reference);
        if known(followed) {
            return;
        }
        let root = self.root;
        let target = reference
            .strip_prefix('#')
            .and_then(|place| root.pointer(place));
        let Some(target) = target else {
            self.changes.add(
                at,
                Effect::Looser,
                "is left out, since what it led to moved",
            );
            return;
        };
        if known(&self.active) && self.stay {
            merged.retain(|key, _| !describes(key));
            merged.entry("$ref").or_insert_with(|| reference.into());
            return;
        }
        let left = less(self.left, target);
        let what = if known(&self.active) {
            "leads back to a schema that it is in, so anything fits"
        } else if followed.len() >= DEPTH {
            "leads on too often, so anything fits"
        } else if let Some(left) = left {
            self.left = left;
            followed.push(reference.to_owned());
            self.changes.add(at, Effect::Same, "is put in place");
            match target {
                Value::Object(fields) => self.gather(fields, at, merged, followed),
                Value::Bool(false) => {
                    merged.insert("not".into(), json!({}));
                }
                Value::Bool(true)
                | Value::Null
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => {}
            }
            return;
        } else {
            "leads to more than is copied, so anything fits"
        };
        self.changes.add(at, Effect::Looser, what);
        if let (None, Some(kind)) = (merged.get("type"), target.get("type")) {
            merged.insert("type".into(), kind.clone());
        }
    }
}

/// Tells whether every reference of a schema can stay where it is: it names a definition, or the
/// top where that is taken and stays as it is.
pub(in super::super) fn all_stay(root: &Value, rules: &Rules) -> bool {
    stays(root, root, rules)
}

fn stays(node: &Value, root: &Value, rules: &Rules) -> bool {
    let Value::Object(fields) = node else {
        return true;
    };
    let inner = |inner: &Value| stays(inner, root, rules);
    fields.iter().all(|(key, value)| match (holds(key), value) {
        (Holds::Data, Value::String(reference)) if key == "$ref" => {
            let top = reference == "#" && rules.top == Top::Any && !rules.narrow();
            top || (refs::stays(reference) && root.pointer(&reference[1..]).is_some())
        }
        (Holds::Schema, value) => inner(value),
        (Holds::List, Value::Array(list)) => list.iter().all(inner),
        (Holds::Named, Value::Object(named)) => named.values().all(inner),
        (Holds::List | Holds::Named | Holds::Data, _) => true,
    })
}

/// Gives what is left of a measure of size when a value is taken from it, or nothing where the value
/// is larger.
fn less(left: usize, value: &Value) -> Option<usize> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => left.checked_sub(1),
        Value::String(text) => left.checked_sub(1 + text.len() / 32),
        Value::Array(list) => list.iter().try_fold(left.checked_sub(1)?, less),
        Value::Object(fields) => {
            let left = left.checked_sub(1)?;
            fields.iter().try_fold(left, |left, (name, inner)| {
                less(left.checked_sub(name.len() / 32)?, inner)
            })
        }
    }
}
