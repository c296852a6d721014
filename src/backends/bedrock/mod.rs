//! Amazon Bedrock's Converse and `ConverseStream`. Pure, but for the signatures in `signing`.
//!
//! Always true here: only `messageStop` proves that a stream is whole; roles take turns; every call
//! in a request has its result in the next message, and its tool in `toolConfig`; what a model
//! thought goes back as it came, and to a model of the same family only.

mod encode;
mod family;
mod messages;
mod tools;

mod blocks;

mod decode;
mod stream;

pub(super) mod signing;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::wire::{Colons, Encoded, Failure, Framing, Route, StreamDecoder, Wire};
use super::{Question, Reply};

/// The wire of Bedrock.
#[derive(Debug, Clone)]
pub struct Bedrock {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
}

impl Wire for Bedrock {
    fn route(&self, question: &Question<'_>) -> Route {
        let method = if question.stream {
            "converse-stream"
        } else {
            "converse"
        };
        Route {
            colons: Colons::Encoded,
            ..Route::of(&["model", question.model, method])
        }
    }

    fn encode(&self, question: &Question<'_>) -> Encoded {
        encode::encoded(question, self)
    }

    fn decode(&self, body: &Value) -> Result<Reply, Failure> {
        decode::reply(body, &self.provider)
    }

    fn framing(&self) -> Framing {
        Framing::EventStream
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::EventDecoder::new(&self.provider))
    }

    /// Models are listed elsewhere, and not to who may only ask them.
    fn list(&self) -> Option<Route> {
        None
    }

    /// Notes the family of the model at what it wants back: another one would refuse it.
    fn settled(&self, question: &Question<'_>, mut reply: Reply) -> Reply {
        blocks::mark_family(&mut reply, family::family(question.model));
        reply
    }
}
