//! What a run leaves in the file, typed: calls, outputs, reasoning and meta lines.
//!
//! Each type reads itself from the content of a message and writes itself back; these are the
//! only JSON shapes of the format.

use serde_json::{Map, Value};

use super::{Message, Role};

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
    /// Absent in files of Scout, which pairs by id alone.
    pub name: Option<ToolName>,
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

impl ToolCall {
    /// Reads the content of a `function_call` message.
    ///
    /// Arguments that are missing, `null` or blank mean none; a string that holds a JSON object,
    /// as some providers write them, counts as that object.
    pub fn read(content: &str) -> Result<ToolCall, RecordError> {
        let mut fields = object(content)?;
        Ok(ToolCall {
            id: CallId(text(&mut fields, "id")?),
            name: ToolName(text(&mut fields, "name")?),
            arguments: arguments(fields.shift_remove("arguments"))?,
        })
    }

    /// Writes the content of a `function_call` message, on one line.
    pub fn write(&self) -> String {
        let mut fields = Map::new();
        fields.insert("name".into(), self.name.0.clone().into());
        fields.insert("arguments".into(), Value::Object(self.arguments.clone()));
        fields.insert("id".into(), self.id.0.clone().into());
        Value::Object(fields).to_string()
    }

    /// Gives the message that stands for it in a file.
    pub fn to_message(&self) -> Message {
        Message::new(Role::FunctionCall, self.write())
    }
}

impl ToolOutput {
    /// Reads the content of a `function_call_output` message. Content that is not text is kept as
    /// its JSON.
    pub fn read(content: &str) -> Result<ToolOutput, RecordError> {
        let mut fields = object(content)?;
        Ok(ToolOutput {
            id: CallId(text(&mut fields, "id")?),
            name: optional_text(&mut fields, "name")?.map(ToolName),
            content: match fields.shift_remove("content") {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text,
                Some(other) => other.to_string(),
            },
            error: match fields.shift_remove("error") {
                None | Some(Value::Null) => false,
                Some(Value::Bool(failed)) => failed,
                Some(_) => true,
            },
            media: match fields.shift_remove("media") {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(paths)) => paths
                    .into_iter()
                    .map(|path| match path {
                        Value::String(path) => Ok(path),
                        Value::Null
                        | Value::Bool(_)
                        | Value::Number(_)
                        | Value::Array(_)
                        | Value::Object(_) => Err(RecordError::WrongType {
                            field: "media",
                            wanted: "paths",
                        }),
                    })
                    .collect::<Result<_, _>>()?,
                Some(_) => {
                    return Err(RecordError::WrongType {
                        field: "media",
                        wanted: "a list",
                    });
                }
            },
            start_timestamp: optional_text(&mut fields, "start_timestamp")?,
            timestamp: optional_text(&mut fields, "timestamp")?,
            // Most outputs leave nothing over, and an emptied map keeps the room it had.
            other: if fields.is_empty() {
                Map::new()
            } else {
                fields
            },
        })
    }

    /// Writes the content of a `function_call_output` message, on one line.
    pub fn write(&self) -> String {
        let mut fields = Map::new();
        if let Some(name) = &self.name {
            fields.insert("name".into(), name.0.clone().into());
        }
        fields.insert("content".into(), self.content.clone().into());
        fields.insert("id".into(), self.id.0.clone().into());
        if self.error {
            fields.insert("error".into(), true.into());
        }
        for (key, value) in [
            ("start_timestamp", &self.start_timestamp),
            ("timestamp", &self.timestamp),
        ] {
            if let Some(value) = value {
                fields.insert(key.into(), value.clone().into());
            }
        }
        if !self.media.is_empty() {
            fields.insert("media".into(), self.media.clone().into());
        }
        fields.extend(self.other.clone());
        Value::Object(fields).to_string()
    }

    /// Gives the message that stands for it in a file.
    pub fn to_message(&self) -> Message {
        Message::new(Role::FunctionCallOutput, self.write())
    }
}

impl Reasoning {
    /// Reads the content of a `reasoning` message.
    pub fn read(content: &str) -> Result<Reasoning, RecordError> {
        let mut fields = object(content)?;
        Ok(Reasoning {
            text: optional_text(&mut fields, "text")?,
            provider: text(&mut fields, "provider")?,
            data: fields.shift_remove("data"),
        })
    }

    /// Writes the content of a `reasoning` message, on one line.
    pub fn write(&self) -> String {
        let mut fields = Map::new();
        if let Some(text) = &self.text {
            fields.insert("text".into(), text.clone().into());
        }
        fields.insert("provider".into(), self.provider.clone().into());
        if let Some(data) = &self.data {
            fields.insert("data".into(), data.clone());
        }
        Value::Object(fields).to_string()
    }

    /// Gives the message that stands for it in a file.
    pub fn to_message(&self) -> Message {
        Message::new(Role::Reasoning, self.write())
    }
}

fn object(content: &str) -> Result<Map<String, Value>, RecordError> {
    match serde_json::from_str(content) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(RecordError::NotAnObject),
        Err(error) => Err(RecordError::NotJson(error.to_string())),
    }
}

fn text(fields: &mut Map<String, Value>, field: &'static str) -> Result<String, RecordError> {
    optional_text(fields, field)?.ok_or(RecordError::Missing(field))
}

fn optional_text(
    fields: &mut Map<String, Value>,
    field: &'static str,
) -> Result<Option<String>, RecordError> {
    match fields.shift_remove(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        // Some programs number their calls.
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(RecordError::WrongType {
            field,
            wanted: "text",
        }),
    }
}

fn arguments(value: Option<Value>) -> Result<Map<String, Value>, RecordError> {
    let wrong = RecordError::WrongType {
        field: "arguments",
        wanted: "an object",
    };
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(arguments)) => Ok(arguments),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Map::new()),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(Value::Null) => Ok(Map::new()),
            _ => Err(wrong),
        },
        Some(_) => Err(wrong),
    }
}

#[cfg(test)]
mod tests;
