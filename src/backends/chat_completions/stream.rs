//! A reply in chunks.

use super::decode::{choice, take, text};
use super::gathered::{Ended, Gathered};
use crate::backends::fault;
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, Reply};

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
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        let event = frame.text.trim();
        if event.is_empty() {
            return Ok(Vec::new());
        }
        if event == "[DONE]" {
            self.done = true;
            return Ok(Vec::new());
        }
        let chunk = frame.json()?;
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
