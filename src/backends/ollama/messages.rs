//! Turns as messages.

use serde_json::{Map, Value, json};

use super::Ollama;
use crate::backends::Note;
use crate::backends::media::{self, Sent};
use crate::plan::{Item, Media, MediaKind, Part, Prompt, Returned, Turn};

/// Gives the messages of a prompt, in its order.
pub(super) fn list(prompt: &Prompt, speaker: &Ollama, notes: &mut Vec<Note>) -> Vec<Value> {
    let last_user = prompt
        .turns
        .iter()
        .rposition(|turn| matches!(turn, Turn::User(_)))
        .unwrap_or(0);
    let mut messages = Vec::new();
    for (place, turn) in prompt.turns.iter().enumerate() {
        match turn {
            Turn::System(text) => messages.push(json!({"role": "system", "content": text})),
            Turn::User(parts) => messages.push(user(parts, notes)),
            Turn::Assistant(items) => {
                // What a model thought in earlier turns is of no use to it, and costs its context.
                let thoughts = place > last_user;
                messages.push(assistant(items, thoughts, speaker));
            }
            Turn::Results(returned) => {
                messages.extend(returned.iter().map(|one| result(one, notes)));
            }
        }
    }
    messages
}

fn user(parts: &[Part], notes: &mut Vec<Note>) -> Value {
    let mut texts = Vec::new();
    let mut images = Vec::new();
    for part in parts {
        match part {
            Part::Text(text) => texts.push(text.clone()),
            Part::Media(media) => add_media(media, &mut texts, &mut images, notes),
        }
    }
    message("user", &texts, images)
}

/// A message of text with images beside it, which is the only place that they have.
fn message(role: &str, texts: &[String], images: Vec<Value>) -> Value {
    let mut message = Map::new();
    message.insert("role".into(), role.into());
    message.insert("content".into(), texts.join("\n\n").into());
    if !images.is_empty() {
        message.insert("images".into(), images.into());
    }
    Value::Object(message)
}

fn add_media(
    media: &Media,
    texts: &mut Vec<String>,
    images: &mut Vec<Value>,
    notes: &mut Vec<Note>,
) {
    match (media.kind, media::sent(media)) {
        (MediaKind::Image, Sent::Bytes { base64, .. }) => images.push(base64.into()),
        (MediaKind::Image, Sent::Url(_)) => {
            let why = "Ollama fetches no pictures; name a file instead";
            texts.push(media::left_out(media, why, notes));
        }
        (MediaKind::Pdf, _) => {
            let why = "Ollama takes no PDFs";
            texts.push(media::left_out(media, why, notes));
        }
    }
}

fn assistant(items: &[Item], thoughts: bool, speaker: &Ollama) -> Value {
    let mut texts = Vec::new();
    let mut thinking = Vec::new();
    let mut calls = Vec::new();
    for item in items {
        match item {
            Item::Text(text) => texts.push(text.clone()),
            Item::Call(call) => calls.push(json!({
                "function": {"name": call.name.0, "arguments": call.arguments},
            })),
            Item::Reasoning(one) if thoughts && one.provider == speaker.provider => {
                thinking.extend(one.text.clone());
            }
            Item::Reasoning(_) => {}
        }
    }
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), texts.join("\n\n").into());
    if !thinking.is_empty() {
        message.insert("thinking".into(), thinking.join("\n\n").into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

fn result(returned: &Returned, notes: &mut Vec<Note>) -> Value {
    let mut texts = vec![returned.output.content.clone()];
    let mut images = Vec::new();
    for media in &returned.media {
        add_media(media, &mut texts, &mut images, notes);
    }
    let mut message = message("tool", &texts, images);
    if let (Some(name), Value::Object(fields)) = (&returned.output.name, &mut message) {
        fields.insert("tool_name".into(), name.0.clone().into());
    }
    message
}
