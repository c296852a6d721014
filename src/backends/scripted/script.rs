//! Messages as replies.

use std::time::Duration;

use super::LONGEST_WAIT;
use crate::backends::{CallFault, CutCall, ErrorKind, Money, Reply, Stop, Usage};
use crate::chat::{
    CallId, Message, Meta, MetaValue, Origin, Reasoning, RecordError, Role, ToolCall, ToolName,
};
use crate::plan::Item;

/// One reply of a script.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) reply: Reply,
    pub(super) outcome: Outcome,
    /// How many characters of text are told at once.
    pub(super) chunk: Option<usize>,
    pub(super) wait: Duration,
}

/// How the request ends.
#[derive(Debug)]
pub(super) enum Outcome {
    Whole,
    Fails { kind: ErrorKind, message: String },
}

/// Why a chat is no script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    #[error("the script holds a `{role}` that cannot be read: {source}")]
    Record {
        at: Origin,
        role: Role,
        source: RecordError,
    },
    #[error("`error={found}` names no kind of failure")]
    Kind { at: Origin, found: String },
}

/// Reads the replies of a script.
pub(super) fn lines(script: &[Message]) -> Result<Vec<Line>, ScriptError> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open = false;
    for message in script {
        let item = match message.role {
            Role::Meta => {
                lines.push(line(message, lines.len())?);
                open = true;
                continue;
            }
            Role::Assistant if message.content.trim().is_empty() => continue,
            Role::Assistant => Item::Text(message.content.clone()),
            Role::FunctionCall => Item::Call(read(message, ToolCall::read)?),
            Role::Reasoning => Item::Reasoning(read(message, Reasoning::read)?),
            Role::System
            | Role::Developer
            | Role::User
            | Role::FunctionCallOutput
            | Role::Directive(_) => {
                open = false;
                continue;
            }
        };
        if let (true, Some(line)) = (open, lines.last_mut()) {
            line.reply.items.push(item);
        }
    }
    for line in &mut lines {
        let calls = !line.reply.cut_calls.is_empty()
            || line
                .reply
                .items
                .iter()
                .any(|item| matches!(item, Item::Call(_)));
        if calls && line.reply.stop == Stop::End {
            line.reply.stop = Stop::Calls;
        }
    }
    Ok(lines)
}

fn read<T>(
    message: &Message,
    reader: impl Fn(&str) -> Result<T, RecordError>,
) -> Result<T, ScriptError> {
    reader(&message.content).map_err(|source| ScriptError::Record {
        at: message.origin.clone(),
        role: message.role,
        source,
    })
}

fn line(message: &Message, number: usize) -> Result<Line, ScriptError> {
    let meta = Meta::read(&message.content);
    let text = |key| meta.text(key).map(str::to_owned);
    let stop = meta.text("stop").map_or(Stop::End, Stop::from_name);
    Ok(Line {
        outcome: outcome(&meta, &stop, message)?,
        chunk: meta
            .count("chunk")
            .and_then(|count| usize::try_from(count).ok())
            .filter(|count| *count > 0),
        wait: Duration::from_millis(meta.count("wait").unwrap_or(0)).min(LONGEST_WAIT),
        reply: Reply {
            items: Vec::new(),
            cut_calls: cut_call(&meta, number).into_iter().collect(),
            stop,
            usage: Usage {
                prompt: meta.count("pt"),
                completion: meta.count("ct"),
                total: meta.count("tt"),
                cache_read: meta.count("cct"),
                cache_write: meta.count("cwt"),
                reasoning: meta.count("rt"),
                cost: meta.number("cost").and_then(Money::from_dollars),
                ..Usage::default()
            },
            model: text("model"),
            response_id: text("provider_response_id"),
        },
    })
}

/// A recorded stop that no whole reply has fails the same way again.
fn outcome(meta: &Meta, stop: &Stop, message: &Message) -> Result<Outcome, ScriptError> {
    let kind = match meta.get("error") {
        Some(MetaValue::Text(name)) => {
            Some(ErrorKind::from_name(name).ok_or_else(|| ScriptError::Kind {
                at: message.origin.clone(),
                found: name.clone(),
            })?)
        }
        Some(MetaValue::Integer(_) | MetaValue::Number(_)) | None => match stop {
            Stop::Interrupted => Some(ErrorKind::Cancelled),
            Stop::Error => Some(ErrorKind::Cut),
            Stop::Refusal | Stop::Filter => Some(ErrorKind::Refused),
            Stop::End | Stop::Calls | Stop::Length | Stop::Paused | Stop::Other(_) => None,
        },
    };
    Ok(match kind {
        None => Outcome::Whole,
        Some(kind) => Outcome::Fails {
            kind,
            message: meta
                .text("message")
                .unwrap_or(if kind == ErrorKind::Refused {
                    "the model refused to answer"
                } else {
                    "the script says that this request fails"
                })
                .to_owned(),
        },
    })
}

fn cut_call(meta: &Meta, number: usize) -> Option<CutCall> {
    Some(CutCall {
        id: CallId(format!("call_cut_{number}")),
        name: ToolName(meta.text("cut_call")?.to_owned()),
        arguments: meta.text("cut_arguments").unwrap_or_default().to_owned(),
        fault: CallFault::Cut,
    })
}
