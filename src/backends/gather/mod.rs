//! A reply in the making, for every wire: parts in the order in which they began, and what they
//! amount to once the reply has ended. The rules of an end are here once, and not in each wire.

mod calls;

use serde_json::Value;

pub(super) use calls::CallPieces;

use super::wire::Failure;
use super::{ErrorKind, Reply, Stop, Usage};
use crate::chat::Reasoning;
use crate::plan::Item;

/// What has come in of a reply.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// Marks the reasoning of the reply: it is given back to no other.
    provider: String,
    parts: Vec<Part>,
    /// The words of a refusal that the provider keeps apart from the text.
    pub(super) refusal: String,
    pub(super) usage: Usage,
    pub(super) model: Option<String>,
    pub(super) response_id: Option<String>,
}

/// One part of a reply.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    Thought(Thought),
    Call(CallPieces),
}

/// Reasoning, or anything else that the provider wants back in this place.
#[derive(Debug, Default)]
pub(super) struct Thought {
    /// For people; may be empty.
    pub(super) text: String,
    /// For the provider, in its own shape.
    pub(super) data: Option<Value>,
}

/// How a reply ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// With its proof, and for this reason.
    Whole(Stop),
    BrokenOff,
}

impl Gathered {
    pub(super) fn new(provider: &str) -> Gathered {
        Gathered {
            provider: provider.to_owned(),
            ..Gathered::default()
        }
    }

    /// Adds to the last part when it is a text, and begins one otherwise.
    pub(super) fn text(&mut self, text: &str) {
        if let Some(Part::Text(before)) = self.parts.last_mut() {
            before.push_str(text);
        } else if !text.is_empty() {
            self.begin(Part::Text(text.to_owned()));
        }
    }

    /// Gives the place of the last part when it is a text, and begins one otherwise.
    pub(super) fn text_place(&mut self) -> usize {
        match self.parts.last() {
            Some(Part::Text(_)) => self.parts.len() - 1,
            Some(Part::Thought(_) | Part::Call(_)) | None => self.begin(Part::Text(String::new())),
        }
    }

    /// Adds to the last part when it is a thought, and begins one otherwise.
    pub(super) fn think(&mut self, text: &str) {
        if let Some(Part::Thought(before)) = self.parts.last_mut() {
            before.text.push_str(text);
        } else if !text.is_empty() {
            self.begin(Part::Thought(Thought {
                text: text.to_owned(),
                data: None,
            }));
        }
    }

    /// Begins a part; gives its place, by which it is found while it grows.
    pub(super) fn begin(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Puts a thought before all that came in.
    pub(super) fn begin_with(&mut self, thought: Thought) {
        self.parts.insert(0, Part::Thought(thought));
    }

    /// Puts a thought before the last text, its data into the thought that stands there when that
    /// has none, or data that it `replaces`; with no text to stand before, it comes last.
    pub(super) fn begin_before_last_text(
        &mut self,
        thought: Thought,
        replaces: impl Fn(&Value) -> bool,
    ) {
        let last = self
            .parts
            .iter()
            .rposition(|part| matches!(part, Part::Text(_)));
        let Some(at) = last else {
            self.parts.push(Part::Thought(thought));
            return;
        };
        match at
            .checked_sub(1)
            .and_then(|before| self.parts.get_mut(before))
        {
            Some(Part::Thought(before)) if before.data.as_ref().is_none_or(replaces) => {
                before.data = thought.data;
            }
            Some(Part::Text(_) | Part::Call(_) | Part::Thought(_)) | None => {
                self.parts.insert(at, Part::Thought(thought));
            }
        }
    }

    /// Gives the part at a place.
    pub(super) fn part(&mut self, place: usize) -> Option<&mut Part> {
        self.parts.get_mut(place)
    }

    pub(super) fn parts(&mut self) -> impl DoubleEndedIterator<Item = &mut Part> {
        self.parts.iter_mut()
    }

    /// Gives the call that begins at a place.
    pub(super) fn call(&mut self, place: usize) -> Option<&mut CallPieces> {
        match self.parts.get_mut(place) {
            Some(Part::Call(call)) => Some(call),
            Some(Part::Text(_) | Part::Thought(_)) | None => None,
        }
    }

    /// Gives the reply, or says why it is none.
    pub(super) fn settle(mut self, ended: Ended) -> Result<Reply, Failure> {
        let refusal = std::mem::take(&mut self.refusal);
        let whole = ended != Ended::BrokenOff;
        let reply = self.reply(ended);
        match &reply.stop {
            _ if !whole => Err(cut_off(reply)),
            Stop::Error => Err(Failure::new(
                ErrorKind::Server,
                "the server says that it failed while the model was answering",
            )
            .hint("ask again")
            .passing()
            .with_partial(Some(reply).filter(holds_something))),
            _ if !refusal.trim().is_empty() => {
                let told = format!("the model refused: {}", refusal.trim());
                Err(refused(
                    told,
                    Reply {
                        stop: Stop::Refusal,
                        ..reply
                    },
                ))
            }
            Stop::Refusal => Err(refused("the model refused".to_owned(), reply)),
            Stop::Filter => Err(refused(
                "the provider's content filter stopped the answer".to_owned(),
                reply,
            )),
            Stop::Paused if !reply.items.is_empty() => Ok(reply),
            Stop::End | Stop::Calls | Stop::Paused | Stop::Interrupted | Stop::Other(_)
                if reply.says_nothing() =>
            {
                Err(
                    Failure::new(ErrorKind::Empty, "the model gave an empty answer")
                        .hint("ask again, or say more in the question")
                        .with_partial(Some(reply).filter(holds_something)),
                )
            }
            Stop::Length
            | Stop::End
            | Stop::Calls
            | Stop::Paused
            | Stop::Interrupted
            | Stop::Other(_) => Ok(reply),
        }
    }

    fn reply(self, ended: Ended) -> Reply {
        let (stop, whole) = match ended {
            Ended::Whole(stop) => (stop, true),
            Ended::BrokenOff => (Stop::Error, false),
        };
        let last_call = self
            .parts
            .iter()
            .rposition(|part| matches!(part, Part::Call(_)));
        let mut items = Vec::new();
        let mut cut_calls = Vec::new();
        for (place, part) in self.parts.into_iter().enumerate() {
            match part {
                Part::Text(text) if text.trim().is_empty() => {}
                Part::Text(text) => items.push(Item::Text(text)),
                Part::Thought(thought) => {
                    let text = Some(thought.text).filter(|text| !text.is_empty());
                    if text.is_some() || thought.data.is_some() {
                        items.push(Item::Reasoning(Reasoning {
                            text,
                            provider: self.provider.clone(),
                            data: thought.data,
                        }));
                    }
                }
                Part::Call(pieces) => {
                    let cut = !whole
                        || (stop == Stop::Length
                            && Some(place) == last_call
                            && pieces.has_no_arguments());
                    match pieces.settle(cut, &stop) {
                        Ok(call) => items.push(Item::Call(call)),
                        Err(call) => cut_calls.push(call),
                    }
                }
            }
        }
        let has_calls =
            !cut_calls.is_empty() || items.iter().any(|item| matches!(item, Item::Call(_)));
        // Servers differ in whether calls are a reason to stop; that there are some is what counts.
        let stop = match stop {
            // A turn with calls goes on with their results, paused or not.
            Stop::End | Stop::Calls | Stop::Paused if has_calls => Stop::Calls,
            Stop::End | Stop::Calls => Stop::End,
            other @ (Stop::Length
            | Stop::Refusal
            | Stop::Filter
            | Stop::Paused
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

fn cut_off(reply: Reply) -> Failure {
    Failure::new(ErrorKind::Cut, "the reply broke off before its end")
        .hint("ask again; what came in is kept as a cut answer")
        .passing()
        .with_partial(Some(reply).filter(holds_something))
}

fn refused(message: String, partial: Reply) -> Failure {
    Failure::new(ErrorKind::Refused, message)
        .hint("change the question, or ask another model")
        .with_partial(Some(partial))
}

fn holds_something(reply: &Reply) -> bool {
    !reply.items.is_empty() || !reply.cut_calls.is_empty() || reply.usage != Usage::default()
}
