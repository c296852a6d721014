//! Keywords whose value is data: what stays, and what is told instead.

use serde_json::{Map, Value, json};

use super::super::changes::Effect;
use super::super::rules::{Counts, Enums, Patterns};
use super::Walk;

impl Walk<'_> {
    /// Rewrites a keyword that names values.
    pub(super) fn value(
        &mut self,
        key: &str,
        value: &Value,
        fields: &Map<String, Value>,
        at: &str,
        out: &mut Map<String, Value>,
        words: &mut Vec<String>,
    ) {
        let becomes_enum = key == "const" && !self.rules.take(key) && self.rules.take("enum");
        if becomes_enum && !fields.contains_key("enum") {
            self.changes
                .add(at, Effect::Same, "became an `enum` of one");
            self.listed(&json!([value]), fields, at, out, words);
            return;
        }
        if !self.rules.take(key) {
            self.drop(key, value, at, words);
            return;
        }
        let text = value.as_str().unwrap_or_default();
        let stays = match key {
            "enum" => {
                self.listed(value, fields, at, out, words);
                return;
            }
            "format" => self.rules.formats.is_none_or(|known| known.contains(&text)),
            "pattern" => match self.rules.patterns {
                Patterns::Any => true,
                Patterns::Simple => simple(text),
                Patterns::Anchored => simple(text) && text.starts_with('^') && text.ends_with('$'),
            },
            _ => true,
        };
        if stays {
            out.insert(key.into(), value.clone());
        } else {
            self.drop(key, value, at, words);
        }
    }

    /// Rewrites a list of values.
    fn listed(
        &mut self,
        value: &Value,
        fields: &Map<String, Value>,
        at: &str,
        out: &mut Map<String, Value>,
        words: &mut Vec<String>,
    ) {
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let plain = |one: &Value| one.is_string() || one.is_number();
        let fits = |one: &Value| match self.rules.enums {
            Enums::Any => true,
            Enums::Scalars => !one.is_array() && !one.is_object(),
            Enums::TextsAndNumbers => plain(one),
        };
        if list.iter().all(fits) {
            out.insert("enum".into(), value.clone());
            return;
        }
        let branches = ["anyOf", "oneOf"]
            .iter()
            .any(|key| fields.contains_key(*key));
        let plain_or_null = list.iter().all(|one| plain(one) || one.is_null());
        if plain_or_null && list.iter().any(plain) && !branches {
            let plain: Vec<&Value> = list.iter().filter(|one| plain(one)).collect();
            self.changes
                .add(at, Effect::Same, "stands in `anyOf`, beside `null`");
            out.insert("anyOf".into(), json!([{"enum": plain}, {"type": "null"}]));
            return;
        }
        self.drop("enum", value, at, words);
    }

    /// Rewrites a length or a number of items.
    pub(super) fn count(
        &mut self,
        key: &str,
        value: &Value,
        at: &str,
        out: &mut Map<String, Value>,
        words: &mut Vec<String>,
    ) {
        let stays = match self.rules.counts {
            Counts::Any => true,
            Counts::UpTo(most) => value.as_u64().is_some_and(|count| count <= most),
            Counts::NoneOrOne => {
                key == "minItems" && value.as_u64().is_some_and(|count| count <= 1)
            }
        };
        if stays {
            out.insert(key.into(), value.clone());
        } else {
            self.drop(key, value, at, words);
        }
    }
}

/// Tells whether a pattern uses only what every engine for constrained output knows.
fn simple(pattern: &str) -> bool {
    let mut escaped = false;
    for (at, letter) in pattern.char_indices() {
        if escaped {
            let special = letter.is_ascii_alphanumeric() && !"dDwWsSnrtf".contains(letter);
            if special {
                return false;
            }
            escaped = false;
            continue;
        }
        let rest = &pattern[at..];
        if rest.starts_with("(?") && !rest.starts_with("(?:") {
            return false;
        }
        escaped = letter == '\\';
    }
    !escaped
}
