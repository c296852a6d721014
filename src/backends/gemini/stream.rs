//! A reply in chunks, each a reply with a part of the parts.

use super::decode::take;
use super::ending::ending;
use crate::backends::gather::{Ended, Gathered};
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, Reply, Stop, fault};

/// Reads the chunks of one reply.
pub(super) struct ChunkDecoder {
    gathered: Gathered,
    end: Option<Stop>,
}

impl ChunkDecoder {
    pub(super) fn new(provider: &str) -> ChunkDecoder {
        ChunkDecoder {
            gathered: Gathered::new(provider),
            end: None,
        }
    }
}

impl StreamDecoder for ChunkDecoder {
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        if frame.text.trim() == "[DONE]" {
            return Ok(Vec::new());
        }
        let chunk = frame.json()?;
        if let Some(failure) = fault::told_in_event(&chunk, frame.name) {
            return Err(failure);
        }
        let deltas = take(&mut self.gathered, &chunk);
        if let Some(stop) = ending(&mut self.gathered, &chunk)? {
            self.end = Some(stop);
        }
        Ok(deltas)
    }

    fn progress(&self) -> Progress {
        match self.end {
            Some(_) => Progress::Proved,
            None => Progress::Open,
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, Failure> {
        self.gathered.settle(match self.end {
            Some(stop) => Ended::Whole(stop),
            None => Ended::BrokenOff,
        })
    }
}
