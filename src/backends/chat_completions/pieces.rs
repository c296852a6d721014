//! Calls put together from the pieces of a stream, whatever a server does with `index` and `id`.

use serde_json::Value;

/// One call, as far as it came.
#[derive(Debug, Default)]
pub(super) struct CallPieces {
    index: Option<u64>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
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
    serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok()
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}
