//! What came back from a model.

use std::collections::HashSet;

use super::Money;
use crate::chat::{CallId, ToolName};
use crate::plan::Item;

/// One whole or cut reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Texts, calls and reasoning in the order in which the model made them. No text is blank.
    pub items: Vec<Item>,
    /// Calls that must not be made, because their arguments are cut or wrong: the loop tells the
    /// model. Their order is that of the model; they came after the items that they follow.
    pub cut_calls: Vec<CutCall>,
    pub stop: Stop,
    pub usage: Usage,
    /// The model that the provider says has answered.
    pub model: Option<String>,
    /// The provider's id of the response.
    pub response_id: Option<String>,
}

/// A call that cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub struct CutCall {
    /// Unique like that of a call, so that it can be recorded with an output that tells the fault.
    pub id: CallId,
    /// Empty when not even the name was told.
    pub name: ToolName,
    /// The arguments as far as they came, as the model wrote them.
    pub arguments: String,
    pub fault: CallFault,
}

/// Why a call cannot be made. Its `Display` is what the model can be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFault {
    /// The reply ended inside the call.
    #[error("the call was cut off before its arguments were whole, and was not made")]
    Cut,
    #[error("the arguments are not valid JSON ({0}), and the call was not made")]
    NotJson(String),
    #[error("the arguments are JSON, but not an object, and the call was not made")]
    NotAnObject,
    #[error("the call names no tool, and was not made")]
    NoName,
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It said all it wanted.
    End,
    /// It wants tools to be called.
    Calls,
    /// The token limit cut it.
    Length,
    /// The model refused.
    Refusal,
    /// The provider's filter cut it.
    Filter,
    /// The provider wants to be asked again with what it has made: the turn is not over.
    Paused,
    /// The user or a signal cut it.
    Interrupted,
    /// The connection or the provider failed on the way.
    Error,
    /// A reason that this version does not know.
    Other(String),
}

/// Token counts; what a provider does not tell stays `None`. `prompt` includes cached tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub prompt: Option<u64>,
    pub completion: Option<u64>,
    pub total: Option<u64>,
    pub cache_read: Option<u64>,
    pub cache_write: Option<u64>,
    /// Those of `cache_write` that stay in the cache for hours.
    pub cache_write_1h: Option<u64>,
    pub reasoning: Option<u64>,
    /// What the provider says that the inference has cost.
    pub cost: Option<Money>,
}

impl Stop {
    /// Gives the name under which `meta: stop=` records it.
    pub fn name(&self) -> &str {
        match self {
            Stop::End => "end",
            Stop::Calls => "calls",
            Stop::Length => "length",
            Stop::Refusal => "refusal",
            Stop::Filter => "filter",
            Stop::Paused => "paused",
            Stop::Interrupted => "interrupted",
            Stop::Error => "error",
            Stop::Other(reason) => reason,
        }
    }

    /// Reads a recorded name.
    pub fn from_name(name: &str) -> Stop {
        match name {
            "end" => Stop::End,
            "calls" => Stop::Calls,
            "length" => Stop::Length,
            "refusal" => Stop::Refusal,
            "filter" => Stop::Filter,
            "paused" => Stop::Paused,
            "interrupted" => Stop::Interrupted,
            "error" => Stop::Error,
            other => Stop::Other(other.to_owned()),
        }
    }
}

impl Reply {
    /// Tells whether the model said nothing at all: no text, no call, not even a cut one.
    pub fn says_nothing(&self) -> bool {
        self.cut_calls.is_empty()
            && self.items.iter().all(|item| match item {
                Item::Reasoning(_) => true,
                Item::Text(_) | Item::Call(_) => false,
            })
    }

    /// Gives a new id to each call whose id is empty, is used twice, or is one of `taken`: some
    /// servers count the calls of each reply from 0, and a chat file needs ids that are unique.
    pub fn make_ids_unique<'a>(&mut self, taken: impl IntoIterator<Item = &'a str>) {
        let mut taken: HashSet<String> = taken.into_iter().map(str::to_owned).collect();
        let called = self.items.iter_mut().filter_map(|item| match item {
            Item::Call(call) => Some(&mut call.id),
            Item::Text(_) | Item::Reasoning(_) => None,
        });
        for id in called.chain(self.cut_calls.iter_mut().map(|cut| &mut cut.id)) {
            if id.0.trim().is_empty() || taken.contains(&id.0) {
                *id = fresh_call_id();
            }
            taken.insert(id.0.clone());
        }
    }
}

/// Makes an id that no other call has.
fn fresh_call_id() -> CallId {
    CallId(format!("call_{}", uuid::Uuid::now_v7().simple()))
}
