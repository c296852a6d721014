//! Turns as items.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Responses, decode};
use crate::backends::media::{self, Sent};
use crate::backends::{Note, Question};
use crate::plan::{Item, Media, MediaKind, Part, Returned, Turn};

/// Gives the instructions and the items of a question, in its order. What the provider knows
/// already is left out. It carries items on, but not instructions: so system text at the start of a
/// kept conversation stands there, and is neither lost nor said twice.
pub(super) fn items<'a>(
    question: &Question<'a>,
    speaker: &Responses,
    notes: &mut Vec<Note>,
) -> (Option<&'a str>, Vec<Value>) {
    let known = question.previous.map_or(0, |previous| previous.turns);
    let turns = &question.prompt.turns;
    let (instructions, begin) = match turns.first() {
        Some(Turn::System(text)) if question.keep => (Some(text.as_str()), 1),
        _ => (None, 0),
    };
    let mut items = Vec::new();
    let mut given = HashSet::new();
    for turn in turns.iter().skip(begin.max(known)) {
        match turn {
            Turn::System(text) => items.push(json!({"role": "developer", "content": text})),
            Turn::User(parts) => items.push(user(parts, notes)),
            Turn::Assistant(made) => assistant(made, speaker, &mut given, &mut items),
            Turn::Results(returned) => {
                items.extend(returned.iter().map(|one| result(one, notes)));
            }
        }
    }
    (instructions, items)
}

fn user(parts: &[Part], notes: &mut Vec<Note>) -> Value {
    let content: Value = match parts {
        [Part::Text(text)] => text.clone().into(),
        parts => parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => json!({"type": "input_text", "text": text}),
                Part::Media(media) => media_part(media, notes),
            })
            .collect(),
    };
    json!({"role": "user", "content": content})
}

fn media_part(media: &Media, notes: &mut Vec<Note>) -> Value {
    match (media.kind, media::sent(media)) {
        (MediaKind::Image, Sent::Bytes { mime, .. }) if !media::PICTURES.contains(&mime) => {
            let text = media::left_out(media, &format!("OpenAI takes no {mime}"), notes);
            json!({"type": "input_text", "text": text})
        }
        (MediaKind::Image, _) => {
            json!({"type": "input_image", "detail": "auto", "image_url": media::url(media)})
        }
        (MediaKind::Pdf, Sent::Bytes { .. }) => json!({
            "type": "input_file",
            "filename": media::file_name(media),
            "file_data": media::url(media),
        }),
        (MediaKind::Pdf, Sent::Url(url)) => json!({"type": "input_file", "file_url": url}),
    }
}

/// The key under which a record holds what belongs to the message after it.
pub(super) const MESSAGE: &str = "message";

/// Adds what the model made. An item of the provider's own goes back once, even where a chat holds
/// copies of it: two of one id are refused.
fn assistant<'a>(
    made: &'a [Item],
    speaker: &Responses,
    given: &mut HashSet<&'a str>,
    items: &mut Vec<Value>,
) {
    // What a record tells of the next message, such as its phase.
    let mut of_next: Option<&Value> = None;
    for item in made {
        match item {
            Item::Text(text) => {
                // Llama.cpp takes an answer for no item unless it says that it is a message.
                let mut message = json!({"type": "message", "role": "assistant", "content": text});
                if let Some(phase) = of_next.take().and_then(|fields| fields.get("phase")) {
                    message["phase"] = phase.clone();
                }
                items.push(message);
            }
            Item::Call(call) => items.push(json!({
                "type": "function_call",
                "call_id": call.id.0,
                "name": call.name.0,
                "arguments": Value::Object(call.arguments.clone()).to_string(),
            })),
            Item::Reasoning(one) if one.provider == speaker.provider => {
                let Some(data) = &one.data else { continue };
                match data.get(MESSAGE) {
                    Some(fields) => of_next = Some(fields),
                    None if decode::goes_back(data) && given.insert(decode::text(data, "id")) => {
                        items.push(data.clone());
                    }
                    None => {}
                }
            }
            Item::Reasoning(_) => {}
        }
    }
}

fn result(returned: &Returned, notes: &mut Vec<Note>) -> Value {
    let output: Value = if returned.media.is_empty() {
        returned.output.content.clone().into()
    } else {
        let text = json!({"type": "input_text", "text": returned.output.content});
        let media = returned.media.iter().map(|media| media_part(media, notes));
        std::iter::once(text).chain(media).collect()
    };
    json!({
        "type": "function_call_output",
        "call_id": returned.output.id.0,
        "output": output,
    })
}
