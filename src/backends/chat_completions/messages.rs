//! Turns as messages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    Alternation, CallIds, CallOnly, ChatCompletions, Echo, LateSystem, SystemRole, WireSettings,
};
use crate::chat::{CallId, Reasoning, ToolCall, ToolOutput};
use crate::plan::{Item, Media, MediaKind, MediaSource, Part, Prompt, Turn};

/// Gives the messages of a prompt, in its order.
pub(super) fn list(prompt: &Prompt, speaker: &ChatCompletions) -> Vec<Value> {
    let settings = &speaker.settings;
    let turns = fitted(&prompt.turns, settings);
    let last_user = turns
        .iter()
        .rposition(|turn| matches!(turn, Turn::User(_)))
        .unwrap_or(0);
    let mut messages = Vec::new();
    for (place, turn) in turns.iter().enumerate() {
        match turn {
            Turn::System(text) => messages.push(json!({
                "role": match settings.system_role {
                    SystemRole::System => "system",
                    SystemRole::Developer => "developer",
                },
                "content": text,
            })),
            Turn::User(parts) => messages.push(json!({"role": "user", "content": content(parts)})),
            Turn::Assistant(items) => {
                let echo = match settings.echo {
                    Echo::SinceUser if place > last_user => Echo::SinceUser,
                    Echo::SinceUser | Echo::Never => Echo::Never,
                };
                messages.push(assistant(items, echo, speaker));
            }
            Turn::Results(returned) => {
                messages.extend(returned.iter().map(|one| result(&one.output, settings)));
            }
        }
    }
    messages
}

/// Gives the turns as this speaker accepts them.
fn fitted(turns: &[Turn], settings: &WireSettings) -> Vec<Turn> {
    let mut fitted: Vec<Turn> = Vec::with_capacity(turns.len());
    for turn in turns {
        match (turn, settings.late_system) {
            (Turn::System(text), LateSystem::AsUser) if !fitted.is_empty() => {
                let text = format!("<system>\n{text}\n</system>");
                add_user(&mut fitted, &[Part::Text(text)], settings);
            }
            (Turn::System(_) | Turn::Assistant(_) | Turn::Results(_), _) => {
                fitted.push(turn.clone());
            }
            (Turn::User(parts), _) => add_user(&mut fitted, parts, settings),
        }
    }
    fitted
}

fn add_user(turns: &mut Vec<Turn>, parts: &[Part], settings: &WireSettings) {
    match (turns.last_mut(), settings.alternation) {
        (Some(Turn::User(before)), _) => {
            before.extend(parts.iter().cloned());
            return;
        }
        (Some(Turn::Results(_)), Alternation::Strict) => {
            turns.push(Turn::Assistant(vec![Item::Text("(results noted)".into())]));
        }
        (Some(Turn::System(_) | Turn::Assistant(_) | Turn::Results(_)) | None, _) => {}
    }
    turns.push(Turn::User(parts.to_vec()));
}

/// Text alone is sent as a string, which is all that some servers read.
fn content(parts: &[Part]) -> Value {
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Media(_) => None,
        })
        .collect();
    if let Some(texts) = texts {
        return texts.join("\n\n").into();
    }
    parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => json!({"type": "text", "text": text}),
            Part::Media(media) => media_part(media),
        })
        .collect()
}

fn media_part(media: &Media) -> Value {
    let url = match &media.source {
        MediaSource::Url(url) => url.clone(),
        MediaSource::Bytes { mime, bytes } => {
            format!("data:{mime};base64,{}", STANDARD.encode(bytes))
        }
    };
    match media.kind {
        MediaKind::Image => json!({"type": "image_url", "image_url": {"url": url}}),
        MediaKind::Pdf => {
            let name = media.name.rsplit('/').next().unwrap_or_default();
            let name = if name.is_empty() {
                "document.pdf"
            } else {
                name
            };
            json!({"type": "file", "file": {"filename": name, "file_data": url}})
        }
    }
}

fn assistant(items: &[Item], echo: Echo, speaker: &ChatCompletions) -> Value {
    let settings = &speaker.settings;
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    let mut thoughts = Vec::new();
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    for item in items {
        match item {
            Item::Text(text) => texts.push(text.as_str()),
            Item::Call(one) => calls.push(call(one, settings)),
            Item::Reasoning(reasoning) if reasoning.provider == speaker.provider => {
                give_back(&mut message, reasoning);
                thoughts.extend(reasoning.text.as_deref());
            }
            Item::Reasoning(_) => {}
        }
    }
    let content = match settings.call_only {
        CallOnly::Null if texts.is_empty() => Value::Null,
        CallOnly::Null | CallOnly::EmptyText => texts.join("\n\n").into(),
    };
    message.insert("content".into(), content);
    if echo == Echo::SinceUser && !thoughts.is_empty() {
        message.insert("reasoning_content".into(), thoughts.join("\n\n").into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

/// Puts fields of the speaker's own back where they came from, lists after lists.
fn give_back(message: &mut Map<String, Value>, reasoning: &Reasoning) {
    let Some(Value::Object(fields)) = &reasoning.data else {
        return;
    };
    for (name, value) in fields {
        if ["role", "content", "tool_calls"].contains(&name.as_str()) {
            continue;
        }
        match (message.get_mut(name), value) {
            (Some(Value::Array(before)), Value::Array(more)) => before.extend(more.clone()),
            (Some(_) | None, _) => {
                message.insert(name.clone(), value.clone());
            }
        }
    }
}

fn call(call: &ToolCall, settings: &WireSettings) -> Value {
    json!({
        "id": id(&call.id, settings),
        "type": "function",
        "function": {
            "name": call.name.0,
            "arguments": Value::Object(call.arguments.clone()).to_string(),
        },
    })
}

fn result(output: &ToolOutput, settings: &WireSettings) -> Value {
    json!({
        "role": "tool",
        "tool_call_id": id(&output.id, settings),
        "content": output.content,
    })
}

fn id(id: &CallId, settings: &WireSettings) -> String {
    match settings.call_ids {
        CallIds::NineAlphanumerics
            if id.0.len() != 9 || !id.0.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            const DIGITS: &[u8; 62] =
                b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
            Sha256::digest(id.0.as_bytes())[..9]
                .iter()
                .map(|byte| char::from(DIGITS[usize::from(*byte) % DIGITS.len()]))
                .collect()
        }
        CallIds::NineAlphanumerics | CallIds::Any => id.0.clone(),
    }
}
