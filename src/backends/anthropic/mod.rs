//! Anthropic.

use serde_json::Value;

use super::wire::{Encoded, Failure, Route, StreamDecoder, Wire};
use super::{ErrorKind, Question, Reply};

/// The wire of a speaker of this protocol.
#[derive(Debug, Clone)]
pub struct Anthropic {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
}

impl Wire for Anthropic {
    fn route(&self, _question: &Question<'_>) -> Route {
        Route::of(&[])
    }

    fn encode(&self, _question: &Question<'_>) -> Encoded {
        Encoded {
            body: Value::Null,
            notes: Vec::new(),
        }
    }

    fn decode(&self, _body: &Value) -> Result<Reply, Failure> {
        Err(Failure::new(ErrorKind::Protocol, "not built yet"))
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        super::ChatCompletions {
            provider: self.provider.clone(),
            settings: super::WireSettings::STRICT,
        }
        .stream()
    }
}
