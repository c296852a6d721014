//! Turns as messages.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    Alternation, CallIds, CallOnly, ChatCompletions, Echo, LateSystem, SystemRole, WireSettings,
};
use crate::backends::Note;
use crate::backends::media::{self, Sent};
use crate::chat::{CallId, Reasoning, ToolCall, ToolOutput};
use crate::plan::{Item, Media, MediaKind, Part, Prompt, Returned, Turn};

/// Gives the messages of a prompt, in its order.
pub(super) fn list(
    prompt: &Prompt,
    speaker: &ChatCompletions,
    notes: &mut Vec<Note>,
) -> Vec<Value> {
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
                "role": system_role(settings),
                "content": text,
            })),
            Turn::User(parts) => {
                messages.push(json!({"role": "user", "content": content(parts, notes)}));
            }
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
            (Turn::System(_) | Turn::Assistant(_), _) => fitted.push(turn.clone()),
            (Turn::Results(returned), _) => {
                fitted.push(turn.clone());
                // Outputs are text alone, so what they show is shown by the user.
                let shown: Vec<Part> = returned.iter().flat_map(shown).collect();
                if !shown.is_empty() {
                    add_user(&mut fitted, &shown, settings);
                }
            }
            (Turn::User(parts), _) => add_user(&mut fitted, parts, settings),
        }
    }
    fitted
}

/// Gives what an output shows, and says of which call it is.
fn shown(returned: &Returned) -> impl Iterator<Item = Part> {
    let output = &returned.output;
    let name = output.name.as_ref().map_or("", |name| name.0.as_str());
    let whose = format!("(shown by {name}, call {})", output.id.0);
    let whose = (!returned.media.is_empty()).then_some(Part::Text(whose));
    whose
        .into_iter()
        .chain(returned.media.iter().cloned().map(Part::Media))
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
fn content(parts: &[Part], notes: &mut Vec<Note>) -> Value {
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
            Part::Media(media) => media_part(media, notes),
        })
        .collect()
}

fn media_part(media: &Media, notes: &mut Vec<Note>) -> Value {
    match (media.kind, media::sent(media)) {
        (MediaKind::Image, Sent::Bytes { mime, .. }) if !media::PICTURES.contains(&mime) => {
            let why = format!("no model is shown {mime}; make it a PNG or JPEG");
            json!({"type": "text", "text": media::left_out(media, &why, notes)})
        }
        (MediaKind::Image, _) => {
            json!({"type": "image_url", "image_url": {"url": media::url(media)}})
        }
        (MediaKind::Pdf, Sent::Bytes { .. }) => json!({"type": "file", "file": {
            "filename": media::file_name(media), "file_data": media::url(media),
        }}),
        (MediaKind::Pdf, Sent::Url(_)) => {
            let why = "Chat Completions has no URLs of documents; name a file instead";
            json!({"type": "text", "text": media::left_out(media, why, notes)})
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

/// Puts the speaker's own fields of reasoning back where they came from, lists after lists.
fn give_back(message: &mut Map<String, Value>, reasoning: &Reasoning) {
    let Some(Value::Object(fields)) = &reasoning.data else {
        return;
    };
    for (name, value) in fields {
        // Nothing else is recorded, and a server refuses fields that it does not know.
        if !name.starts_with("reasoning") {
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

/// Tells whether a message speaks of JSON.
pub(super) fn names_json(message: &Value) -> bool {
    let speaks = |text: &str| text.to_ascii_lowercase().contains("json");
    match &message["content"] {
        Value::String(text) => speaks(text),
        Value::Array(parts) => parts
            .iter()
            .any(|part| part["text"].as_str().is_some_and(speaks)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Adds to the system text that comes first, or puts one there.
pub(super) fn add_system(messages: &mut Vec<Value>, text: &str, settings: &WireSettings) {
    let role = system_role(settings);
    if let Some(Value::String(before)) = messages
        .first_mut()
        .filter(|first| first["role"] == role)
        .and_then(|first| first.get_mut("content"))
    {
        before.push_str("\n\n");
        before.push_str(text);
    } else {
        messages.insert(0, json!({"role": role, "content": text}));
    }
}

fn system_role(settings: &WireSettings) -> &'static str {
    match settings.system_role {
        SystemRole::System => "system",
        SystemRole::Developer => "developer",
    }
}

/// Marks the system text and the last two messages of the user, so that a chat that grows is read
/// from the cache.
pub(super) fn mark(messages: &mut [Value], cache: &Value) {
    let system = messages.iter().position(|one| one["role"] == "system");
    let users = messages
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, one)| one["role"] == "user")
        .map(|(place, _)| place)
        .take(2);
    let places: Vec<usize> = system.into_iter().chain(users).collect();
    for place in places {
        let content = &mut messages[place]["content"];
        if let Value::String(text) = content {
            *content = json!([{"type": "text", "text": text}]);
        }
        if let Some(Value::Object(last)) = content.as_array_mut().and_then(|parts| parts.last_mut())
        {
            last.insert("cache_control".to_owned(), cache.clone());
        }
    }
}
