//! A reply in lines.

use serde_json::Value;

use super::decode::{stop, take, text};
use crate::backends::gather::{Ended, Gathered};
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, ErrorKind, Reply, Stop, fault};

/// Reads the lines of one reply.
pub(super) struct LineDecoder {
    gathered: Gathered,
    /// Lines that are no whole JSON value yet: servers spread errors over several.
    begun: String,
    end: Option<Stop>,
}

impl LineDecoder {
    pub(super) fn new(provider: &str) -> LineDecoder {
        LineDecoder {
            gathered: Gathered::new(provider),
            begun: String::new(),
            end: None,
        }
    }
}

impl StreamDecoder for LineDecoder {
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        self.begun.push_str(frame.text);
        let line: Value = match serde_json::from_str(&self.begun) {
            Ok(line) => line,
            Err(error) if error.is_eof() => {
                self.begun.push('\n');
                return Ok(Vec::new());
            }
            Err(error) => {
                return Err(Failure::new(
                    ErrorKind::Protocol,
                    format!("the stream holds a line that is not JSON: {error}"),
                ));
            }
        };
        self.begun.clear();
        if let Some(failure) = fault::told_in(&line) {
            return Err(failure);
        }
        let deltas = take(&mut self.gathered, &line);
        if line.get("done").and_then(Value::as_bool) == Some(true) {
            self.end = Some(stop(text(&line, "done_reason").unwrap_or_default()));
        }
        Ok(deltas)
    }

    fn progress(&self) -> Progress {
        match self.end {
            Some(_) => Progress::Done,
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
