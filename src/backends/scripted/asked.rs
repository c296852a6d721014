//! What a scripted model was asked.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::backends::Question;
use crate::chat::{Keyword, Message, Role, ToolName};
use crate::plan::{Item, MediaKind, Part, Prompt, Turn};

/// The questions so far; clones see the same ones.
#[derive(Debug, Clone, Default)]
pub struct Asked(Arc<Mutex<Vec<AskedQuestion>>>);

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    /// The prompt as a chat.
    pub messages: Vec<Message>,
    pub model: String,
    pub tools: Vec<ToolName>,
    pub tool_choice: Option<String>,
    pub format: Option<Value>,
    pub parameters: Map<String, Value>,
}

impl Asked {
    /// Gives the questions so far.
    pub fn questions(&self) -> Vec<AskedQuestion> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(super) fn keep(&self, question: &Question<'_>) {
        let asked = AskedQuestion {
            messages: as_messages(question.prompt),
            model: question.model.to_owned(),
            tools: question
                .tools
                .iter()
                .map(|tool| tool.name.clone())
                .collect(),
            tool_choice: question.tool_choice.map(|choice| choice.to_string()),
            format: question.format.cloned(),
            parameters: question.parameters.clone(),
        };
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(asked);
    }
}

/// Gives a prompt as the messages of a chat that says the same.
pub fn as_messages(prompt: &Prompt) -> Vec<Message> {
    let mut messages = Vec::new();
    for turn in &prompt.turns {
        match turn {
            Turn::System(text) => messages.push(Message::new(Role::System, text)),
            Turn::User(parts) => messages.extend(parts.iter().map(|part| match part {
                Part::Text(text) => Message::new(Role::User, text),
                Part::Media(media) => {
                    let keyword = match media.kind {
                        MediaKind::Image => Keyword::Image,
                        MediaKind::Pdf => Keyword::Pdf,
                    };
                    Message::new(Role::Directive(keyword), &media.name)
                }
            })),
            Turn::Assistant(items) => messages.extend(items.iter().map(|item| match item {
                Item::Text(text) => Message::new(Role::Assistant, text),
                Item::Call(call) => call.to_message(),
                Item::Reasoning(reasoning) => reasoning.to_message(),
            })),
            Turn::Results(returned) => {
                messages.extend(returned.iter().map(|one| one.output.to_message()));
            }
        }
    }
    messages
}
