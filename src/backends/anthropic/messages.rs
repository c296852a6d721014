//! Turns as messages.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::Anthropic;
use crate::backends::media::{self, Sent};
use crate::backends::{ModelFacts, Note, Question};
use crate::chat::Reasoning;
use crate::plan::{Item, Media, MediaKind, Part, Prompt, Returned, Turn};

/// What the API takes as pictures.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The mark of the provider itself, which signs what its models think.
const PROVIDER: &str = "anthropic";

/// A prompt in the words of the API.
pub(super) struct Said {
    pub(super) system: Vec<Value>,
    pub(super) messages: Vec<Value>,
    /// Whether the model goes on with a turn that was paused.
    pub(super) resumes: bool,
}

/// Where the blocks of an assistant stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The turn is over.
    Over,
    /// It goes on where it paused: what it ends in goes back as it is.
    Paused,
}

/// Gives the messages of a prompt. System text that does not come first is sent in its place as
/// the user's, inside `<system>` and `</system>`: only the newest models know such a message.
pub(super) fn said(question: &Question<'_>, speaker: &Anthropic, notes: &mut Vec<Note>) -> Said {
    let (prompt, facts) = (question.prompt, question.facts);
    let resumes = resumes(prompt, speaker);
    let mut turns = prompt.turns.as_slice();
    if resumes
        && prompt
            .paused
            .iter()
            .any(|item| matches!(item, Item::Text(_)))
    {
        // Others are shown the texts of the paused turn, and are asked to go on.
        turns = &turns[..turns.len().saturating_sub(2)];
    }
    let mut system = Vec::new();
    let mut messages = Vec::new();
    for turn in turns {
        match turn {
            Turn::System(text) if messages.is_empty() => system.push(text_block(text)),
            Turn::System(text) => {
                let text = text_block(&format!("<system>\n{text}\n</system>"));
                add(&mut messages, "user", vec![text]);
            }
            Turn::User(parts) => {
                let blocks = parts.iter().map(|part| match part {
                    Part::Text(text) => text_block(text),
                    Part::Media(media) => medium(media, facts, notes),
                });
                let blocks = blocks.collect();
                add(&mut messages, "user", blocks);
            }
            Turn::Assistant(items) => {
                let blocks = assistant(items, Standing::Over, speaker);
                add(&mut messages, "assistant", blocks);
            }
            Turn::Results(returned) => add(&mut messages, "user", results(returned, facts, notes)),
        }
    }
    if resumes {
        let blocks = assistant(&prompt.paused, Standing::Paused, speaker);
        add(&mut messages, "assistant", blocks);
    }
    Said {
        system,
        messages,
        resumes,
    }
}

/// Tells whether the last turn of the model goes on with calls, or after a pause, and did not begin
/// with thinking: then a budget of thinking is refused.
pub(super) fn goes_on_without_thinking(prompt: &Prompt, speaker: &Anthropic) -> bool {
    // Text of the user beside the results does not end the turn that they belong to.
    let last = prompt.turns.iter().rev().find_map(|turn| match turn {
        Turn::Assistant(items) => Some(items),
        Turn::System(_) | Turn::User(_) | Turn::Results(_) => None,
    });
    let calls = |items: &&Vec<Item>| items.iter().any(|item| matches!(item, Item::Call(_)));
    let items = if resumes(prompt, speaker) {
        &prompt.paused
    } else {
        match last.filter(calls) {
            Some(items) => items,
            None => return false,
        }
    };
    let blocks = assistant(items, Standing::Over, speaker);
    !blocks.first().is_some_and(is_thought)
}

/// Only what this speaker paused can be gone on with.
fn resumes(prompt: &Prompt, speaker: &Anthropic) -> bool {
    prompt.paused.iter().any(|item| match item {
        Item::Reasoning(one) => block_of(one, speaker).is_some(),
        Item::Text(_) | Item::Call(_) => false,
    })
}

/// Adds blocks to the last message when it is of this role.
fn add(messages: &mut Vec<Value>, role: &str, mut blocks: Vec<Value>) {
    if blocks.is_empty() {
        return;
    }
    let last = messages.last_mut().filter(|last| last["role"] == role);
    match last.and_then(|last| last["content"].as_array_mut()) {
        Some(before) => before.append(&mut blocks),
        None => messages.push(json!({"role": role, "content": blocks})),
    }
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Gives a picture or a document, or words in its place.
fn medium(media: &Media, facts: &ModelFacts, notes: &mut Vec<Note>) -> Value {
    let taken = match media.kind {
        MediaKind::Image => facts.images,
        MediaKind::Pdf => facts.pdf,
    };
    if taken == Some(false) {
        let why = format!("this model takes no {}s", media::kind(media));
        return text_block(&media::left_out(media, &why, notes));
    }
    let source = match media::sent(media) {
        Sent::Bytes { mime, base64 } => {
            let known = match media.kind {
                MediaKind::Image => PICTURES.contains(&mime),
                MediaKind::Pdf => mime == "application/pdf",
            };
            if !known {
                let why = format!("Anthropic does not take `{mime}`");
                return text_block(&media::left_out(media, &why, notes));
            }
            json!({"type": "base64", "media_type": mime, "data": base64})
        }
        Sent::Url(url) if url.starts_with("https://") || url.starts_with("http://") => {
            json!({"type": "url", "url": url})
        }
        Sent::Url(_) => {
            let why = "Anthropic fetches only `http` and `https`";
            return text_block(&media::left_out(media, why, notes));
        }
    };
    match media.kind {
        MediaKind::Image => json!({"type": "image", "source": source}),
        MediaKind::Pdf => json!({
            "type": "document",
            "source": source,
            "title": media::file_name(media),
        }),
    }
}

/// Results come before all else in a message. One that tells of a failure may hold text only, so
/// its media follow after all results.
fn results(returned: &[Returned], facts: &ModelFacts, notes: &mut Vec<Note>) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut after = Vec::new();
    for one in returned {
        let output = &one.output;
        let mut block = Map::new();
        block.insert("type".into(), "tool_result".into());
        block.insert("tool_use_id".into(), output.id.0.clone().into());
        let media: Vec<Value> = one
            .media
            .iter()
            .map(|media| medium(media, facts, notes))
            .collect();
        if media.is_empty() || output.error {
            block.insert("content".into(), output.content.clone().into());
        } else {
            let text = text_block(&output.content);
            let content = std::iter::once(text).chain(media.iter().cloned());
            block.insert("content".into(), content.collect());
        }
        if output.error {
            block.insert("is_error".into(), true.into());
            if !media.is_empty() {
                after.push(text_block(&format!("(of the call {})", output.id.0)));
                after.extend(media);
            }
        }
        blocks.push(block.into());
    }
    blocks.extend(after);
    blocks
}

fn assistant(items: &[Item], standing: Standing, speaker: &Anthropic) -> Vec<Value> {
    let mut blocks: Vec<Value> = items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(text_block(text)),
            Item::Call(call) => Some(json!({
                "type": "tool_use",
                "id": call.id.0,
                "name": call.name.0,
                "input": call.arguments,
            })),
            Item::Reasoning(reasoning) => block_of(reasoning, speaker),
        })
        .collect();
    match standing {
        Standing::Over => {
            drop_single_halves(&mut blocks);
            while blocks.last().is_some_and(is_thought) {
                blocks.pop();
            }
        }
        Standing::Paused => trim_last_text(&mut blocks),
    }
    blocks
}

/// What the model ends in must not be blank at its end when it is to go on from there.
fn trim_last_text(blocks: &mut [Value]) {
    if let Some(Value::Object(last)) = blocks.last_mut()
        && let Some(Value::String(text)) = last.get_mut("text")
    {
        text.truncate(text.trim_end().len());
    }
}

fn is_thought(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

/// The call of a server's tool and its result are accepted only together, once and in this order.
fn drop_single_halves(blocks: &mut Vec<Value>) {
    let (mut open, mut whole) = (HashSet::new(), HashSet::new());
    for block in blocks.iter() {
        open.extend(called(block));
        whole.extend(resulted(block).filter(|id| open.contains(id)));
    }
    let (mut begun, mut ended) = (HashSet::new(), HashSet::new());
    blocks.retain(|block| {
        called(block).is_none_or(|id| whole.contains(&id) && begun.insert(id))
            && resulted(block).is_none_or(|id| begun.contains(&id) && ended.insert(id))
    });
}

fn called(block: &Value) -> Option<String> {
    let is_call = block["type"] == "server_tool_use" || block["type"] == "mcp_tool_use";
    let id = block["id"].as_str().filter(|_| is_call)?;
    Some(id.to_owned())
}

fn resulted(block: &Value) -> Option<String> {
    let kind = block["type"].as_str()?;
    let id = block["tool_use_id"].as_str()?;
    (kind != "tool_result" && kind.ends_with("_tool_result")).then(|| id.to_owned())
}

/// Gives back what this speaker sent, as it was. Thinking without a signature is of use to servers
/// that sign nothing; the provider itself refuses it.
fn block_of(reasoning: &Reasoning, speaker: &Anthropic) -> Option<Value> {
    if reasoning.provider != speaker.provider {
        return None;
    }
    let Some(data) = &reasoning.data else {
        let text = reasoning.text.as_ref()?;
        let unsigned = json!({"type": "thinking", "thinking": text, "signature": ""});
        return (speaker.provider != PROVIDER).then_some(unsigned);
    };
    let mut block = data.as_object()?.clone();
    match block.get("type").and_then(Value::as_str)? {
        "thinking" => {
            let text = reasoning.text.clone().unwrap_or_default();
            block.insert("thinking".into(), text.into());
        }
        // What the chat says itself has its own records.
        "text" | "tool_use" | "tool_result" => return None,
        _ => {}
    }
    Some(block.into())
}
