//! What a table says of a model, in the words of `config.toml`.

use serde::Deserialize;

/// What is said of a model: `[models."NAME"]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelTable {
    /// Tokens of a request and its answer together.
    pub context: Option<u64>,
    /// Tokens of an answer.
    pub max_output: Option<u64>,
    pub images: Option<bool>,
    pub pdf: Option<bool>,
    pub tools: Option<bool>,
    pub reasoning: Option<Reasoning>,
    pub always_thinks: Option<bool>,
    /// Whether it takes temperature, `top_p` and `top_k`.
    pub sampling: Option<bool>,
    /// The name of the limit of its answer in Chat Completions.
    pub token_limit: Option<TokenLimitName>,
    /// Whether the provider says with each answer what it has cost.
    pub tells_cost: Option<bool>,
    pub price: Option<PriceTable>,
}

/// How a model is told how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reasoning {
    None,
    Effort,
    Budget,
    Adaptive,
}

/// The names of the limit of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimitName {
    MaxTokens,
    MaxCompletionTokens,
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    pub input: f64,
    pub output: f64,
    pub cache_read: Option<f64>,
    pub cache_write: Option<f64>,
    pub cache_write_1h: Option<f64>,
    /// What holds instead for long prompts.
    pub long: Option<LongPriceTable>,
}

/// US dollars for a million tokens of a request whose prompt is long.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPriceTable {
    /// The most prompt tokens that are not yet long.
    pub above: u64,
    pub input: f64,
    pub output: f64,
    pub cache_read: Option<f64>,
    pub cache_write: Option<f64>,
    pub cache_write_1h: Option<f64>,
}

/// No price of a million tokens is higher.
const HIGHEST: f64 = 1_000_000.0;

impl PriceTable {
    /// Names the first price that cannot be one.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        let long = self.long.as_ref();
        [
            ("input", Some(self.input)),
            ("output", Some(self.output)),
            ("cache_read", self.cache_read),
            ("cache_write", self.cache_write),
            ("cache_write_1h", self.cache_write_1h),
            ("long.input", long.map(|long| long.input)),
            ("long.output", long.map(|long| long.output)),
            ("long.cache_read", long.and_then(|long| long.cache_read)),
            ("long.cache_write", long.and_then(|long| long.cache_write)),
            (
                "long.cache_write_1h",
                long.and_then(|long| long.cache_write_1h),
            ),
        ]
        .into_iter()
        .find(|(_, price)| price.is_some_and(|price| !(0.0..=HIGHEST).contains(&price)))
        .map(|(key, _)| key)
    }
}

impl ModelTable {
    /// Names the first number that would make no sense.
    pub(super) fn mistake(&self) -> Option<Mistake> {
        if self.context == Some(0) {
            return Some(Mistake::Zero("context"));
        }
        if self.max_output == Some(0) {
            return Some(Mistake::Zero("max_output"));
        }
        self.price.as_ref()?.mistake().map(Mistake::Price)
    }
}

/// What is wrong with a table.
pub(super) enum Mistake {
    /// The key must be above 0.
    Zero(&'static str),
    /// The key of `price` is no price.
    Price(&'static str),
}
