//! One chat file in a plan: its messages typed, and which of them a model made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directive::Directive;
use super::faults::{Fault, value_at};
use super::{Saying, Trust};
use crate::chat::{
    Keyword, Message, Meta, Origin, Reasoning, RecordError, Role, ToolCall, ToolOutput,
};

/// A chat file whose messages are typed. Nothing that it names was looked up.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: Arc<Path>,
    pub(super) trust: Trust,
    pub(super) items: Vec<Item>,
    /// How many bytes its messages hold.
    pub(super) size: usize,
}

/// One message, typed.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) role: Role,
    /// A fault is told only when the message counts: one that is edited out harms nobody.
    pub(super) what: Result<What, Fault>,
    pub(super) made: Made,
    pub(super) origin: Origin,
}

/// What a message is.
#[derive(Debug)]
pub(super) enum What {
    Said(Saying),
    Directive(Directive),
}

/// Whether a model made a message, and what it is then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// A person, a tool or this program made it.
    ByOthers,
    /// A text of a record without calls, whole: an answer.
    Answer,
    /// A text, or the reasoning behind it, that was cut.
    Cut,
    /// Anything else of a record: calls, what was said beside them, the mark.
    Part,
}

impl Source {
    /// Types the messages of a chat.
    pub(super) fn new(messages: Vec<Message>, path: Arc<Path>, trust: Trust) -> Source {
        let made = makers(&messages);
        let size = messages.iter().map(|message| message.content.len()).sum();
        let items = messages
            .into_iter()
            .zip(made)
            .map(|(message, made)| Item {
                role: message.role,
                origin: message.origin.clone(),
                what: typed(message),
                made,
            })
            .collect();
        Source {
            path,
            trust,
            items,
            size,
        }
    }

    /// Gives the folder from which its names are looked up.
    pub(super) fn folder(&self) -> PathBuf {
        self.path
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default()
    }
}

/// Types one message.
pub(super) fn typed(message: Message) -> Result<What, Fault> {
    let bad = |message: &Message, error: &RecordError, hint: &str| {
        Fault::chat(
            value_at(message),
            "bad-record",
            format!("this `{}` cannot be read: {error}", message.role),
        )
        .hint(hint)
    };
    let saying = match message.role {
        Role::System | Role::Developer | Role::User | Role::Assistant => Saying::Text {
            role: message.role,
            text: message.content,
        },
        Role::FunctionCall => match ToolCall::read(&message.content) {
            Ok(call) => Saying::Call(Box::new(call)),
            Err(error) => return Err(bad(&message, &error, CALL_HINT)),
        },
        Role::FunctionCallOutput => match ToolOutput::read(&message.content) {
            Ok(output) => Saying::Output(Box::new(output.into())),
            Err(error) => return Err(bad(&message, &error, OUTPUT_HINT)),
        },
        Role::Reasoning => match Reasoning::read(&message.content) {
            Ok(reasoning) => Saying::Reasoning(Box::new(reasoning)),
            Err(error) => return Err(bad(&message, &error, REASONING_HINT)),
        },
        Role::Meta => Saying::Meta(Meta::read(&message.content)),
        Role::Directive(keyword) => {
            return Directive::read(keyword, &message).map(What::Directive);
        }
    };
    Ok(What::Said(saying))
}

const CALL_HINT: &str =
    "write `{\"name\": ..., \"arguments\": {...}, \"id\": ...}`, or take it out with its output";
const OUTPUT_HINT: &str =
    "write `{\"name\": ..., \"content\": ..., \"id\": ...}`, or take it out with its call";
const REASONING_HINT: &str = "write `{\"provider\": ..., \"data\": ...}`, or take it out";

/// One record while it is read.
#[derive(Default)]
struct Record {
    members: Vec<usize>,
    calls: bool,
    cut: bool,
    /// The turn goes on in the next record, so its texts are no answer yet.
    paused: bool,
}

impl Record {
    /// Ends the record: now it is known whether its texts are answers.
    fn close(&mut self, messages: &[Message], made: &mut [Made]) {
        for member in self.members.drain(..) {
            made[member] = match (messages[member].role, self.cut, self.calls) {
                (Role::Assistant, false, false) if !self.paused => Made::Answer,
                // Where calls follow, the reasoning belongs to them and stays with them.
                (Role::Assistant, true, _) | (Role::Reasoning, true, false) => Made::Cut,
                _ => Made::Part,
            };
        }
        *self = Record::default();
    }
}

/// Tells of each message who made it. A record begins at its mark; in a file without marks it is
/// what a model said in one go.
fn makers(messages: &[Message]) -> Vec<Made> {
    let mut made = vec![Made::ByOthers; messages.len()];
    let mut record = Record::default();
    for (at, message) in messages.iter().enumerate() {
        match message.role {
            Role::Meta => {
                let meta = Meta::read(&message.content);
                if meta.is_mark() {
                    record.close(messages, &mut made);
                    record.cut = is_cut(&meta);
                    record.paused = is_paused(&meta);
                    made[at] = Made::Part;
                }
            }
            Role::Assistant | Role::Reasoning => record.members.push(at),
            Role::FunctionCall => {
                record.calls = true;
                record.members.push(at);
            }
            Role::System | Role::Developer | Role::User | Role::FunctionCallOutput => {
                record.close(messages, &mut made);
            }
            Role::Directive(keyword) if brings_text(keyword) => {
                record.close(messages, &mut made);
            }
            Role::Directive(_) => {}
        }
    }
    record.close(messages, &mut made);
    made
}

/// Tells by the mark of a record whether it was cut before its end.
pub fn is_cut(mark: &Meta) -> bool {
    matches!(mark.text("stop"), Some("interrupted" | "error" | "length"))
}

/// Tells by the mark of a record whether its turn goes on in the next record.
pub fn is_paused(mark: &Meta) -> bool {
    mark.text("stop") == Some("paused")
}

/// Tells whether a directive puts something into the conversation in its own place.
pub(super) fn brings_text(keyword: Keyword) -> bool {
    match keyword {
        Keyword::Image
        | Keyword::Pdf
        | Keyword::File
        | Keyword::Directory
        | Keyword::Import
        | Keyword::Continue
        | Keyword::Last
        | Keyword::Cmd
        | Keyword::Task
        | Keyword::InlineTask
        | Keyword::ExecTask
        | Keyword::Job
        | Keyword::InlineJob
        | Keyword::Step
        | Keyword::Introduce => true,
        Keyword::Skip
        | Keyword::Tool
        | Keyword::Mcp
        | Keyword::Kb
        | Keyword::Association
        | Keyword::Socialize
        | Keyword::Delegate
        | Keyword::SelectTools
        | Keyword::ClearTools
        | Keyword::ClearAssociations
        | Keyword::Websearch
        | Keyword::AllowPath
        | Keyword::AllowReadPath
        | Keyword::Option
        | Keyword::StickyOption
        | Keyword::Endpoint
        | Keyword::Model
        | Keyword::Backend
        | Keyword::Agent
        | Keyword::Format
        | Keyword::Persist
        | Keyword::PreviousResponseId
        | Keyword::Config
        | Keyword::Clear
        | Keyword::ClearRole
        | Keyword::CleanRole => false,
    }
}
