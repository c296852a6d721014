//! What an API wants of a schema beyond its keywords.

use serde_json::{Map, Value, json};

use super::super::changes::Effect;
use super::super::keywords::kind_of;
use super::super::merge::types;
use super::super::rules::{Objects, Top, Types};
use super::Walk;

/// Plain values, for an API that has no word for any value.
const SCALARS: [&str; 4] = ["string", "number", "boolean", "null"];

impl Walk<'_> {
    /// Gives a schema that takes anything, or as much as the API has words for.
    pub(super) fn anything(&mut self, at: &str) -> Value {
        let mut out = Map::new();
        self.open(&mut out, at);
        Value::Object(out)
    }

    /// Makes a schema whole.
    pub(super) fn finish(&mut self, out: &mut Map<String, Value>, at: &str) {
        if self.rules.narrow() {
            self.requires_what_is_there(out, at);
        }
        match self.rules.types {
            Types::Any => {}
            Types::OneOrNull => self.split_types(out, at),
        }
        match self.rules.objects {
            Objects::AsTheySay => {}
            Objects::Closed => self.close(out, at),
        }
        self.open(out, at);
        let wanted = self.rules.top != Top::Any || self.rules.narrow();
        let holds_any = ["items", "prefixItems"]
            .iter()
            .all(|key| !out.contains_key(*key));
        if wanted && holds_any && is(out, "array") {
            self.changes
                .add(at, Effect::Same, "has `items` now, which may be anything");
            let items = self.anything(at);
            out.insert("items".into(), items);
        }
    }

    /// Leaves out of `required` what is no property.
    fn requires_what_is_there(&mut self, out: &mut Map<String, Value>, at: &str) {
        let Some(Value::Array(mut required)) = out.get("required").cloned() else {
            return;
        };
        let properties = out.get("properties").and_then(Value::as_object);
        let all = required.len();
        required.retain(|name| {
            let name = name.as_str().unwrap_or_default();
            properties.is_some_and(|properties| properties.contains_key(name))
        });
        if required.len() == all {
            return;
        }
        let what = "requires only what is listed in `properties`";
        self.changes.add(at, Effect::Looser, what);
        if required.is_empty() {
            out.shift_remove("required");
        } else {
            out.insert("required".into(), required.into());
        }
    }

    /// Makes branches of a list of types, each with the keywords that are about it.
    fn split_types(&mut self, out: &mut Map<String, Value>, at: &str) {
        let Some(Value::Array(list)) = out.get("type") else {
            return;
        };
        let list: Vec<String> = list
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        if list.iter().filter(|kind| *kind != "null").count() < 2 {
            return;
        }
        out.shift_remove("type");
        if out.contains_key("anyOf") {
            let what = "names no types, since there is an `anyOf` beside them";
            self.changes.add(at, Effect::Looser, what);
            return;
        }
        self.changes
            .add(at, Effect::Same, "has a branch for each of its types");
        let about: Vec<(String, Value)> = out
            .iter()
            .filter(|(key, _)| kind_of(key).is_some())
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        out.retain(|key, _| kind_of(key).is_none());
        let branches: Vec<Value> = list
            .iter()
            .map(|kind| {
                let family = if kind == "integer" { "number" } else { kind };
                let mut branch = Map::from_iter([("type".to_owned(), kind.as_str().into())]);
                for (key, value) in &about {
                    if kind_of(key) == Some(family) {
                        branch.insert(key.clone(), value.clone());
                    }
                }
                if kind == "array" && !branch.contains_key("prefixItems") {
                    branch.entry("items").or_insert_with(|| json!({}));
                }
                Value::Object(branch)
            })
            .collect();
        out.insert("anyOf".into(), branches.into());
    }

    /// Makes an object say that it has no further properties.
    fn close(&mut self, out: &mut Map<String, Value>, at: &str) {
        if !out.contains_key("type") && out.contains_key("properties") {
            self.changes.add(at, Effect::Narrower, "is an object now");
            out.insert("type".into(), "object".into());
        }
        if !is(out, "object") {
            return;
        }
        out.entry("properties").or_insert_with(|| json!({}));
        if out.get("additionalProperties") != Some(&Value::Bool(false)) {
            let what = "has no further properties, since the API takes only such objects";
            self.changes.add(at, Effect::Narrower, what);
            out.insert("additionalProperties".into(), false.into());
        }
    }

    /// Names plain types where nothing else says what fits, for an API that wants that.
    fn open(&mut self, out: &mut Map<String, Value>, at: &str) {
        match self.rules.objects {
            Objects::AsTheySay => return,
            Objects::Closed => {}
        }
        let says = ["type", "anyOf", "enum", "const"]
            .iter()
            .any(|key| out.contains_key(*key));
        if !says {
            let what = "takes plain values only, since the API has no word for any value";
            self.changes.add(at, Effect::Narrower, what);
            out.insert("type".into(), SCALARS.as_slice().into());
        }
    }
}

fn is(out: &Map<String, Value>, kind: &str) -> bool {
    out.get("type")
        .is_some_and(|said| types(said).contains(&kind))
}
