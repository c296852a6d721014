//! The rewriting of one schema after another, from the top down.

mod disjoint;
mod finish;
mod merged;
mod values;

use serde_json::{Map, Value, json};

use super::DEPTH;
use super::changes::{Changes, Effect, below};
use super::keywords::{Holds, LOST, constrains, holds};
use super::rules::{AllOf, OneOf, Rules};
use super::told::{describe, told};

use disjoint::disjoint;
pub(super) use merged::all_stay;

/// How much may be copied to the places that refer to it, in values and groups of 32 bytes.
const COPIED: usize = 20_000;

/// Whether a reference that stays is taken for exactly what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    Exact,
    Doubted,
}

/// One walk through a schema.
pub(super) struct Walk<'a> {
    rules: &'a Rules,
    /// Where references lead.
    root: &'a Value,
    /// Whether references stay where they are.
    stay: bool,
    trust: Trust,
    pub(super) changes: Changes,
    /// The places whose schema is being copied here.
    active: Vec<String>,
    left: usize,
    depth: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        rules: &'a Rules,
        root: &'a Value,
        stay: bool,
        trust: Trust,
        changes: Changes,
    ) -> Walk<'a> {
        Walk {
            rules,
            root,
            stay,
            trust,
            changes,
            active: Vec::new(),
            left: COPIED,
            depth: 0,
        }
    }

    /// Rewrites a schema and all in it.
    pub(super) fn schema(&mut self, node: &Value, at: &mut String) -> Value {
        let fields = match node {
            Value::Object(fields) => fields,
            Value::Bool(false) => return self.nothing(at),
            Value::Bool(true)
            | Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => return self.anything(at),
        };
        if self.depth >= DEPTH {
            let what = format!("is nested deeper than {DEPTH} schemas, so anything fits");
            self.changes.add(at, Effect::Looser, what);
            return self.anything(at);
        }
        self.depth += 1;
        let given = self.object(fields, at);
        self.depth -= 1;
        given
    }

    fn nothing(&mut self, at: &str) -> Value {
        if self.rules.take("not") {
            return json!({"not": {}});
        }
        let what = "refuses every value, which cannot be said, so anything fits";
        self.changes.add(at, Effect::Looser, what);
        self.anything(at)
    }

    fn object(&mut self, fields: &Map<String, Value>, at: &mut String) -> Value {
        let before = self.changes.inexact;
        let (fields, followed) = self.flat(fields, at);
        let fields = fields.as_ref();
        self.active.extend(followed.iter().cloned());
        let mut out = Map::new();
        let mut words = Vec::new();
        let condition = self.condition(fields, at);
        for (key, value) in fields {
            if let (LOST, Value::String(why)) = (key.as_str(), value) {
                self.changes.add(at, Effect::Looser, why.as_str());
                continue;
            }
            below(at, key, |at| match (key.as_str(), &condition) {
                ("if", Some(condition)) => {
                    out.insert(key.clone(), condition.clone());
                }
                ("if" | "then" | "else", None) => self.drop(key, value, at, &mut words),
                _ => self.keyword(key, value, fields, at, &mut out, &mut words),
            });
        }
        if self.changes.inexact > before {
            // These refuse what others do not name or count, which may be more than it was.
            for key in ["unevaluatedProperties", "unevaluatedItems", "maxContains"] {
                if let Some(value) = out.shift_remove(key) {
                    below(at, key, |at| self.drop(key, &value, at, &mut words));
                }
            }
        }
        describe(&mut out, &words);
        self.finish(&mut out, at);
        self.active.truncate(self.active.len() - followed.len());
        if out.is_empty() {
            self.anything(at)
        } else {
            Value::Object(out)
        }
    }

    /// Gives the condition of a schema where it can stay as it is.
    fn condition(&mut self, fields: &Map<String, Value>, at: &mut String) -> Option<Value> {
        let condition = fields.get("if").filter(|_| self.rules.take("if"))?;
        let before = self.changes.inexact;
        let given = below(at, "if", |at| self.schema(condition, at));
        (self.changes.inexact == before).then_some(given)
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        fields: &Map<String, Value>,
        at: &mut String,
        out: &mut Map<String, Value>,
        words: &mut Vec<String>,
    ) {
        let before = self.changes.inexact;
        let unmatched = |other: &str| fields.contains_key(other) && !self.rules.take(other);
        match (key, value) {
            ("$defs" | "definitions", Value::Object(named)) => {
                if self.stay {
                    out.insert(key.into(), self.named(key, named, at));
                }
            }
            ("$ref", _) => {
                if self.trust == Trust::Doubted {
                    self.changes.inexact += 1;
                }
                out.insert(key.into(), value.clone());
            }
            ("oneOf", Value::Array(list)) => self.one_of(list, fields, at, out),
            ("additionalProperties", _) if unmatched("patternProperties") => {
                self.drop(key, value, at, words);
            }
            ("items", _) if unmatched("prefixItems") => {}
            ("prefixItems", Value::Array(list)) if !self.rules.take(key) => {
                let either = list.iter().chain(fields.get("items"));
                let either: Vec<&Value> =
                    either.filter(|one| **one != Value::Bool(false)).collect();
                let what = "became `items`, since places in a list cannot be told apart";
                self.changes.add(at, Effect::Looser, what);
                // Without `items`, what follows the places is open.
                if fields.contains_key("items") && !either.is_empty() {
                    let schema = match either.as_slice() {
                        [one] => (*one).clone(),
                        _ => json!({"anyOf": either}),
                    };
                    out.insert("items".into(), self.schema(&schema, at));
                }
            }
            ("const" | "enum" | "type" | "format" | "pattern", _) => {
                self.value(key, value, fields, at, out, words);
            }
            _ if !self.rules.take(key) => self.drop(key, value, at, words),
            ("not", _) => {
                let not = self.schema(value, at);
                if self.changes.inexact == before {
                    out.insert(key.into(), not);
                } else {
                    self.changes.add(
                        at,
                        Effect::Looser,
                        "is left out, since it would refuse more",
                    );
                }
            }
            (_, Value::Bool(said)) if holds(key) == Holds::Schema => {
                self.said(key, *said, at, out);
            }
            ("minItems" | "maxItems" | "minLength" | "maxLength", _) => {
                self.count(key, value, at, out, words);
            }
            _ => {
                let given = match (holds(key), value) {
                    (Holds::Schema, _) => self.schema(value, at),
                    (Holds::List, Value::Array(list)) => self.list(list, at),
                    (Holds::Named, Value::Object(named)) => self.named(key, named, at),
                    (Holds::List | Holds::Named | Holds::Data, _) => value.clone(),
                };
                out.insert(key.into(), given);
            }
        }
    }

    /// Leaves a keyword out, with a word for the model where there is one.
    fn drop(&mut self, key: &str, value: &Value, at: &str, words: &mut Vec<String>) {
        let told = told(key, value);
        let effect = if constrains(key) {
            Effect::Looser
        } else {
            Effect::Same
        };
        let what = match &told {
            Some(_) => "is told in the description instead",
            None => "is left out, since the API does not take it",
        };
        self.changes.add(at, effect, what);
        words.extend(told);
    }

    /// Puts `true` or `false` in the place of a schema.
    fn said(&mut self, key: &str, said: bool, at: &str, out: &mut Map<String, Value>) {
        if key == "additionalProperties" || !self.rules.narrow() {
            out.insert(key.into(), said.into());
        } else if said {
            out.insert(key.into(), self.anything(at));
        } else {
            let listed = out
                .get("prefixItems")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            if self.rules.take("maxItems") {
                out.entry("maxItems").or_insert_with(|| listed.into());
            } else {
                self.changes
                    .add(at, Effect::Looser, "is left out, since it is no schema");
            }
        }
    }

    fn list(&mut self, list: &[Value], at: &mut String) -> Value {
        list.iter()
            .enumerate()
            .map(|(index, inner)| below(at, &index.to_string(), |at| self.schema(inner, at)))
            .collect()
    }

    fn named(&mut self, key: &str, named: &Map<String, Value>, at: &mut String) -> Value {
        let mut given = Map::new();
        for (name, inner) in named {
            below(at, name, |at| {
                let property = key == "properties" && *inner == Value::Bool(false);
                if property && !self.rules.take("not") {
                    let what = "is left out, since it is never allowed";
                    self.changes.add(at, Effect::Looser, what);
                } else {
                    given.insert(name.clone(), self.schema(inner, at));
                }
            });
        }
        Value::Object(given)
    }

    fn one_of(
        &mut self,
        list: &[Value],
        fields: &Map<String, Value>,
        at: &mut String,
        out: &mut Map<String, Value>,
    ) {
        let before = self.changes.inexact;
        let branches = self.list(list, at);
        let exact = self.changes.inexact == before;
        let same = disjoint(list, self.root);
        let stays = match self.rules.one_of {
            OneOf::Stays => exact,
            OneOf::AnyOf => false,
            OneOf::AnyOfWhereSame => exact && !same,
        };
        if stays {
            out.insert("oneOf".into(), branches);
        } else if !fields.contains_key("anyOf") {
            let effect = if same { Effect::Same } else { Effect::Looser };
            self.changes.add(at, effect, "became `anyOf`");
            out.insert("anyOf".into(), branches);
        } else if self.rules.all_of == AllOf::Stays {
            self.changes
                .add(at, Effect::Looser, "became an `anyOf` within `allOf`");
            let all = out.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(all) = all {
                all.push(json!({"anyOf": branches}));
            }
        } else {
            let what = "is left out, since there is an `anyOf` beside it";
            self.changes.add(at, Effect::Looser, what);
        }
    }
}
