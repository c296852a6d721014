//! The top of a tool's schema as one object that lists its properties.
//!
//! Arguments are always an object, so branches for other types are passed over. A property that
//! only some branches name keeps what these say of it, even where another branch leaves it open:
//! the model is to learn its type, and whoever wrote the branches meant it.

use serde_json::{Map, Value, json};

use super::changes::{Changes, Effect, below};
use super::keywords::{LOST, constrains};
use super::merge::{all_of, types};
use super::rules::Top;
use super::told::{describe, told};

/// What cannot stand at the top, in any API.
const REFUSED: [&str; 7] = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"];

/// How many schemas are looked at, and how many nested.
const LOOKED_AT: usize = 500;
const NESTED: usize = 12;

/// Gives the schema of arguments with a plain object at its top.
pub(super) fn arguments(root: &Value, top: Top, changes: &mut Changes) -> Value {
    let no_fields = Map::new();
    let fields = root.as_object().unwrap_or(&no_fields);
    let mut out: Map<String, Value> = fields.clone();
    if REFUSED.iter().any(|key| fields.contains_key(*key)) {
        let mut look = Look {
            root,
            left: LOOKED_AT,
            changes,
        };
        let shape = look.shape(fields, NESTED);
        rebuild(&mut out, shape, changes);
    }
    let kind = fields.get("type");
    if kind != Some(&Value::from("object")) {
        let effect = match kind {
            Some(kind) if !types(kind).contains(&"object") => Effect::Looser,
            Some(_) | None => Effect::Same,
        };
        changes.add("/type", effect, "is `object`, since arguments are one");
        out.insert("type".into(), "object".into());
    }
    if !matches!(out.get("properties"), Some(Value::Object(_))) {
        out.insert("properties".into(), json!({}));
    }
    match top {
        Top::Any | Top::Object => {}
        Top::BareObject => out.retain(|key, value| {
            let stays = ["type", "properties", "required", LOST].contains(&key.as_str());
            let closes_nothing = key == "additionalProperties" && *value == Value::Bool(true);
            if !stays && constrains(key) && !closes_nothing {
                let what = "is left out, since the top takes only its properties";
                below(&mut String::new(), key, |at| {
                    changes.add(at, Effect::Looser, what);
                });
            }
            stays
        }),
    }
    Value::Object(out)
}

/// Puts what was gathered in the place of what was looked at.
fn rebuild(out: &mut Map<String, Value>, shape: Shape, changes: &mut Changes) {
    let mut words = Vec::new();
    for key in REFUSED.iter().chain(&["unevaluatedProperties"]) {
        let Some(value) = out.shift_remove(*key) else {
            continue;
        };
        words.extend(told(key, &value));
        let what = "cannot stand at the top, so its properties are listed there";
        below(&mut String::new(), key, |at| {
            changes.add(at, Effect::Looser, what);
        });
    }
    describe(out, &words);
    out.insert("properties".into(), shape.properties.into());
    for (key, value) in [
        (
            "required",
            (!shape.required.is_empty()).then(|| shape.required.into()),
        ),
        ("additionalProperties", shape.further),
        (
            "patternProperties",
            (!shape.patterns.is_empty()).then(|| shape.patterns.into()),
        ),
    ] {
        match value {
            Some(value) => out.insert(key.into(), value),
            None => out.shift_remove(key),
        };
    }
}

/// What a schema says of an object.
#[derive(Debug, Clone, Default)]
struct Shape {
    properties: Map<String, Value>,
    required: Vec<String>,
    patterns: Map<String, Value>,
    /// `additionalProperties`.
    further: Option<Value>,
}

impl Shape {
    /// Gives the shape of what fits both.
    fn and(mut self, other: Shape) -> Shape {
        for (name, schema) in other.properties {
            add(&mut self.properties, name, schema);
        }
        for (name, schema) in other.patterns {
            add(&mut self.patterns, name, schema);
        }
        for name in other.required {
            if !self.required.contains(&name) {
                self.required.push(name);
            }
        }
        self.further = match (self.further, other.further) {
            (Some(first), Some(second)) => Some(all_of(first, &second)),
            (first, second) => first.or(second),
        };
        self
    }

    /// Tells whether an object may have properties that are not listed.
    fn is_closed(&self) -> bool {
        self.further == Some(Value::Bool(false)) && self.patterns.is_empty()
    }
}

fn add(named: &mut Map<String, Value>, name: String, schema: Value) {
    let schema = match named.get_mut(&name) {
        Some(first) if *first != schema => all_of(first.take(), &schema),
        Some(_) | None => schema,
    };
    named.insert(name, schema);
}

struct Look<'a> {
    root: &'a Value,
    left: usize,
    changes: &'a mut Changes,
}

impl Look<'_> {
    fn shape(&mut self, fields: &Map<String, Value>, nested: usize) -> Shape {
        if self.left == 0 || nested == 0 {
            let what = "has more branches than are followed, so the rest is left open";
            self.changes.add("", Effect::Looser, what);
            return Shape::default();
        }
        self.left -= 1;
        let named = |key: &str| fields.get(key).and_then(Value::as_object).cloned();
        let required = fields.get("required").and_then(Value::as_array);
        let mut shape = Shape {
            properties: named("properties").unwrap_or_default(),
            required: required
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            patterns: named("patternProperties").unwrap_or_default(),
            further: fields.get("additionalProperties").cloned(),
        };
        let root = self.root;
        let target = fields
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| root.pointer(reference.strip_prefix('#')?));
        let list = |key: &str| fields.get(key).and_then(Value::as_array);
        let all = list("allOf").into_iter().flatten();
        for part in target.into_iter().chain(all).filter_map(Value::as_object) {
            let part = self.shape(part, nested - 1);
            shape = shape.and(part);
        }
        for branches in [list("anyOf"), list("oneOf")].into_iter().flatten() {
            let mut shapes = Vec::new();
            for branch in branches {
                match branch {
                    Value::Object(branch) if takes_objects(branch) => {
                        shapes.push(self.shape(branch, nested - 1));
                    }
                    Value::Bool(true) => shapes.push(Shape::default()),
                    Value::Object(_)
                    | Value::Bool(false)
                    | Value::Null
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_) => {}
                }
            }
            let either = self.either(&shapes);
            shape = shape.and(either);
        }
        shape
    }

    /// Gives the shape of what fits one of several.
    fn either(&mut self, shapes: &[Shape]) -> Shape {
        let mut given = Shape::default();
        let Some((first, rest)) = shapes.split_first() else {
            return given;
        };
        for name in shapes.iter().flat_map(|shape| shape.properties.keys()) {
            if given.properties.contains_key(name) {
                continue;
            }
            let mut said: Vec<&Value> = Vec::new();
            for shape in shapes {
                let open = shape.further.as_ref().filter(|further| further.is_object());
                let Some(schema) = shape.properties.get(name).or(open) else {
                    if !shape.is_closed() {
                        let what = "keeps its type, though a branch leaves it open";
                        let at = format!("/properties/{name}");
                        self.changes.add(&at, Effect::Narrower, what);
                    }
                    continue;
                };
                if !said.contains(&schema) {
                    said.push(schema);
                }
            }
            given.properties.insert(name.clone(), any_of(&said));
        }
        given.required.clone_from(&first.required);
        given
            .required
            .retain(|name| rest.iter().all(|shape| shape.required.contains(name)));
        given.further = shapes.iter().all(Shape::is_closed).then(|| false.into());
        given
    }
}

fn takes_objects(fields: &Map<String, Value>) -> bool {
    fields
        .get("type")
        .is_none_or(|kind| types(kind).contains(&"object"))
}

/// Gives a schema for either of several; fixed values become one list of them.
fn any_of(schemas: &[&Value]) -> Value {
    match schemas {
        [one] => (*one).clone(),
        _ => values(schemas).unwrap_or_else(|| json!({"anyOf": schemas})),
    }
}

/// Gives one `enum` for schemas that each fix the value, all with the same further words.
fn values(schemas: &[&Value]) -> Option<Value> {
    let mut listed: Vec<Value> = Vec::new();
    let mut shared: Option<Map<String, Value>> = None;
    for schema in schemas {
        let mut rest = schema.as_object()?.clone();
        let values = match (rest.shift_remove("const"), rest.shift_remove("enum")) {
            (Some(value), None) => vec![value],
            (None, Some(Value::Array(values))) => values,
            (Some(_), Some(_)) | (None, Some(_) | None) => return None,
        };
        if shared.as_ref().is_some_and(|shared| *shared != rest) {
            return None;
        }
        shared = Some(rest);
        for value in values {
            if !listed.contains(&value) {
                listed.push(value);
            }
        }
    }
    let mut out = shared?;
    out.insert("enum".into(), listed.into());
    Some(Value::Object(out))
}
