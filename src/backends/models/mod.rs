//! What is known of models: limits, abilities and prices, shipped as data and laid over by the
//! user's own.

mod money;
mod names;
mod price;
mod table;

use super::{TokenLimit, Usage};
use crate::world::model_table::{ModelTable, Reasoning, TokenLimitName};

pub use money::Money;
pub use price::{LongPrompt, Price, Prices, Rates};
pub use table::{FACTS_DATE, facts, facts_of_tables};

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
    /// Whether its provider says with each answer what it has cost.
    pub tells_cost: Option<bool>,
    pub prices: Option<Prices>,
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
        tells_cost: None,
        prices: None,
    };

    /// Fills in what is not known here; prices are taken whole, as those of two tables do not
    /// belong together.
    #[must_use]
    pub fn or(self, other: ModelFacts) -> ModelFacts {
        ModelFacts {
            context: self.context.or(other.context),
            max_output: self.max_output.or(other.max_output),
            images: self.images.or(other.images),
            pdf: self.pdf.or(other.pdf),
            tools: self.tools.or(other.tools),
            reasoning: self.reasoning.or(other.reasoning),
            always_thinks: self.always_thinks.or(other.always_thinks),
            sampling: self.sampling.or(other.sampling),
            token_limit: self.token_limit.or(other.token_limit),
            tells_cost: self.tells_cost.or(other.tells_cost),
            prices: self.prices.or(other.prices),
        }
    }

    /// Gives what an inference has cost, when that is known: what the provider says counts, else
    /// it is worked out from the tokens.
    pub fn cost(&self, usage: &Usage) -> Option<Money> {
        usage
            .cost
            .or_else(|| self.prices.and_then(|prices| prices.cost(usage)))
    }

    /// Tells whether costs can be known at all.
    pub fn has_costs(&self) -> bool {
        self.prices.is_some() || self.tells_cost == Some(true)
    }

    /// Keeps what holds at any host.
    fn elsewhere(self) -> ModelFacts {
        ModelFacts {
            prices: None,
            tells_cost: None,
            ..self
        }
    }
}

impl ReasoningStyle {
    /// Gives the name by which settings call it.
    pub fn name(self) -> &'static str {
        match self {
            ReasoningStyle::None => "none",
            ReasoningStyle::Effort => "effort",
            ReasoningStyle::Budget => "budget",
            ReasoningStyle::Adaptive => "adaptive",
        }
    }
}

impl From<&ModelTable> for ModelFacts {
    fn from(table: &ModelTable) -> ModelFacts {
        ModelFacts {
            context: table.context,
            max_output: table.max_output,
            images: table.images,
            pdf: table.pdf,
            tools: table.tools,
            reasoning: table.reasoning.map(|style| match style {
                Reasoning::None => ReasoningStyle::None,
                Reasoning::Effort => ReasoningStyle::Effort,
                Reasoning::Budget => ReasoningStyle::Budget,
                Reasoning::Adaptive => ReasoningStyle::Adaptive,
            }),
            always_thinks: table.always_thinks,
            sampling: table.sampling,
            token_limit: table.token_limit.map(|name| match name {
                TokenLimitName::MaxTokens => TokenLimit::MaxTokens,
                TokenLimitName::MaxCompletionTokens => TokenLimit::MaxCompletionTokens,
            }),
            tells_cost: table.tells_cost,
            prices: table.price.as_ref().map(Prices::from),
        }
    }
}
