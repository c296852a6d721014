//! A reply in events.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::blocks;
use super::decode::{count, ending, surroundings, text};
use crate::backends::gather::{CallPieces, Ended, Gathered, Part, Thought};
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, Reply, Stop, fault};

/// Reads the events of one reply.
pub(super) struct EventDecoder {
    gathered: Gathered,
    /// The blocks that have begun, by their index.
    open: HashMap<u64, Open>,
    stop: Stop,
    ended: bool,
}

/// A block that has begun, and where it stands among the parts of the reply.
struct Open {
    place: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Call,
    /// What the API wants back: the fields as far as they came, and the pieces of its input.
    Kept {
        block: Map<String, Value>,
        input: String,
    },
}

impl EventDecoder {
    pub(super) fn new(provider: &str) -> EventDecoder {
        EventDecoder {
            gathered: Gathered::new(provider),
            open: HashMap::new(),
            stop: Stop::End,
            ended: false,
        }
    }

    fn begin(&mut self, index: u64, block: &Map<String, Value>) -> Vec<Delta> {
        let (part, kind) = match text(block.get("type")) {
            "text" => (Part::Text(text(block.get("text")).to_owned()), Kind::Text),
            "tool_use" => {
                let input = block.get("input").and_then(Value::as_object);
                let call = CallPieces {
                    id: text(block.get("id")).to_owned(),
                    name: text(block.get("name")).to_owned(),
                    // An empty object stands here for what is to come in pieces.
                    arguments: input
                        .filter(|input| !input.is_empty())
                        .map(|input| Value::Object(input.clone()).to_string())
                        .unwrap_or_default(),
                };
                (Part::Call(call), Kind::Call)
            }
            _ => (
                Part::Thought(blocks::kept(block)),
                Kind::Kept {
                    block: block.clone(),
                    input: String::new(),
                },
            ),
        };
        let delta = match &part {
            Part::Text(text) if !text.is_empty() => Some(Delta::Text(text.clone())),
            Part::Thought(thought) if !thought.text.is_empty() => {
                Some(Delta::Reasoning(thought.text.clone()))
            }
            Part::Text(_) | Part::Thought(_) | Part::Call(_) => None,
        };
        let place = self.gathered.begin(part);
        self.open.insert(index, Open { place, kind });
        delta.into_iter().collect()
    }

    fn grow(&mut self, index: u64, delta: &Value) -> Option<Delta> {
        let said = |key: &str| text(delta.get(key));
        if !self.open.contains_key(&index) {
            // A server that does not announce its blocks is understood all the same.
            let kind = match text(delta.get("type")) {
                "text_delta" => "text",
                "thinking_delta" | "signature_delta" => "thinking",
                _ => return None,
            };
            let block = Map::from_iter([("type".to_owned(), kind.into())]);
            self.begin(index, &block);
        }
        let open = self.open.get_mut(&index)?;
        let part = self.gathered.part(open.place)?;
        match (text(delta.get("type")), part, &mut open.kind) {
            ("text_delta", Part::Text(before), _) => {
                before.push_str(said("text"));
                Some(Delta::Text(said("text").to_owned())).filter(|_| !said("text").is_empty())
            }
            ("input_json_delta", Part::Call(call), _) => {
                call.arguments.push_str(said("partial_json"));
                None
            }
            ("input_json_delta", _, Kind::Kept { input, .. }) => {
                input.push_str(said("partial_json"));
                None
            }
            ("thinking_delta", Part::Thought(thought), Kind::Kept { block, .. }) => {
                let thought_of = said("thinking");
                append(block, "thinking", thought_of);
                thought.text.push_str(thought_of);
                Some(Delta::Reasoning(thought_of.to_owned())).filter(|_| !thought_of.is_empty())
            }
            ("signature_delta", Part::Thought(thought), Kind::Kept { block, .. }) => {
                append(block, "signature", said("signature"));
                *thought = blocks::kept(block);
                None
            }
            _ => None,
        }
    }

    /// Settles a block whose fields came in pieces.
    fn end(&mut self, index: u64) {
        let Some(Open {
            place,
            kind: Kind::Kept { block, input },
        }) = self.open.get_mut(&index)
        else {
            return;
        };
        if let Ok(input) = serde_json::from_str::<Value>(input) {
            block.insert("input".into(), input);
        }
        let kept: Thought = blocks::kept(block);
        if let Some(Part::Thought(thought)) = self.gathered.part(*place) {
            *thought = kept;
        }
    }
}

fn append(block: &mut Map<String, Value>, key: &str, more: &str) {
    match block.get_mut(key) {
        Some(Value::String(before)) => before.push_str(more),
        Some(_) | None => drop(block.insert(key.to_owned(), more.into())),
    }
}

impl StreamDecoder for EventDecoder {
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        let event = frame.json()?;
        if let Some(failure) = fault::told_in_event(&event, frame.name) {
            return Err(failure);
        }
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        let kind = text(event.get("type"));
        match if kind.is_empty() {
            frame.name.unwrap_or_default()
        } else {
            kind
        } {
            "message_start" => {
                surroundings(
                    &mut self.gathered,
                    event.get("message").unwrap_or(&Value::Null),
                );
            }
            "content_block_start" => {
                if let Some(block) = event.get("content_block").and_then(Value::as_object) {
                    return Ok(self.begin(index, block));
                }
            }
            "content_block_delta" => {
                if let Some(delta) = event.get("delta") {
                    return Ok(self.grow(index, delta).into_iter().collect());
                }
            }
            "content_block_stop" => self.end(index),
            "message_delta" => {
                count(&mut self.gathered, &event);
                if let Some(delta) = event
                    .get("delta")
                    .filter(|delta| !delta["stop_reason"].is_null())
                {
                    self.stop = ending(&mut self.gathered, delta);
                }
            }
            "message_stop" => self.ended = true,
            _ => {}
        }
        Ok(Vec::new())
    }

    fn progress(&self) -> Progress {
        if self.ended {
            Progress::Done
        } else {
            Progress::Open
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, Failure> {
        self.gathered.settle(if self.ended {
            Ended::Whole(self.stop)
        } else {
            Ended::BrokenOff
        })
    }
}
