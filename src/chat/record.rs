//! What a run leaves in the file, typed: calls, outputs, reasoning and meta lines.
//!
//! Each type reads itself from the content of a message and writes itself back; these are the
//! only JSON shapes of the format.

use serde_json::{Map, Value};

/// The name of a tool as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(pub String);

/// The id that pairs a call with its output.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub String);

/// A call that a model made: the content of a `function_call` message.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    pub id: CallId,
    pub name: ToolName,
    pub arguments: Map<String, Value>,
}

/// What a tool gave back: the content of a `function_call_output` message.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    pub id: CallId,
    pub name: ToolName,
    pub content: String,
    /// True when the content tells of a failure.
    pub error: bool,
    /// Paths of images and other media of the output, as written in the file.
    pub media: Vec<String>,
    /// When the call was started and when it ended, RFC 3339.
    pub start_timestamp: Option<String>,
    pub timestamp: Option<String>,
    /// Fields of the record that this version does not know, kept as they are.
    pub other: Map<String, Value>,
}

/// What a provider wants back with the next request: the content of a `reasoning` message.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasoning {
    pub text: Option<String>,
    pub provider: String,
    pub data: Option<Value>,
}

/// A value of a meta line.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaValue {
    Integer(i64),
    Number(f64),
    Text(String),
}

/// The content of a `meta` message: keys with values, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meta {
    pub entries: Vec<(String, MetaValue)>,
}

/// Why the content of a record is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("the content is not JSON: {0}")]
    NotJson(String),
    #[error("the content is JSON, but not an object")]
    NotAnObject,
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{field}` is not {wanted}")]
    WrongType {
        field: &'static str,
        wanted: &'static str,
    },
}
