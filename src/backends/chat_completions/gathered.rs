//! What has come in of a reply, and what it amounts to once it has ended.

use serde_json::{Map, Value};

use super::pieces::{self, CallPieces};
use crate::backends::wire::Failure;
use crate::backends::{ErrorKind, Reply, Stop, Usage};
use crate::chat::Reasoning;
use crate::plan::Item;

/// A reply in the making, in the order in which its parts began.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    provider: String,
    parts: Vec<Part>,
    calls: Vec<CallPieces>,
    /// Fields of the speaker's own, to be given back: lists of details of reasoning.
    details: Vec<Value>,
    refusal: String,
    pub(super) finish: Option<String>,
    usage: Usage,
    model: Option<String>,
    response_id: Option<String>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Reasoning(String),
    /// The call at this place.
    Call(usize),
}

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Whole,
    BrokenOff,
}

impl Gathered {
    pub(super) fn new(provider: &str) -> Gathered {
        Gathered {
            provider: provider.to_owned(),
            ..Gathered::default()
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        if let Some(Part::Text(before)) = self.parts.last_mut() {
            before.push_str(text);
        } else if !text.is_empty() {
            self.parts.push(Part::Text(text.to_owned()));
        }
    }

    pub(super) fn reasoning(&mut self, text: &str) {
        if let Some(Part::Reasoning(before)) = self.parts.last_mut() {
            before.push_str(text);
        } else if !text.is_empty() {
            self.parts.push(Part::Reasoning(text.to_owned()));
        }
    }

    pub(super) fn refusal(&mut self, text: &str) {
        self.refusal.push_str(text);
    }

    pub(super) fn call(&mut self, piece: &Value) {
        let place = pieces::add(&mut self.calls, piece);
        let known = self
            .parts
            .iter()
            .any(|part| matches!(part, Part::Call(other) if *other == place));
        if !known {
            self.parts.push(Part::Call(place));
        }
    }

    /// Takes a piece of `reasoning_details`: pieces of one index and type are put together.
    pub(super) fn detail(&mut self, piece: &Value) {
        let same = |before: &&mut Value| {
            ["index", "type"]
                .iter()
                .all(|key| before.get(key) == piece.get(key))
        };
        let (Some(Value::Object(before)), Some(fields)) =
            (self.details.iter_mut().rfind(same), piece.as_object())
        else {
            self.details.push(piece.clone());
            return;
        };
        for (key, value) in fields {
            match (before.get_mut(key), value) {
                (_, Value::Null) => {}
                (Some(Value::String(text)), Value::String(more))
                    if ["text", "summary", "data"].contains(&key.as_str()) =>
                {
                    text.push_str(more);
                }
                (Some(_) | None, _) => {
                    before.insert(key.clone(), value.clone());
                }
            }
        }
    }

    /// Takes what stands beside the choices: ids and counts.
    pub(super) fn surroundings(&mut self, body: &Value) {
        let text = |key| body.get(key).and_then(Value::as_str).map(str::to_owned);
        self.model = text("model")
            .filter(|m| !m.is_empty())
            .or(self.model.take());
        self.response_id = text("id")
            .filter(|id| !id.is_empty())
            .or(self.response_id.take());
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
            self.usage = read_usage(usage);
        }
    }

    /// Gives the reply, or says why it is none.
    pub(super) fn settle(mut self, ended: Ended) -> Result<Reply, Failure> {
        let finish = self.finish.take();
        let refusal = std::mem::take(&mut self.refusal);
        let reply = self.reply(ended, finish.as_deref());
        match (ended, &reply.stop) {
            (Ended::BrokenOff, _) => Err(Failure::new(
                ErrorKind::Cut,
                "the reply broke off before its end",
            )
            .hint("ask again; what came in is kept as a cut answer")
            .passing()
            .with_partial(Some(reply).filter(holds_something))),
            (Ended::Whole, Stop::Error) => Err(Failure::new(
                ErrorKind::Server,
                "the server says that it failed while the model was answering",
            )
            .hint("ask again")
            .passing()
            .with_partial(Some(reply).filter(holds_something))),
            (Ended::Whole, _) if !refusal.trim().is_empty() => {
                let told = format!("the model refused: {}", refusal.trim());
                Err(refused(
                    told,
                    Reply {
                        stop: Stop::Refusal,
                        ..reply
                    },
                ))
            }
            (Ended::Whole, Stop::Refusal) => Err(refused("the model refused".to_owned(), reply)),
            (Ended::Whole, Stop::Filter) => Err(refused(
                "the provider's content filter stopped the answer".to_owned(),
                reply,
            )),
            (Ended::Whole, Stop::Length) => Ok(reply),
            (Ended::Whole, Stop::End | Stop::Calls | Stop::Interrupted | Stop::Other(_))
                if reply.says_nothing() =>
            {
                Err(
                    Failure::new(ErrorKind::Empty, "the model gave an empty answer")
                        .hint("ask again, or say more in the question")
                        .with_partial(Some(reply).filter(holds_something)),
                )
            }
            (Ended::Whole, Stop::End | Stop::Calls | Stop::Interrupted | Stop::Other(_)) => {
                Ok(reply)
            }
        }
    }

    fn reply(self, ended: Ended, finish: Option<&str>) -> Reply {
        let mut stop = match ended {
            Ended::BrokenOff => Stop::Error,
            Ended::Whole => read_finish(finish.unwrap_or_default()),
        };
        let last_call = self.calls.len().saturating_sub(1);
        let mut items = Vec::new();
        let mut cut_calls = Vec::new();
        let mut details = self.details;
        for part in self.parts {
            match part {
                Part::Text(text) if text.trim().is_empty() => {}
                Part::Text(text) => items.push(Item::Text(text)),
                Part::Reasoning(text) => {
                    items.push(reasoning(Some(text), &mut details, &self.provider));
                }
                Part::Call(place) => {
                    let pieces = &self.calls[place];
                    let cut = ended == Ended::BrokenOff
                        || (stop == Stop::Length
                            && place == last_call
                            && pieces.has_no_arguments());
                    match pieces.settle(cut, &stop) {
                        Ok(call) => items.push(Item::Call(call)),
                        Err(call) => cut_calls.push(call),
                    }
                }
            }
        }
        if !details.is_empty() {
            items.insert(0, reasoning(None, &mut details, &self.provider));
        }
        let has_calls =
            !cut_calls.is_empty() || items.iter().any(|item| matches!(item, Item::Call(_)));
        stop = match stop {
            Stop::End | Stop::Calls if has_calls => Stop::Calls,
            Stop::End | Stop::Calls => Stop::End,
            other @ (Stop::Length
            | Stop::Refusal
            | Stop::Filter
            | Stop::Interrupted
            | Stop::Error
            | Stop::Other(_)) => other,
        };
        Reply {
            items,
            cut_calls,
            stop,
            usage: self.usage,
            model: self.model,
            response_id: self.response_id,
        }
    }
}

/// The first reasoning of a reply carries all the details: they are given back as one list.
fn reasoning(text: Option<String>, details: &mut Vec<Value>, provider: &str) -> Item {
    let details = std::mem::take(details);
    Item::Reasoning(Reasoning {
        text,
        provider: provider.to_owned(),
        data: (!details.is_empty()).then(|| {
            Value::Object(Map::from_iter([(
                "reasoning_details".into(),
                details.into(),
            )]))
        }),
    })
}

fn read_finish(reason: &str) -> Stop {
    match reason {
        "" | "stop" | "eos" | "end_turn" => Stop::End,
        "tool_calls" | "function_call" => Stop::Calls,
        "length" | "max_tokens" => Stop::Length,
        "content_filter" => Stop::Filter,
        "refusal" => Stop::Refusal,
        "error" => Stop::Error,
        other => Stop::Other(other.to_owned()),
    }
}

fn read_usage(usage: &Value) -> Usage {
    let count = |path: &[&str]| {
        path.iter()
            .try_fold(usage, |at, key| at.get(key))
            .and_then(Value::as_u64)
    };
    Usage {
        prompt: count(&["prompt_tokens"]),
        completion: count(&["completion_tokens"]),
        total: count(&["total_tokens"]),
        cache_read: count(&["prompt_tokens_details", "cached_tokens"])
            .or_else(|| count(&["prompt_cache_hit_tokens"])),
        cache_write: count(&["prompt_tokens_details", "cache_write_tokens"]),
        reasoning: count(&["completion_tokens_details", "reasoning_tokens"]),
    }
}

fn refused(message: String, partial: Reply) -> Failure {
    Failure::new(ErrorKind::Refused, message)
        .hint("change the question, or ask another model")
        .with_partial(Some(partial))
}

fn holds_something(reply: &Reply) -> bool {
    !reply.items.is_empty() || !reply.cut_calls.is_empty() || reply.usage != Usage::default()
}
