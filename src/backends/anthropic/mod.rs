//! Anthropic's Messages. Pure.
//!
//! Always true here: only `message_stop` proves that a stream is whole; what the model thought goes
//! back as it came, with its signature, and to nobody else; every call in a request has its result
//! in the next message, before anything else.

mod blocks;
mod decode;
mod encode;
mod messages;
mod stream;
mod thinking;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::wire::{Encoded, Failure, KeyHeader, Route, StreamDecoder, Wire};
use super::{Question, Reply};

/// The version of the API whose rules are spoken; an endpoint may send another in its `headers`.
const VERSION: &str = "2023-06-01";

/// The wire of a speaker of Anthropic's Messages.
#[derive(Debug, Clone)]
pub struct Anthropic {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
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
        vec![("anthropic-version", VERSION.to_owned())]
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
