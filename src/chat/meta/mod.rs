//! The meta line: `key=value` pairs that a run leaves with each inference.

use super::grammar::{self, Rule};
use super::{Message, Role};

/// A value of a meta line.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaValue {
    Integer(i64),
    Number(f64),
    Text(String),
}

/// The content of a `meta` message: keys with values, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meta {
    pub entries: Vec<(String, MetaValue)>,
}

impl Meta {
    /// Reads the content of a `meta` message, on one line or several. Any text is one: what
    /// stands before the first `key=` says nothing.
    pub fn read(content: &str) -> Meta {
        Meta {
            entries: Entries::of(content)
                .map(|entry| (entry.key.to_owned(), value_of(entry.value)))
                .collect(),
        }
    }

    /// Writes the content of a `meta` message, on one line.
    pub fn write(&self) -> String {
        let mut line = String::new();
        for (key, value) in &self.entries {
            if !line.is_empty() {
                line.push(' ');
            }
            write_key(&mut line, key);
            line.push('=');
            match value {
                MetaValue::Integer(number) => line.push_str(&number.to_string()),
                MetaValue::Number(number) => write_number(&mut line, *number),
                MetaValue::Text(text) => write_text(&mut line, text),
            }
        }
        line
    }

    /// Gives the message that stands for it in a file.
    pub fn to_message(&self) -> Message {
        Message::new(Role::Meta, self.write())
    }

    /// Gives the value of a key.
    pub fn get(&self, key: &str) -> Option<&MetaValue> {
        self.entries
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    /// Gives the value of a key as text, when it is text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(MetaValue::Text(text)) => Some(text),
            Some(MetaValue::Integer(_) | MetaValue::Number(_)) | None => None,
        }
    }

    /// Gives the value of a key as a count, when it is one.
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(MetaValue::Integer(count)) => u64::try_from(*count).ok(),
            Some(MetaValue::Text(_) | MetaValue::Number(_)) | None => None,
        }
    }

    /// Gives the value of a key as a number, when it is one.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key) {
            #[expect(
                clippy::cast_precision_loss,
                reason = "whoever asks for a decimal takes the nearest one"
            )]
            Some(MetaValue::Integer(number)) => Some(*number as f64),
            Some(MetaValue::Number(number)) => Some(*number),
            Some(MetaValue::Text(_)) | None => None,
        }
    }

    /// Adds a pair at the end.
    pub fn push(&mut self, key: &str, value: MetaValue) {
        self.entries.push((key.to_owned(), value));
    }

    /// Tells whether the line marks the start of a record.
    pub fn is_mark(&self) -> bool {
        self.get(RECORD_KEY).is_some()
    }
}

/// The key that makes a meta line a record mark.
const RECORD_KEY: &str = "inference_id";

/// Tells whether the value of a `meta:` line names the record that it starts.
pub(super) fn names_a_record(value: &str) -> bool {
    value.contains(RECORD_KEY) && Entries::of(value).any(|entry| entry.key == RECORD_KEY)
}

/// The pairs of a meta line, as they are written.
struct Entries<'t> {
    rest: &'t str,
    /// False once no quote is left that can end a value: where the ending quotes are does not
    /// depend on where a value starts, and looking for them again and again would make reading
    /// take quadratic time.
    closing_quotes: bool,
}

struct Entry<'t> {
    key: &'t str,
    value: Written<'t>,
}

#[derive(Clone, Copy)]
enum Written<'t> {
    Bare(&'t str),
    Quoted(&'t str),
}

impl<'t> Entries<'t> {
    fn of(text: &'t str) -> Entries<'t> {
        let junk = grammar::read(Rule::meta_junk, text).map_or(0, |pairs| pairs.as_str().len());
        Entries {
            rest: &text[junk..],
            closing_quotes: true,
        }
    }
}

impl<'t> Iterator for Entries<'t> {
    type Item = Entry<'t>;

    fn next(&mut self) -> Option<Entry<'t>> {
        let rule = if self.closing_quotes {
            Rule::entry
        } else {
            Rule::bare_entry
        };
        let mut parts = grammar::read(rule, self.rest)?;
        let key = parts.next()?;
        let value = parts.next()?;
        let end = value.as_span().end();
        let value = if value.as_rule() == Rule::meta_quoted {
            Written::Quoted(value.into_inner().next()?.as_str())
        } else {
            let text = value.as_str();
            self.closing_quotes &= !text.starts_with('"');
            Written::Bare(text.trim_end_matches([' ', '\t', '\n']))
        };
        let key = key.as_str();
        self.rest = &self.rest[end..];
        Some(Entry { key, value })
    }
}

fn value_of(written: Written<'_>) -> MetaValue {
    match written {
        Written::Quoted(text) => MetaValue::Text(unescaped(text)),
        Written::Bare(text) => number(text).unwrap_or_else(|| MetaValue::Text(text.to_owned())),
    }
}

/// Reads an integer or a decimal. An integer that would be written differently, such as `007` or
/// one with too many digits, is text.
fn number(text: &str) -> Option<MetaValue> {
    if !looks_like_a_number(text) {
        return None;
    }
    if text.contains('.') {
        text.parse().ok().map(MetaValue::Number)
    } else {
        let number: i64 = text.parse().ok()?;
        (number.to_string() == text).then_some(MetaValue::Integer(number))
    }
}

fn looks_like_a_number(text: &str) -> bool {
    grammar::read(Rule::meta_number, text).is_some()
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let escape = grammar::read(Rule::meta_escape, rest).and_then(|mut pairs| pairs.next());
        let length = escape.as_ref().map_or(1, |escape| escape.as_str().len());
        match escape.and_then(|escape| escape.into_inner().next()) {
            Some(part) if part.as_rule() == Rule::code => out.extend(
                u32::from_str_radix(part.as_str(), 16)
                    .ok()
                    .and_then(char::from_u32),
            ),
            Some(part) => out.push_str(match part.as_str() {
                "n" => "\n",
                "r" => "\r",
                other => other,
            }),
            // A backslash that escapes nothing stands for itself.
            None => out.push('\\'),
        }
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

/// A key is one word without `=`; what no key can hold is written as `_`.
fn write_key(line: &mut String, key: &str) {
    if key.is_empty() {
        line.push('_');
    }
    line.extend(key.chars().map(|character| match character {
        '=' | ' ' | '\t' | '\n' => '_',
        other => other,
    }));
}

fn write_number(line: &mut String, number: f64) {
    let text = number.to_string();
    line.push_str(&text);
    if number.is_finite() && !text.contains('.') {
        line.push_str(".0");
    }
}

fn write_text(line: &mut String, text: &str) {
    let quoted = text.contains(['=', '"', '\\'])
        || text.contains(char::is_control)
        || text.starts_with(' ')
        || text.ends_with(' ')
        || looks_like_a_number(text);
    if !quoted {
        line.push_str(text);
        return;
    }
    line.push('"');
    for character in text.chars() {
        match character {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            control if control.is_control() => {
                // Control characters lie below U+0100.
                line.push_str("\\u00");
                for shift in [4, 0] {
                    line.extend(char::from_digit(u32::from(control) >> shift & 15, 16));
                }
            }
            other => line.push(other),
        }
    }
    line.push('"');
}

#[cfg(test)]
mod tests;
