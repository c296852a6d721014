//! Marks that let a growing chat be read from the provider's cache.

use serde_json::{Value, json};

use crate::backends::Note;
use crate::backends::parameters::Parameters;

/// How long what is marked is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Not,
    FiveMinutes,
    Hour,
}

impl Kept {
    /// Reads `prompt_cache`, and takes it out of what is sent.
    pub(super) fn of(parameters: &mut Parameters, notes: &mut Vec<Note>) -> Kept {
        let word = match parameters.rest.shift_remove("prompt_cache") {
            None => parameters.prompt_cache.clone(),
            Some(Value::Bool(false)) => Some("off".to_owned()),
            Some(Value::Bool(true) | Value::Null) => None,
            Some(other) => Some(other.to_string()),
        };
        match word.as_deref() {
            Some("off" | "none" | "no" | "false") => Kept::Not,
            None | Some("on" | "5m") => Kept::FiveMinutes,
            Some("1h") => Kept::Hour,
            Some(other) => {
                notes.push(Note::Warning(format!(
                    "`prompt_cache` is `{other}`, and Anthropic knows `off`, `5m` and `1h`: `5m` \
                     is taken"
                )));
                Kept::FiveMinutes
            }
        }
    }
}

/// Marks the end of what stays the same: the tools, the system text, and the last two messages of
/// the user's side. The newest is written, and the one before it was written by the last request,
/// so it is found however many blocks came between. Four marks are the most that are accepted.
pub(super) fn mark(kept: Kept, tools: &mut [Value], system: &mut [Value], messages: &mut [Value]) {
    let control = match kept {
        Kept::Not => return,
        Kept::FiveMinutes => json!({"type": "ephemeral"}),
        Kept::Hour => json!({"type": "ephemeral", "ttl": "1h"}),
    };
    let own = messages
        .iter_mut()
        .rev()
        .filter(|message| message["role"] == "user")
        .take(2)
        .filter_map(|message| message["content"].as_array_mut()?.last_mut());
    for block in tools
        .last_mut()
        .into_iter()
        .chain(system.last_mut())
        .chain(own)
    {
        if let Value::Object(fields) = block {
            fields.insert("cache_control".into(), control.clone());
        }
    }
}
