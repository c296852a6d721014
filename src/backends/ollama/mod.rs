//! Ollama's own protocol. Pure.
//!
//! Always true here: only `done` proves that a stream is whole; calls have no ids on the wire, so
//! each gets one of our own; what the protocol has no words for is told in a note.

mod decode;
mod encode;
mod messages;
mod stream;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::wire::{Encoded, Failure, Framing, Route, StreamDecoder, Wire};
use super::{Question, Reply};

/// The wire of Ollama.
#[derive(Debug, Clone)]
pub struct Ollama {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
}

impl Wire for Ollama {
    fn route(&self, _question: &Question<'_>) -> Route {
        Route::of(&["chat"])
    }

    fn list(&self) -> Option<Route> {
        Some(Route::of(&["tags"]))
    }

    fn encode(&self, question: &Question<'_>) -> Encoded {
        encode::encoded(question, self)
    }

    fn decode(&self, body: &Value) -> Result<Reply, Failure> {
        decode::reply(body, &self.provider)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::LineDecoder::new(&self.provider))
    }
}
