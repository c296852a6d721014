//! Which call a piece of a stream belongs to, whatever a server does with `index` and `id`.

use serde_json::{Map, Value};

use crate::backends::gather::{CallPieces, Gathered, Part};

/// The calls of a reply, as its pieces name them.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<Known>);

/// A call that has begun.
#[derive(Debug)]
struct Known {
    index: Option<u64>,
    /// Where it stands among the parts of the reply.
    place: usize,
}

/// What one piece says.
struct Piece<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
}

impl Places {
    /// Adds a piece to the call that it belongs to, or to a new one.
    ///
    /// An `index` or an `id` that is known continues its call, and neither continues the last one.
    /// A call is new when its id is, or when the one it would continue is already whole: there are
    /// servers that send the same index, or none at all, for several calls.
    pub(super) fn add(&mut self, gathered: &mut Gathered, piece: &Value) {
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
        let continued =
            self.continued(gathered, &piece)
                .filter(|at| match gathered.call(self.0[*at].place) {
                    Some(call) => !is_new(call, &piece),
                    None => false,
                });
        let at = continued.unwrap_or_else(|| {
            self.0.push(Known {
                index: None,
                place: gathered.begin(Part::Call(CallPieces::default())),
            });
            self.0.len() - 1
        });
        let known = &mut self.0[at];
        known.index = known.index.or(piece.index);
        let Some(call) = gathered.call(known.place) else {
            return;
        };
        if call.id.is_empty() {
            piece.id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            piece.name.clone_into(&mut call.name);
        }
        call.arguments.push_str(&piece.arguments);
    }

    /// Finds the newest call that the piece may belong to.
    fn continued(&self, gathered: &mut Gathered, piece: &Piece<'_>) -> Option<usize> {
        if piece.index.is_some() {
            return self.0.iter().rposition(|known| known.index == piece.index);
        }
        if !piece.id.is_empty() {
            return self.0.iter().rposition(|known| {
                gathered
                    .call(known.place)
                    .is_some_and(|call| call.id == piece.id)
            });
        }
        self.0.len().checked_sub(1)
    }
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
