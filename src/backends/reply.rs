//! What came back from a model.

use crate::plan::Item;

/// One whole or cut reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Texts, calls and reasoning in the order in which the model made them.
    pub items: Vec<Item>,
    pub stop: Stop,
    pub usage: Usage,
    /// The model that the provider says has answered.
    pub model: Option<String>,
    /// The provider's id of the response.
    pub response_id: Option<String>,
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
    pub reasoning: Option<u64>,
}
