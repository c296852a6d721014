//! Turns as contents of parts.

use serde_json::{Map, Value, json};

use super::encode::is_mixed;
use super::models::{SIGNING, generation, is_same};
use super::{Gemini, media};
use crate::backends::{Note, Question};
use crate::plan::{Item, Part, Returned, Turn};

/// What stands for the signature of a call that the model has not made itself, as Google's
/// documentation of thought signatures gives it.
const UNSIGNED: &str = "skip_thought_signature_validator";

/// Gives the system text that comes first, and the contents: roles take turns in them, and what
/// comes later as system text stands in its place as the user's, inside `<system>` and `</system>`.
pub(super) fn split(
    question: &Question<'_>,
    speaker: &Gemini,
    notes: &mut Vec<Note>,
) -> (Vec<String>, Vec<Value>) {
    let turns = &question.prompt.turns;
    let last_user = turn_begun(turns);
    let mut system = Vec::new();
    let mut contents = Contents(Vec::new());
    for (place, turn) in turns.iter().enumerate() {
        match turn {
            Turn::System(text) if contents.0.is_empty() => system.push(text.clone()),
            Turn::System(text) => {
                let text = format!("<system>\n{text}\n</system>");
                contents.add("user", vec![json!({"text": text})]);
            }
            Turn::User(parts) => {
                let parts = parts.iter().map(|part| match part {
                    Part::Text(text) => json!({"text": text}),
                    Part::Media(media) => media::part(media, question.model, notes),
                });
                contents.add("user", parts.collect());
            }
            Turn::Assistant(items) => {
                let current = place > last_user;
                contents.add("model", model(items, question, speaker, current));
            }
            Turn::Results(returned) => {
                contents.add("user", responses(returned, question.model, notes));
            }
        }
    }
    (system, contents.0)
}

/// Gives the place of the turn of the user that began what is under way. One that comes right after
/// results is sent in one content with them, and begins nothing.
fn turn_begun(turns: &[Turn]) -> usize {
    let mut begun = 0;
    let mut answered = false;
    for (place, turn) in turns.iter().enumerate() {
        match turn {
            Turn::User(_) | Turn::System(_) if !answered => begun = place,
            Turn::User(_) | Turn::System(_) => {}
            Turn::Assistant(_) => answered = false,
            Turn::Results(_) => answered = true,
        }
    }
    begun
}

/// Contents whose roles take turns.
struct Contents(Vec<Value>);

impl Contents {
    fn add(&mut self, role: &str, mut parts: Vec<Value>) {
        if let Some(last) = self.0.last_mut()
            && last["role"] == role
            && let Some(before) = last["parts"].as_array_mut()
        {
            before.append(&mut parts);
        } else if !parts.is_empty() {
            self.0.push(json!({"role": role, "parts": parts}));
        }
    }
}

/// The key of the signature of a part.
pub(super) const SIGNATURE: &str = "thoughtSignature";

/// The key of the model in what is recorded for it.
pub(super) const MODEL: &str = "model";

/// Parts that the provider has made with tools of its own, and wants back as they are.
pub(super) const RAW: [&str; 4] = [
    "toolCall",
    "toolResponse",
    "executableCode",
    "codeExecutionResult",
];

/// Gives the parts of a turn of the model, each with what the model has signed on it. In the turn
/// that is under way the first call of a step must have a signature.
fn model(items: &[Item], question: &Question<'_>, speaker: &Gemini, current: bool) -> Vec<Value> {
    let mut signature: Option<&Value> = None;
    let mut parts = Vec::new();
    let mut calls = 0;
    for item in items {
        let mut part = match item {
            Item::Reasoning(one) => {
                let data = one.data.as_ref().filter(|data| {
                    let made_by = data.get(MODEL).and_then(Value::as_str);
                    one.provider == speaker.provider
                        && made_by.is_none_or(|made_by| is_same(made_by, question.model))
                });
                signature = data.and_then(|data| data.get(SIGNATURE)).or(signature);
                // Without the same tools in the request, such parts are refused.
                let raw = data.and_then(|data| data.get("part"));
                parts.extend(raw.filter(|_| is_mixed(question)).cloned());
                continue;
            }
            Item::Text(text) => json!({"text": text}),
            Item::Call(call) => {
                calls += 1;
                json!({"functionCall": {
                    "id": call.id.0, "name": call.name.0, "args": call.arguments,
                }})
            }
        };
        let is_first_call = calls == 1 && matches!(item, Item::Call(_));
        let needs_one = is_first_call && current && generation(question.model) >= SIGNING;
        let signed = signature
            .take()
            .cloned()
            .or_else(|| needs_one.then(|| UNSIGNED.into()));
        if let (Some(signed), Value::Object(fields)) = (signed, &mut part) {
            fields.insert(SIGNATURE.into(), signed);
        }
        parts.push(part);
    }
    parts
}

fn responses(returned: &[Returned], model: &str, notes: &mut Vec<Note>) -> Vec<Value> {
    let inside = generation(model) >= SIGNING;
    let mut parts = Vec::new();
    let mut beside = Vec::new();
    for one in returned {
        let output = &one.output;
        let name = output.name.as_ref().map_or("", |name| name.0.as_str());
        let key = if output.error { "error" } else { "output" };
        let mut response = Map::new();
        response.insert("id".into(), output.id.0.clone().into());
        response.insert("name".into(), name.into());
        response.insert("response".into(), json!({key: output.content}));
        let media: Vec<Value> = one
            .media
            .iter()
            .map(|media| media::part(media, model, notes))
            .collect();
        if inside && !media.is_empty() && media.iter().all(media::fits_in_response) {
            response.insert("parts".into(), media.into());
        } else if !media.is_empty() {
            beside.push(json!({"text": format!("(from {name}, call {})", output.id.0)}));
            beside.extend(media);
        }
        parts.push(json!({"functionResponse": response}));
    }
    // Responses come before anything else, as many as there were calls.
    parts.append(&mut beside);
    parts
}
