//! What a model is told of a tool, and where the tool comes from.

use std::sync::Arc;

use serde_json::Value;

use super::Executor;
use crate::chat::{Origin, ToolName};

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// In what a registry gives out it fits every provider: `[A-Za-z0-9_-]{1,64}`.
    pub name: ToolName,
    pub description: String,
    /// A JSON schema (2020-12) of an object.
    pub parameters: Value,
}

impl ToolDefinition {
    /// Makes a definition from its parts.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: Value,
    ) -> ToolDefinition {
        ToolDefinition {
            name: ToolName(name.into()),
            description: description.into(),
            parameters,
        }
    }
}

/// Who offers a tool, and where that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The name of the source, such as that of a server or a workflow: it tells tools of one name
    /// apart.
    pub source: String,
    pub at: Origin,
}

/// A tool that can be registered: what it is, who offers it, what runs it.
#[derive(Clone)]
pub struct Tool {
    /// With the name and the schema as the source gave them.
    pub definition: ToolDefinition,
    pub declared: Declaration,
    pub executor: Arc<dyn Executor>,
}
