//! Where the references of a schema lead, without fetching anything.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::DEPTH;
use super::changes::below;
use super::keywords::{Holds, holds};

/// The places that have names of their own: `$id`s, and `$anchor`s as `PLACE#NAME`.
#[derive(Debug, Default)]
pub(super) struct Names {
    ids: HashMap<String, String>,
    anchors: HashMap<String, String>,
}

impl Names {
    /// Gathers the names of a whole schema.
    pub(super) fn of(root: &Value) -> Names {
        let mut names = Names::default();
        names.gather(root, &mut String::new(), "", 0);
        names
    }

    fn gather(&mut self, node: &Value, at: &mut String, base: &str, depth: usize) {
        let Value::Object(fields) = node else {
            return;
        };
        if depth >= DEPTH {
            return;
        }
        let own = resource(fields, at);
        if let Some(id) = own {
            self.ids
                .insert(id.trim_end_matches('#').to_owned(), at.clone());
        }
        let base = if own.is_some() {
            at.clone()
        } else {
            base.to_owned()
        };
        let old_anchor = fields
            .get("$id")
            .and_then(Value::as_str)
            .and_then(|id| id.strip_prefix('#'));
        let anchor = fields.get("$anchor").and_then(Value::as_str);
        for anchor in [old_anchor, anchor].into_iter().flatten() {
            self.anchors.insert(format!("{base}#{anchor}"), at.clone());
        }
        for (key, value) in fields {
            below(at, key, |at| match (holds(key), value) {
                (Holds::Schema | Holds::List, Value::Array(list)) => {
                    for (index, inner) in list.iter().enumerate() {
                        below(at, &index.to_string(), |at| {
                            self.gather(inner, at, &base, depth + 1);
                        });
                    }
                }
                (Holds::Schema, inner) => self.gather(inner, at, &base, depth + 1),
                (Holds::Named, Value::Object(named)) => {
                    for (name, inner) in named {
                        below(at, name, |at| self.gather(inner, at, &base, depth + 1));
                    }
                }
                (Holds::List | Holds::Named | Holds::Data, _) => {}
            });
        }
    }

    /// Gives the pointer, from the top of the whole schema, of what a reference in the resource at
    /// `base` means. Gives nothing where it is in another document or leads nowhere.
    pub(super) fn pointer(&self, reference: &str, base: &str, root: &Value) -> Option<String> {
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let base = if document.is_empty() {
            base
        } else {
            self.ids.get(document)?
        };
        let fragment = unescaped(fragment)?;
        let pointer = if fragment.is_empty() || fragment.starts_with('/') {
            format!("{base}{fragment}")
        } else {
            self.anchors.get(&format!("{base}#{fragment}"))?.clone()
        };
        root.pointer(&pointer).map(|_| pointer)
    }
}

/// Gives the `$id` of a schema that is a document of its own.
pub(super) fn resource<'a>(fields: &'a Map<String, Value>, at: &str) -> Option<&'a str> {
    let id = fields.get("$id").and_then(Value::as_str)?;
    // Beside a reference, drafts up to 7 do not look at an `$id`.
    let named = !id.starts_with('#') && (at.is_empty() || !fields.contains_key("$ref"));
    named.then_some(id)
}

/// Tells whether a reference can stay: it names a definition at the top, in plain letters.
pub(super) fn stays(reference: &str) -> bool {
    ["#/$defs/", "#/definitions/"]
        .iter()
        .filter_map(|start| reference.strip_prefix(start))
        .any(|name| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        })
}

/// Undoes the `%` escapes of a fragment; gives nothing where they are no text.
fn unescaped(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = escaped {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}
