//! Google's `generateContent`. Pure.
//!
//! Always true here: only a reason to finish, or of a block, proves that a stream is whole; what a
//! model signed goes back on the part that it signed, to the same model; every call is followed by
//! its response at once.

mod contents;
mod encode;
mod media;
mod models;

mod decode;
mod ending;
mod partial;
mod stream;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::wire::{Colons, Encoded, Failure, KeyHeader, Route, StreamDecoder, Wire};
use super::{Question, Reply};

/// The wire of a speaker of `generateContent`.
#[derive(Debug, Clone)]
pub struct Gemini {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
}

impl Wire for Gemini {
    fn route(&self, question: &Question<'_>) -> Route {
        let (method, query) = if question.stream {
            ("streamGenerateContent", vec![("alt", "sse".to_owned())])
        } else {
            ("generateContent", Vec::new())
        };
        // A model of one's own stands in another collection, which its name then begins with.
        let named = if question.model.contains('/') {
            question.model.to_owned()
        } else {
            format!("models/{}", question.model)
        };
        let segments = format!("{named}:{method}");
        Route {
            segments: segments.split('/').map(str::to_owned).collect(),
            query,
            colons: Colons::Plain,
        }
    }

    fn list(&self) -> Option<Route> {
        // The whole list on one page.
        Some(Route {
            query: vec![("pageSize", "1000".to_owned())],
            ..Route::of(&["models"])
        })
    }

    fn encode(&self, question: &Question<'_>) -> Encoded {
        encode::encoded(question, self)
    }

    fn key_header(&self) -> KeyHeader {
        KeyHeader::Named("x-goog-api-key")
    }

    fn decode(&self, body: &Value) -> Result<Reply, Failure> {
        decode::reply(body, &self.provider)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::ChunkDecoder::new(&self.provider))
    }
}
