//! What a model is told of a tool.

use serde_json::Value;

use crate::chat::ToolName;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Fits every provider: `[A-Za-z0-9_-]{1,64}`.
    pub name: ToolName,
    pub description: String,
    /// A JSON schema (2020-12) of an object.
    pub parameters: Value,
}
