//! `OpenAI`'s Responses. Pure.
//!
//! Always true here: only `response.completed`, `incomplete` or `failed` proves that a stream is
//! whole; a call is known by its `call_id`; reasoning goes back whole, as its last event gave it.

mod decode;
mod encode;
mod input;
mod stream;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::parameters::Parameters;
use super::wire::{Encoded, Failure, Route, StreamDecoder, Wire};
use super::{Question, Reply, Stop};

/// The wire of a speaker of Responses.
#[derive(Debug, Clone)]
pub struct Responses {
    /// Marks the reasoning that comes from this speaker: it is given back to no other.
    pub provider: String,
}

impl Wire for Responses {
    fn route(&self, _question: &Question<'_>) -> Route {
        Route::of(&["responses"])
    }

    fn encode(&self, question: &Question<'_>) -> Encoded {
        encode::encoded(question, self)
    }

    fn decode(&self, body: &Value) -> Result<Reply, Failure> {
        decode::reply(body, &self.provider)
    }

    fn stream(&self) -> Box<dyn StreamDecoder> {
        Box::new(stream::EventDecoder::new(&self.provider))
    }

    /// Some servers say `completed` of an answer that the limit has cut: one that is as long as it
    /// may be is taken for cut.
    fn settled(&self, question: &Question<'_>, reply: Reply) -> Reply {
        let most = Parameters::of(question).max_tokens.map(encode::limit);
        let full = most.is_some() && reply.usage.completion >= most;
        match reply.stop {
            Stop::End if full => Reply {
                stop: Stop::Length,
                ..reply
            },
            Stop::End
            | Stop::Calls
            | Stop::Length
            | Stop::Refusal
            | Stop::Filter
            | Stop::Paused
            | Stop::Interrupted
            | Stop::Error
            | Stop::Other(_) => reply,
        }
    }

    fn keeps_conversations(&self) -> bool {
        true
    }
}
