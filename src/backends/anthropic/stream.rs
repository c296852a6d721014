//! A reply in events.

use serde_json::Value;

use super::blocks::{Blocks, text};
use super::decode::{Proof, Surroundings, take};
use crate::backends::fault;
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, Reply};

/// Reads the events of one reply.
pub(super) struct EventDecoder {
    blocks: Blocks,
    around: Surroundings,
    proof: Proof,
}

impl EventDecoder {
    pub(super) fn new(provider: &str) -> EventDecoder {
        EventDecoder {
            blocks: Blocks::new(provider),
            around: Surroundings::default(),
            proof: Proof::Missing,
        }
    }
}

impl StreamDecoder for EventDecoder {
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        let words = frame.text.trim();
        if words.is_empty() || words == "[DONE]" {
            return Ok(Vec::new());
        }
        let event = frame.json()?;
        if let Some(failure) = fault::told_in_event(&event, frame.name) {
            return Err(failure);
        }
        let kind = match text(&event, "type") {
            "" => frame.name.unwrap_or_default(),
            kind => kind,
        };
        let index = event.get("index").and_then(Value::as_u64);
        let field = |key| event.get(key).unwrap_or(&Value::Null);
        let deltas = match kind {
            "message_start" => take(field("message"), &mut self.blocks, &mut self.around),
            "content_block_start" => {
                let begun = self.blocks.begin(index, field("content_block"));
                begun.into_iter().collect()
            }
            "content_block_delta" => {
                let added = self.blocks.add(index, field("delta"));
                added.into_iter().collect()
            }
            "content_block_stop" => self.blocks.end(index).into_iter().collect(),
            "message_delta" => {
                self.around.usage(&event);
                self.around.stop(field("delta"));
                Vec::new()
            }
            "message_stop" => {
                self.proof = Proof::Given;
                Vec::new()
            }
            // A server that does not stream after all may put the whole message in one event.
            "message" => {
                self.proof = Proof::Given;
                take(&event, &mut self.blocks, &mut self.around)
            }
            _ => Vec::new(),
        };
        Ok(deltas)
    }

    fn progress(&self) -> Progress {
        match self.proof {
            Proof::Given => Progress::Done,
            Proof::Missing => Progress::Open,
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, Failure> {
        self.around.settle(self.blocks, self.proof)
    }
}
