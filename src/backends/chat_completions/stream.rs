//! A reply in chunks.

use serde_json::Value;

use super::decode::{choice, take, text};
use super::gathered::{Ended, Gathered};
use crate::backends::fault;
use crate::backends::wire::{Failure, Progress, StreamDecoder};
use crate::backends::{Delta, ErrorKind, Reply};

/// Reads the chunks of one reply.
pub(super) struct ChunkDecoder {
    gathered: Gathered,
    done: bool,
}

impl ChunkDecoder {
    pub(super) fn new(provider: &str) -> ChunkDecoder {
        ChunkDecoder {
            gathered: Gathered::new(provider),
            done: false,
        }
    }
}

impl StreamDecoder for ChunkDecoder {
    fn event(&mut self, event: &str) -> Result<Vec<Delta>, Failure> {
        let event = event.trim();
        if event.is_empty() {
            return Ok(Vec::new());
        }
        if event == "[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let chunk: Value = serde_json::from_str(event).map_err(|error| {
            Failure::new(
                ErrorKind::Protocol,
                format!("the stream holds an event that is not JSON: {error}"),
            )
        })?;
        if let Some(failure) = fault::told_in(&chunk) {
            return Err(failure);
        }
        self.gathered.surroundings(&chunk);
        let Some(choice) = choice(&chunk) else {
            return Ok(Vec::new());
        };
        if let Some(reason) = text(choice, "finish_reason") {
            self.gathered.finish = Some(reason.to_owned());
        }
        // A server that does not stream after all may put the whole message in one event.
        let message = choice.get("delta").or_else(|| choice.get("message"));
        Ok(message.map_or_else(Vec::new, |message| take(&mut self.gathered, message)))
    }

    fn progress(&self) -> Progress {
        match (self.done, &self.gathered.finish) {
            (true, _) => Progress::Done,
            (false, Some(_)) => Progress::Proved,
            (false, None) => Progress::Open,
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, Failure> {
        let ended = if self.gathered.finish.is_some() {
            Ended::Whole
        } else {
            Ended::BrokenOff
        };
        self.gathered.settle(ended)
    }
}
