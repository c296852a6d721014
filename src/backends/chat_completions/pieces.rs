//! Calls put together from the pieces of a stream, whatever a server does with `index` and `id`.

use serde_json::{Map, Value};

use crate::backends::{CallFault, CutCall, Stop};
use crate::chat::{CallId, ToolCall, ToolName};

/// One call, as far as it came.
#[derive(Debug, Default)]
pub(super) struct CallPieces {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// What one piece says.
struct Piece<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
}

/// Adds a piece to the call that it belongs to, or to a new one; gives the place of that call.
///
/// An `index` or an `id` that is known continues its call, and neither continues the last one.
/// A call is new when its id is, or when the one it would continue is already whole: there are
/// servers that send the same index, or none at all, for several calls.
pub(super) fn add(calls: &mut Vec<CallPieces>, piece: &Value) -> usize {
    let function = piece.get("function").unwrap_or(piece);
    let piece = Piece {
        index: piece.get("index").and_then(Value::as_u64),
        id: text(piece.get("id")),
        name: text(function.get("name")),
        arguments: match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        },
    };
    let continued = continued(calls, &piece).filter(|place| !is_new(&calls[*place], &piece));
    let place = continued.unwrap_or_else(|| {
        calls.push(CallPieces::default());
        calls.len() - 1
    });
    let call = &mut calls[place];
    call.index = call.index.or(piece.index);
    if call.id.is_empty() {
        piece.id.clone_into(&mut call.id);
    }
    if call.name.is_empty() {
        piece.name.clone_into(&mut call.name);
    }
    call.arguments.push_str(&piece.arguments);
    place
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

/// Finds the newest call that the piece may belong to.
fn continued(calls: &[CallPieces], piece: &Piece<'_>) -> Option<usize> {
    if piece.index.is_some() {
        return calls.iter().rposition(|call| call.index == piece.index);
    }
    if !piece.id.is_empty() {
        return calls.iter().rposition(|call| call.id == piece.id);
    }
    calls.len().checked_sub(1)
}

fn is_new(call: &CallPieces, piece: &Piece<'_>) -> bool {
    if piece.name.is_empty() || call.name.is_empty() {
        return false;
    }
    let another_id = !piece.id.is_empty() && !call.id.is_empty() && piece.id != call.id;
    let same_id = !piece.id.is_empty() && piece.id == call.id;
    another_id || (!same_id && is_whole(&call.arguments))
}

fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(arguments).is_ok()
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
