//! Chat Completions, the protocol of `OpenAI` that most servers speak. Pure.
//!
//! Always true here: fields that are not used are not looked at, and reasons that are not known are
//! kept; only a `finish_reason` proves that a stream is whole; a call whose arguments are cut or
//! are no JSON object is never given as a call to make.

mod settings;

mod encode;
mod messages;

mod decode;
mod gathered;
mod pieces;
mod stream;

#[cfg(test)]
mod tests;

pub use settings::{
    Alternation, CacheMarks, CallIds, CallOnly, Echo, EffortField, LateSystem, NamedChoice,
    StreamUsage, SystemRole, TokenLimit, WebSearch, WireSettings,
};

use serde_json::Value;

use super::wire::{Encoded, Failure, Route, StreamDecoder, Wire};
use super::{Question, Reply};

/// The wire of a speaker of Chat Completions.
#[derive(Debug, Clone)]
pub struct ChatCompletions {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
    pub settings: WireSettings,
}

impl Wire for ChatCompletions {
    fn route(&self, _question: &Question<'_>) -> Route {
        Route::of(&["chat", "completions"])
    }

    fn encode(&self, question: &Question<'_>) -> Encoded {
        encode::encoded(question, self)
    }

    fn decode(&self, body: &Value) -> Result<Reply, Failure> {
        decode::reply(body, &self.provider)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::ChunkDecoder::new(&self.provider))
    }
}
