//! Turns as messages of blocks.

use serde_json::{Value, json};

use super::Bedrock;
use super::blocks::{self, DocumentNames};
use super::family::Family;
use crate::backends::{Note, media};
use crate::plan::{Item, Media, MediaKind, Part, Prompt, Returned, Turn};

/// The system text that comes first, and the messages.
pub(super) struct Split {
    pub(super) system: Vec<String>,
    pub(super) messages: Vec<Value>,
    /// Whether the model is in the middle of calls and has not thought before them: then it may
    /// not be told to think with a budget.
    pub(super) goes_on_without_thinking: bool,
}

/// The most documents and pictures of a request; of more, the newest are shown.
const MOST_DOCUMENTS: usize = 5;
const MOST_PICTURES: usize = 20;

/// Takes a prompt apart. Roles take turns in the messages, and what comes later as system text
/// stands in its place as the user's, inside `<system>` and `</system>`.
pub(super) fn split(
    prompt: &Prompt,
    speaker: &Bedrock,
    family: Family,
    notes: &mut Vec<Note>,
) -> Split {
    let mut system = Vec::new();
    let mut messages = Messages(Vec::new());
    let mut writing = Writing {
        speaker,
        family,
        names: DocumentNames::default(),
        passed_over: Counts::of(prompt).beyond(),
        notes,
    };
    for turn in &prompt.turns {
        match turn {
            Turn::System(text) if messages.0.is_empty() => system.push(text.clone()),
            Turn::System(text) => {
                let text = format!("<system>\n{text}\n</system>");
                messages.add("user", vec![json!({"text": text})]);
            }
            Turn::User(parts) => messages.add("user", writing.user(parts)),
            Turn::Assistant(items) => messages.add("assistant", writing.assistant(items)),
            Turn::Results(returned) => messages.add("user", writing.results(returned)),
        }
    }
    let mut messages = messages.0;
    for message in &mut messages {
        introduce_documents(message);
    }
    let goes_on_without_thinking = match messages.as_slice() {
        [.., asked, answer] if answer["content"][0].get("toolResult").is_some() => {
            asked["content"][0].get("reasoningContent").is_none()
        }
        _ => false,
    };
    Split {
        system,
        messages,
        goes_on_without_thinking,
    }
}

/// How many media there are of each kind.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    documents: usize,
    pictures: usize,
}

impl Counts {
    fn of(prompt: &Prompt) -> Counts {
        let mut counts = Counts::default();
        for turn in &prompt.turns {
            match turn {
                Turn::User(parts) => parts.iter().for_each(|part| match part {
                    Part::Media(media) => *counts.of_kind(media) += 1,
                    Part::Text(_) => {}
                }),
                Turn::Results(returned) => returned
                    .iter()
                    .flat_map(|one| &one.media)
                    .for_each(|media| *counts.of_kind(media) += 1),
                Turn::System(_) | Turn::Assistant(_) => {}
            }
        }
        counts
    }

    fn of_kind(&mut self, media: &Media) -> &mut usize {
        match media.kind {
            MediaKind::Image => &mut self.pictures,
            MediaKind::Pdf => &mut self.documents,
        }
    }

    /// Gives how many are more than a request takes.
    fn beyond(self) -> Counts {
        Counts {
            documents: self.documents.saturating_sub(MOST_DOCUMENTS),
            pictures: self.pictures.saturating_sub(MOST_PICTURES),
        }
    }
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

/// Puts a text before the documents of a message that has none: the API wants one beside them.
fn introduce_documents(message: &mut Value) {
    let Some(blocks) = message["content"].as_array_mut() else {
        return;
    };
    let has = |kind: &str| blocks.iter().any(|block| block.get(kind).is_some());
    if has("document") && !has("text") {
        let results = blocks
            .iter()
            .take_while(|block| block.get("toolResult").is_some())
            .count();
        blocks.insert(results, json!({"text": "(a document)"}));
    }
}

struct Writing<'a> {
    speaker: &'a Bedrock,
    family: Family,
    names: DocumentNames,
    /// The media that are not shown because there are too many, counted down.
    passed_over: Counts,
    notes: &'a mut Vec<Note>,
}

impl Writing<'_> {
    fn user(&mut self, parts: &[Part]) -> Vec<Value> {
        parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => json!({"text": text}),
                Part::Media(media) => self.media(media),
            })
            .collect()
    }

    fn media(&mut self, media: &Media) -> Value {
        let left = self.passed_over.of_kind(media);
        if *left > 0 {
            *left -= 1;
            let most = match media.kind {
                MediaKind::Image => MOST_PICTURES,
                MediaKind::Pdf => MOST_DOCUMENTS,
            };
            let why = format!("{most} are the most that Bedrock takes, and there are newer ones");
            return json!({"text": media::left_out(media, &why, self.notes)});
        }
        blocks::of_media(media, &mut self.names, self.notes)
    }

    fn assistant(&self, items: &[Item]) -> Vec<Value> {
        let mut blocks: Vec<Value> = items
            .iter()
            .filter_map(|item| match item {
                Item::Text(text) => Some(json!({"text": text})),
                Item::Call(call) => Some(json!({"toolUse": {
                    "toolUseId": call.id.0,
                    "name": call.name.0,
                    "input": call.arguments,
                }})),
                Item::Reasoning(one) if one.provider == self.speaker.provider => {
                    blocks::of_thought(one, self.family)
                }
                Item::Reasoning(_) => None,
            })
            .collect();
        // Some models refuse a text of theirs that ends in white space, where it is the last block.
        if let Some(Value::String(text)) = blocks.last_mut().and_then(|last| last.get_mut("text")) {
            text.truncate(text.trim_end().len());
        }
        blocks
    }

    /// Gives the results, and after all of them the media that cannot stand inside.
    fn results(&mut self, returned: &[Returned]) -> Vec<Value> {
        let mut after = Vec::new();
        let mut all: Vec<Value> = Vec::new();
        for one in returned {
            let output = &one.output;
            let media: Vec<Value> = one.media.iter().map(|media| self.media(media)).collect();
            let rich = self.family.takes_rich_results();
            let text = match (output.content.trim(), output.error) {
                ("", true) => "(the tool failed and said nothing)".to_owned(),
                ("", false) => "(the tool gave nothing)".to_owned(),
                (_, true) if !rich => format!("error: {}", output.content),
                (_, true | false) => output.content.clone(),
            };
            let mut content = vec![json!({"text": text})];
            if rich {
                content.extend(media);
            } else if !media.is_empty() {
                let kinds = one.media.iter().map(media::kind).collect::<Vec<_>>();
                after.push(json!({"text": format!(
                    "({} of the call {})", kinds.join(", "), output.id.0
                )}));
                after.extend(media);
            }
            let mut result = json!({"toolUseId": output.id.0, "content": content});
            if output.error && rich {
                result["status"] = "error".into();
            }
            all.push(json!({"toolResult": result}));
        }
        all.append(&mut after);
        all
    }
}
