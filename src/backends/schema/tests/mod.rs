//! Schemas for APIs: a table of examples, what hostile ones cost, and the laws of every rewriting.

mod examples;
mod hostile;
mod laws;
mod strict;

use serde_json::Value;

use super::{Dialect, Fitted, fitted};

const DIALECTS: [Dialect; 10] = [
    Dialect::OpenAiTool,
    Dialect::OpenAiStrict,
    Dialect::Answer,
    Dialect::AnthropicTool,
    Dialect::AnthropicStrict,
    Dialect::GeminiTool,
    Dialect::GeminiAnswer,
    Dialect::BedrockTool,
    Dialect::OllamaTool,
    Dialect::Grammar,
];

/// The changes as lines.
fn lines(fitted: &Fitted) -> Vec<String> {
    fitted.changes.iter().map(ToString::to_string).collect()
}

/// Only the schema.
fn schema(schema: &Value, dialect: Dialect) -> Value {
    fitted(schema, dialect).schema
}

/// Whether a dialect is for the arguments of tools.
fn for_tools(dialect: Dialect) -> bool {
    match dialect {
        Dialect::OpenAiTool
        | Dialect::AnthropicTool
        | Dialect::GeminiTool
        | Dialect::BedrockTool
        | Dialect::OllamaTool => true,
        Dialect::OpenAiStrict
        | Dialect::Answer
        | Dialect::AnthropicStrict
        | Dialect::GeminiAnswer
        | Dialect::Grammar => false,
    }
}
