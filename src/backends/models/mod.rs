//! What is known of models: limits, abilities and prices, shipped as data and laid over by the
//! user's own.

use super::TokenLimit;

/// What is known of a model; what is not known is `None`, and nothing is refused for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelFacts {
    /// The most tokens of a request and its answer together.
    pub context: Option<u64>,
    /// The most tokens of an answer, reasoning included.
    pub max_output: Option<u64>,
    /// Whether it takes pictures.
    pub images: Option<bool>,
    /// Whether it takes PDF files.
    pub pdf: Option<bool>,
    /// Whether it can call tools.
    pub tools: Option<bool>,
    /// How it is told to think.
    pub reasoning: Option<ReasoningStyle>,
    /// Whether it thinks whatever it is told.
    pub always_thinks: Option<bool>,
    /// Whether it takes temperature, `top_p` and `top_k`; one that does not refuses the request.
    pub sampling: Option<bool>,
    /// The name of the limit of its answer in Chat Completions.
    pub token_limit: Option<TokenLimit>,
    pub prices: Prices,
}

/// How a model is told how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningStyle {
    /// It does not think.
    None,
    /// By a word, such as `low`.
    Effort,
    /// By a number of tokens.
    Budget,
    /// It decides itself, within an effort.
    Adaptive,
}

/// What tokens cost; what is not known is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// Prompt tokens that are neither read from a cache nor written to one.
    pub input: Option<Price>,
    /// Tokens of the answer, reasoning included.
    pub output: Option<Price>,
    pub cache_read: Option<Price>,
    /// Tokens that are written to a cache for some minutes.
    pub cache_write: Option<Price>,
    /// Tokens that are written to a cache for an hour.
    pub cache_write_1h: Option<Price>,
}

/// The price of one token in millionths of a millionth of a US dollar: whole prices of a million
/// tokens are given with up to six decimals, and are exact here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(pub u64);

impl ModelFacts {
    /// Nothing is known.
    pub const UNKNOWN: ModelFacts = ModelFacts {
        context: None,
        max_output: None,
        images: None,
        pdf: None,
        tools: None,
        reasoning: None,
        always_thinks: None,
        sampling: None,
        token_limit: None,
        prices: Prices {
            input: None,
            output: None,
            cache_read: None,
            cache_write: None,
            cache_write_1h: None,
        },
    };
}
