//! Turns as messages of blocks.

use serde_json::{Map, Value, json};

use super::{Anthropic, blocks};
use crate::backends::Note;
use crate::plan::{Item, Part, Prompt, Returned, Turn};

/// Gives the system text that comes first, and the messages: roles take turns in them, and what
/// comes later as system text stands in its place as the user's, inside `<system>` and `</system>`.
pub(super) fn split(
    prompt: &Prompt,
    speaker: &Anthropic,
    notes: &mut Vec<Note>,
) -> (Vec<String>, Vec<Value>) {
    let mut system = Vec::new();
    let mut messages = Messages(Vec::new());
    for turn in &prompt.turns {
        match turn {
            Turn::System(text) if messages.0.is_empty() => system.push(text.clone()),
            Turn::System(text) => {
                let text = format!("<system>\n{text}\n</system>");
                messages.add("user", vec![json!({"type": "text", "text": text})]);
            }
            Turn::User(parts) => messages.add("user", user(parts, notes)),
            Turn::Assistant(items) => messages.add("assistant", assistant(items, speaker)),
            Turn::Results(returned) => {
                let results = returned.iter().map(|one| result(one, notes)).collect();
                messages.add("user", results);
            }
        }
    }
    (system, messages.0)
}

/// Messages whose roles take turns.
struct Messages(Vec<Value>);

impl Messages {
    fn add(&mut self, role: &str, mut blocks: Vec<Value>) {
        if let Some(last) = self.0.last_mut()
            && last["role"] == role
            && let Some(before) = last["content"].as_array_mut()
        {
            before.append(&mut blocks);
        } else if !blocks.is_empty() {
            self.0.push(json!({"role": role, "content": blocks}));
        }
    }
}

fn user(parts: &[Part], notes: &mut Vec<Note>) -> Vec<Value> {
    parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => json!({"type": "text", "text": text}),
            Part::Media(media) => blocks::of_media(media, notes),
        })
        .collect()
}

fn assistant(items: &[Item], speaker: &Anthropic) -> Vec<Value> {
    let mut blocks: Vec<Value> = items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(json!({"type": "text", "text": text})),
            Item::Call(call) => Some(json!({
                "type": "tool_use",
                "id": call.id.0,
                "name": call.name.0,
                "input": call.arguments,
            })),
            Item::Reasoning(one) if one.provider == speaker.provider => blocks::of_thought(one),
            Item::Reasoning(_) => None,
        })
        .collect();
    // The API refuses a text of the model that ends in white space, where it is the last block.
    if let Some(Value::String(text)) = blocks.last_mut().and_then(|last| last.get_mut("text")) {
        text.truncate(text.trim_end().len());
    }
    blocks
}

fn result(returned: &Returned, notes: &mut Vec<Note>) -> Value {
    let output = &returned.output;
    let mut content = vec![json!({"type": "text", "text": output.content})];
    content.extend(
        returned
            .media
            .iter()
            .map(|media| blocks::of_media(media, notes)),
    );
    let mut block = Map::new();
    block.insert("type".into(), "tool_result".into());
    block.insert("tool_use_id".into(), output.id.0.clone().into());
    block.insert("content".into(), content.into());
    if output.error {
        block.insert("is_error".into(), true.into());
    }
    Value::Object(block)
}
