//! The blocks of a reply, whole or in pieces.

use serde_json::{Map, Value};

use crate::backends::Delta;
use crate::backends::gather::{CallPieces, Gathered, Part, Thought};

/// Takes blocks into a reply in the making.
#[derive(Debug)]
pub(super) struct Blocks {
    pub(super) gathered: Gathered,
    open: Vec<Block>,
}

/// A block that may still grow: servers do not always end one before they begin the next.
#[derive(Debug)]
struct Block {
    index: u64,
    /// Its place in the reply.
    place: usize,
    kind: Kind,
    /// The JSON of its input, as far as it came in pieces.
    input: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
    /// Anything else goes back as it came.
    Raw,
}

impl Blocks {
    pub(super) fn new(provider: &str) -> Blocks {
        Blocks {
            gathered: Gathered::new(provider),
            open: Vec::new(),
        }
    }

    /// Takes a block that comes in one piece.
    pub(super) fn whole(&mut self, block: &Value) -> Option<Delta> {
        let index = self.next_index();
        let begun = self.begin(Some(index), block);
        let ended = self.end(Some(index));
        begun.or(ended)
    }

    /// Begins a block with what is told of it at its start.
    pub(super) fn begin(&mut self, index: Option<u64>, block: &Value) -> Option<Delta> {
        let index = index.unwrap_or_else(|| self.next_index());
        self.open.retain(|open| open.index != index);
        let kind = match text(block, "type") {
            "text" => Kind::Text,
            "thinking" => Kind::Thinking,
            "tool_use" => Kind::Call,
            _ => Kind::Raw,
        };
        let (place, delta) = match kind {
            Kind::Text => {
                let place = self.gathered.text_place();
                let said = text(block, "text").to_owned();
                if let Some(Part::Text(text)) = self.gathered.part(place) {
                    text.push_str(&said);
                }
                (place, (!said.is_empty()).then_some(Delta::Text(said)))
            }
            Kind::Thinking => {
                let thought = thought(block);
                let said = thought.text.clone();
                let place = self.gathered.begin(Part::Thought(thought));
                (place, (!said.is_empty()).then_some(Delta::Reasoning(said)))
            }
            Kind::Call => (self.gathered.begin(Part::Call(call(block))), None),
            Kind::Raw => {
                let thought = Thought {
                    text: String::new(),
                    data: block.is_object().then(|| block.clone()),
                };
                (self.gathered.begin(Part::Thought(thought)), None)
            }
        };
        self.open.push(Block {
            index,
            place,
            kind,
            input: String::new(),
        });
        delta
    }

    /// Adds a piece to a block; one that was never begun begins with it.
    pub(super) fn add(&mut self, index: Option<u64>, delta: &Value) -> Option<Delta> {
        let known = |index| self.open.iter().rposition(|open| open.index == index);
        let at = match index {
            Some(index) => known(index),
            None => self.open.len().checked_sub(1),
        };
        let at = at.or_else(|| {
            let kind = match text(delta, "type") {
                "text_delta" => "text",
                "thinking_delta" => "thinking",
                "input_json_delta" => "tool_use",
                _ => return None,
            };
            self.begin(index, &serde_json::json!({"type": kind}));
            self.open.len().checked_sub(1)
        })?;
        let block = self.open.get_mut(at)?;
        match (text(delta, "type"), self.gathered.part(block.place)?) {
            ("text_delta", Part::Text(before)) => {
                let said = text(delta, "text");
                before.push_str(said);
                (!said.is_empty()).then(|| Delta::Text(said.to_owned()))
            }
            ("thinking_delta", Part::Thought(thought)) if block.kind == Kind::Thinking => {
                let said = text(delta, "thinking");
                thought.text.push_str(said);
                (!said.is_empty()).then(|| Delta::Reasoning(said.to_owned()))
            }
            ("signature_delta", Part::Thought(thought)) if block.kind == Kind::Thinking => {
                sign(thought, text(delta, "signature"));
                None
            }
            ("input_json_delta", Part::Call(call)) => {
                if block.input.is_empty() {
                    // What stood at the start was only a place for it.
                    call.arguments.clear();
                }
                let piece = text(delta, "partial_json");
                block.input.push_str(piece);
                call.arguments.push_str(piece);
                None
            }
            ("input_json_delta", Part::Thought(_)) => {
                block.input.push_str(text(delta, "partial_json"));
                None
            }
            (_, Part::Text(_) | Part::Thought(_) | Part::Call(_)) => None,
        }
    }

    /// Ends a block.
    pub(super) fn end(&mut self, index: Option<u64>) -> Option<Delta> {
        let at = match index {
            Some(index) => self.open.iter().rposition(|open| open.index == index)?,
            None => self.open.len().checked_sub(1)?,
        };
        let block = self.open.get_mut(at)?;
        let input = std::mem::take(&mut block.input);
        let (Kind::Raw, Some(Part::Thought(thought))) =
            (block.kind, self.gathered.part(block.place))
        else {
            return None;
        };
        let Some(Value::Object(data)) = &mut thought.data else {
            return None;
        };
        if let Ok(input @ Value::Object(_)) = serde_json::from_str(&input) {
            data.insert("input".into(), input);
        }
        thought.text = shown(data);
        let text = thought.text.clone();
        (!text.is_empty()).then_some(Delta::Reasoning(text))
    }

    /// Gives what has come in. Thinking without a signature has nothing but its text.
    pub(super) fn close(mut self) -> Gathered {
        for part in self.gathered.parts() {
            if let Part::Thought(thought) = part
                && let Some(data) = &thought.data
                && text(data, "type") == "thinking"
                && text(data, "signature").is_empty()
            {
                thought.data = None;
            }
        }
        self.gathered
    }

    fn next_index(&self) -> u64 {
        let highest = self.open.iter().map(|open| open.index).max();
        highest.map_or(0, |highest| highest.saturating_add(1))
    }
}

/// Thinking goes back with its signature; its text stands beside.
fn thought(block: &Value) -> Thought {
    let mut data = block.as_object().cloned().unwrap_or_default();
    data.shift_remove("thinking");
    if !data.get("signature").is_some_and(Value::is_string) {
        data.insert("signature".into(), "".into());
    }
    Thought {
        text: text(block, "thinking").to_owned(),
        data: Some(data.into()),
    }
}

fn sign(thought: &mut Thought, piece: &str) {
    let signature = thought
        .data
        .as_mut()
        .and_then(|data| data.get_mut("signature"));
    if let Some(Value::String(signature)) = signature {
        signature.push_str(piece);
    }
}

fn call(block: &Value) -> CallPieces {
    let arguments = match block.get("input") {
        None | Some(Value::Null) => String::new(),
        Some(Value::Object(fields)) if fields.is_empty() => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => {
            other.to_string()
        }
    };
    CallPieces {
        id: text(block, "id").to_owned(),
        name: text(block, "name").to_owned(),
        arguments,
    }
}

/// Gives what people can read of a block that the provider's own tools left.
fn shown(data: &Map<String, Value>) -> String {
    let kind = data.get("type").and_then(Value::as_str).unwrap_or_default();
    if kind == "server_tool_use" {
        let name = data.get("name").and_then(Value::as_str).unwrap_or_default();
        let input = data.get("input").and_then(Value::as_object);
        let query = input.and_then(|input| ["query", "url"].iter().find_map(|key| input.get(*key)));
        return match query.and_then(Value::as_str) {
            Some(query) => format!("{name}: {query}"),
            None => name.to_owned(),
        };
    }
    match data.get("content") {
        Some(Value::Array(found)) => {
            let lines = found.iter().filter_map(|one| {
                let url = one.get("url").and_then(Value::as_str)?;
                Some(format!("{} {url}", text(one, "title")).trim().to_owned())
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Some(Value::Object(told)) => told
            .get("error_code")
            .and_then(Value::as_str)
            .map_or_else(String::new, |code| format!("failed: {code}")),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {
            String::new()
        }
    }
}

/// Gives a field that is text; all else is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
