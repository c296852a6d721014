//! Calls put together from pieces, and what they amount to.

use serde_json::{Map, Value};

use crate::backends::{CallFault, CutCall, Stop};
use crate::chat::{CallId, ToolCall, ToolName};

/// One call, as far as it came.
#[derive(Debug, Default)]
pub(in crate::backends) struct CallPieces {
    /// Empty when the provider gave none.
    pub(in crate::backends) id: String,
    pub(in crate::backends) name: String,
    /// The JSON text of the arguments.
    pub(in crate::backends) arguments: String,
}

impl CallPieces {
    pub(super) fn has_no_arguments(&self) -> bool {
        let arguments = self.arguments.trim();
        arguments.is_empty() || arguments == "null"
    }

    /// Gives the call when it can be made. Missing arguments, `null` and blanks mean none.
    pub(super) fn settle(&self, cut: bool, stop: &Stop) -> Result<ToolCall, CutCall> {
        let fault = if cut {
            CallFault::Cut
        } else if self.name.trim().is_empty() {
            CallFault::NoName
        } else {
            match read_arguments(&self.arguments) {
                Ok(arguments) => {
                    return Ok(ToolCall {
                        id: CallId(self.id.clone()),
                        name: ToolName(self.name.clone()),
                        arguments,
                    });
                }
                Err(CallFault::NotJson(_)) if *stop == Stop::Length => CallFault::Cut,
                Err(fault) => fault,
            }
        };
        Err(CutCall {
            id: CallId(self.id.clone()),
            name: ToolName(self.name.clone()),
            arguments: self.arguments.clone(),
            fault,
        })
    }
}

/// Reads the text of arguments; a JSON string that holds an object is that object, because some
/// servers encode twice.
fn read_arguments(text: &str) -> Result<Map<String, Value>, CallFault> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(Value::Object(arguments)) => Ok(arguments),
            Ok(_) | Err(_) => Err(CallFault::NotAnObject),
        },
        Ok(Value::Bool(_) | Value::Number(_) | Value::Array(_)) => Err(CallFault::NotAnObject),
        Err(error) => Err(CallFault::NotJson(error.to_string())),
    }
}
