//! What is known of models.

/// What is known of a model; what is not known is `None`, and nothing is refused for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelFacts {
    /// The most tokens of a request and its answer together.
    pub context: Option<u64>,
    /// The most tokens of an answer.
    pub max_output: Option<u64>,
}

impl ModelFacts {
    /// Nothing is known.
    pub const UNKNOWN: ModelFacts = ModelFacts {
        context: None,
        max_output: None,
    };
}
