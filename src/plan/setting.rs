//! One option as a chat gives it: its key, its typed value, and how long it holds.

use serde_json::Value;

use super::directive::{Directive, filled, web_search};
use super::faults::{Fault, value_at};
use super::format::Format;
use crate::chat::{self, Message, Origin};

/// An option that a directive sets or unsets.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    pub key: String,
    pub value: Assigned,
    pub hold: Hold,
}

/// The value of an option before the world was asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Assigned {
    /// The value; null unsets the option.
    Value(Value),
    /// A schema that stands in this file.
    SchemaFile(String),
}

/// How long an option holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Until the next answer.
    UntilAnswer,
    /// To the end of the file.
    Sticky,
}

/// What kind of value an option takes.
enum Kind {
    Text,
    Count,
    Amount,
    Flag,
    Any,
}

fn kind(key: &str) -> Kind {
    match key {
        "model"
        | "endpoint"
        | "backend"
        | "agent"
        | "previous_response_id"
        | "url"
        | "base_url"
        | "key"
        | "api_key"
        | "tool_choice" => Kind::Text,
        "max_rounds" | "max_run_tokens" | "max_content_length" | "max_included_length" => {
            Kind::Count
        }
        "max_cost" => Kind::Amount,
        "stream" | "persist" | "previous_response" => Kind::Flag,
        _ => Kind::Any,
    }
}

impl Assignment {
    /// Types `option: KEY VALUE` and `sticky_option: KEY VALUE`.
    pub(super) fn of_option(message: &Message, hold: Hold) -> Result<Directive, Fault> {
        let name = message.role.name();
        let usage = format!("write `{name}: KEY VALUE`");
        let Some((key, text)) = chat::key_value(&message.content) else {
            return Err(Fault::chat(
                message.origin.clone(),
                "no-value",
                format!("`{name}` names no option"),
            )
            .hint(usage));
        };
        if !is_key(key) {
            return Err(Fault::chat(
                value_at(message),
                "bad-key",
                format!("`{key}` is no name of an option"),
            )
            .hint(usage));
        }
        match key {
            "format" => {
                let assignment = Format::read(message, text.trim())?;
                Ok(Directive::Set(Assignment { hold, ..assignment }))
            }
            "websearch" => {
                let value = Message {
                    content: text.to_owned(),
                    ..message.clone()
                };
                web_search(&value, hold)
            }
            _ => Ok(Directive::Set(Assignment {
                key: key.to_owned(),
                value: Assigned::Value(typed(key, text.trim(), &value_at(message))?),
                hold,
            })),
        }
    }

    /// Types a role that is an option by itself, such as `model: NAME`.
    pub(super) fn of_role(message: &Message, hold: Hold) -> Result<Directive, Fault> {
        let key = message.role.name();
        let text = filled(message, key, "a value")?;
        Ok(Directive::Set(Assignment {
            key: key.to_owned(),
            value: Assigned::Value(typed(key, &text, &value_at(message))?),
            hold,
        }))
    }
}

/// Tells whether a word can name an option: a word with `=` in it is a mistake, not a name.
fn is_key(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn typed(key: &str, text: &str, at: &Origin) -> Result<Value, Fault> {
    let value = chat::literal(text);
    if value.is_null() {
        return Ok(value);
    }
    let wrong = |wanted: &str| {
        Err(Fault::chat(
            at.clone(),
            "bad-value",
            format!("`{key}` takes {wanted}, and this is `{text}`"),
        ))
    };
    match kind(key) {
        Kind::Any => Ok(value),
        Kind::Text => match value {
            Value::String(text) => Ok(Value::String(text)),
            Value::Object(_) | Value::Array(_) => wrong("a text"),
            Value::Number(_) | Value::Bool(_) | Value::Null => Ok(Value::String(text.to_owned())),
        },
        Kind::Count => match value.as_u64() {
            Some(1..) => Ok(value),
            Some(0) | None => wrong("a count of at least 1"),
        },
        Kind::Amount => match value.as_f64() {
            Some(amount) if amount > 0.0 => Ok(value),
            Some(_) | None => wrong("US dollars, a number above 0"),
        },
        Kind::Flag => match (&value, text.to_ascii_lowercase().as_str()) {
            (Value::Bool(_), _) => Ok(value),
            (_, "true" | "t" | "1") => Ok(Value::Bool(true)),
            (_, "false" | "f" | "0") => Ok(Value::Bool(false)),
            _ => wrong("`true` or `false`"),
        },
    }
}
