//! A reply in events.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::blocks;
use super::decode::{Ending, count, ending, is_ours, settle, text};
use crate::backends::frames::event_stream::EXCEPTION;
use crate::backends::gather::{CallPieces, Ended, Gathered, Part, Thought};
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, Reply, fault};

/// Puts a reply together.
pub(super) struct EventDecoder {
    gathered: Gathered,
    /// The blocks that have begun, by their index.
    open: HashMap<u64, Open>,
    /// The place of the newest part, when it is a text: what follows goes on there.
    newest_text: Option<usize>,
    ending: Option<Ending>,
    counted: bool,
}

/// A block that grows.
struct Open {
    place: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Call,
    Thought {
        text: String,
        signature: String,
    },
    Redacted(Vec<u8>),
    /// A call of the provider's own, or what came of it: the block, and the JSON of its input.
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
            newest_text: None,
            ending: None,
            counted: false,
        }
    }

    fn begin(&mut self, index: u64, part: Part, kind: Kind) {
        let place = self.gathered.begin(part);
        self.newest_text = None;
        self.open.insert(index, Open { place, kind });
    }

    /// Begins a block that is announced; texts and thoughts are not.
    fn start(&mut self, index: u64, start: &Map<String, Value>) {
        match start.get("toolUse") {
            Some(call) if call.is_object() && is_ours(call) => {
                let call = CallPieces {
                    id: text(call.get("toolUseId")).to_owned(),
                    name: text(call.get("name")).to_owned(),
                    arguments: String::new(),
                };
                self.begin(index, Part::Call(call), Kind::Call);
            }
            _ if ["toolUse", "toolResult"]
                .iter()
                .any(|kind| start.get(*kind).is_some_and(Value::is_object)) =>
            {
                let kind = Kind::Kept {
                    block: start.clone(),
                    input: String::new(),
                };
                self.begin(index, Part::Thought(blocks::kept(start)), kind);
            }
            _ => {}
        }
    }

    fn grow(&mut self, index: u64, delta: &Map<String, Value>) -> Option<Delta> {
        if let Some(said) = delta.get("text").and_then(Value::as_str) {
            return self.say(index, said);
        }
        if let Some(thought) = delta.get("reasoningContent").and_then(Value::as_object) {
            return self.think(index, thought);
        }
        let input = delta.get("toolUse").map(|call| text(call.get("input")));
        let result = delta.get("toolResult").and_then(Value::as_array);
        if input.is_some() && !self.open.contains_key(&index) {
            // A call without a beginning has no name, which the model is then told.
            self.begin(index, Part::Call(CallPieces::default()), Kind::Call);
        }
        let open = self.open.get_mut(&index)?;
        match (&mut open.kind, self.gathered.part(open.place)?) {
            (Kind::Call, Part::Call(call)) => call.arguments.push_str(input?),
            (Kind::Kept { block, input: json }, _) => {
                json.push_str(input.unwrap_or_default());
                let content = block
                    .get_mut("toolResult")
                    .and_then(Value::as_object_mut)
                    .map(|kept| kept.entry("content").or_insert_with(|| json!([])));
                if let (Some(Value::Array(content)), Some(pieces)) = (content, result) {
                    content.extend(pieces.iter().cloned());
                }
            }
            (Kind::Call | Kind::Text | Kind::Thought { .. } | Kind::Redacted(_), _) => {}
        }
        None
    }

    fn say(&mut self, index: u64, said: &str) -> Option<Delta> {
        if !self.open.contains_key(&index) {
            let place = self
                .newest_text
                .unwrap_or_else(|| self.gathered.begin(Part::Text(String::new())));
            self.newest_text = Some(place);
            let kind = Kind::Text;
            self.open.insert(index, Open { place, kind });
        }
        let place = self.open.get(&index)?.place;
        match self.gathered.part(place)? {
            Part::Text(before) => before.push_str(said),
            Part::Thought(_) | Part::Call(_) => return None,
        }
        Some(Delta::Text(said.to_owned())).filter(|_| !said.is_empty())
    }

    fn think(&mut self, index: u64, delta: &Map<String, Value>) -> Option<Delta> {
        let said = text(delta.get("text"));
        if !self.open.contains_key(&index) {
            let kind = if delta.contains_key("redactedContent") {
                Kind::Redacted(Vec::new())
            } else {
                Kind::Thought {
                    text: String::new(),
                    signature: String::new(),
                }
            };
            self.begin(index, Part::Thought(Thought::default()), kind);
        }
        let open = self.open.get_mut(&index)?;
        let Part::Thought(thought) = self.gathered.part(open.place)? else {
            return None;
        };
        match &mut open.kind {
            Kind::Thought { text, signature } => {
                text.push_str(said);
                signature.push_str(super::decode::text(delta.get("signature")));
                *thought = signed(text, signature);
            }
            Kind::Redacted(bytes) => {
                let more = super::decode::text(delta.get("redactedContent"));
                bytes.extend(STANDARD.decode(more).unwrap_or_default());
                *thought = blocks::redacted(bytes);
            }
            Kind::Text | Kind::Call | Kind::Kept { .. } => return None,
        }
        Some(Delta::Reasoning(said.to_owned())).filter(|_| !said.is_empty())
    }

    /// Settles a block of the provider's own, whose fields came in pieces.
    fn end(&mut self, index: u64) {
        let Some(Open {
            place,
            kind: Kind::Kept { block, input },
        }) = self.open.get_mut(&index)
        else {
            return;
        };
        if let Some(Value::Object(call)) = block.get_mut("toolUse") {
            let input = serde_json::from_str(input).unwrap_or_else(|_| json!({}));
            call.insert("input".into(), input);
        }
        let kept = blocks::kept(block);
        if let Some(Part::Thought(thought)) = self.gathered.part(*place) {
            *thought = kept;
        }
    }
}

/// Gives a thought as far as it came.
fn signed(text: &str, signature: &str) -> Thought {
    let mut said = Map::new();
    said.insert("text".into(), text.into());
    if !signature.is_empty() {
        said.insert("signature".into(), signature.into());
    }
    let block = [("reasoningContent", json!({"reasoningText": said}))];
    let block = block.map(|(name, value)| (name.to_owned(), value));
    blocks::kept(&block.into_iter().collect())
}

impl StreamDecoder for EventDecoder {
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        let event = frame.json()?;
        let name = frame.name.unwrap_or_default();
        if name == EXCEPTION {
            return Err(fault::told_as_exception(&event));
        }
        if let Some(failure) = fault::told_in(&event) {
            return Err(failure);
        }
        let index = event
            .get("contentBlockIndex")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        let field = |key: &str| event.get(key).and_then(Value::as_object);
        match name {
            "contentBlockStart" => {
                if let Some(start) = field("start") {
                    self.start(index, start);
                }
            }
            "contentBlockDelta" => {
                if let Some(delta) = field("delta") {
                    return Ok(self.grow(index, delta).into_iter().collect());
                }
            }
            "contentBlockStop" => self.end(index),
            "messageStop" => self.ending = Some(ending(&event)),
            "metadata" => {
                count(&mut self.gathered, &event);
                self.counted = true;
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    fn progress(&self) -> Progress {
        match (&self.ending, self.counted) {
            (Some(_), true) => Progress::Done,
            (Some(_), false) => Progress::Proved,
            (None, _) => Progress::Open,
        }
    }

    fn finish(mut self: Box<Self>) -> Result<Reply, Failure> {
        let unsettled: Vec<u64> = self.open.keys().copied().collect();
        for index in unsettled {
            self.end(index);
        }
        match self.ending {
            Some(ending) => settle(self.gathered, ending),
            None => self.gathered.settle(Ended::BrokenOff),
        }
    }
}
