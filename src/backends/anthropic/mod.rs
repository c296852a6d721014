//! Anthropic's Messages, which some local servers speak too. Pure.
//!
//! Always true here: `max_tokens` is sent; results come first in the user's message; thinking and
//! the blocks of server tools go back as they came, in their places; only `message_stop` proves
//! that a stream is whole.

mod encode;

mod cache;
mod limit;
mod messages;
pub(in crate::backends) mod model;
mod sampling;
pub(in crate::backends) mod thinking;
mod tools;

mod blocks;
mod decode;
mod stream;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::wire::{Encoded, Failure, KeyHeader, Route, StreamDecoder, Wire};
use super::{Question, Reply};

/// The version of the API that is asked for unless another is set.
const VERSION: &str = "2023-06-01";

/// The first version that refuses sampling parameters.
const NO_SAMPLING_SINCE: &str = "2026-10-21";

/// The wire of a speaker of this protocol.
#[derive(Debug, Clone)]
pub struct Anthropic {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
    /// The version of the API; `None` is the one that every server knows.
    pub version: Option<String>,
}

impl Anthropic {
    fn version(&self) -> &str {
        self.version.as_deref().unwrap_or(VERSION)
    }
}

impl Wire for Anthropic {
    fn route(&self, _question: &Question<'_>) -> Route {
        Route::of(&["messages"])
    }

    fn list(&self) -> Option<Route> {
        // The whole list on one page.
        Some(Route {
            query: vec![("limit", "1000".to_owned())],
            ..Route::of(&["models"])
        })
    }

    fn encode(&self, question: &Question<'_>) -> Encoded {
        encode::encoded(question, self)
    }

    fn headers(&self, _question: &Question<'_>) -> Vec<(&'static str, String)> {
        vec![("anthropic-version", self.version().to_owned())]
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Named("x-api-key")
    }

    fn decode(&self, body: &Value) -> Result<Reply, Failure> {
        decode::reply(body, &self.provider)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::EventDecoder::new(&self.provider))
    }
}
