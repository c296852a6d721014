//! A reply in events.

use serde_json::Value;

use super::decode::{call, ending, kept, list, phase, surroundings, take, text};
use crate::backends::gather::{CallPieces, Ended, Gathered, Part, Thought};
use crate::backends::wire::{Failure, Frame, Progress, StreamDecoder};
use crate::backends::{Delta, Reply, fault};

/// Reads the events of one reply.
pub(super) struct EventDecoder {
    gathered: Gathered,
    /// The items that have begun, in their order.
    items: Vec<Open>,
    ended: Option<Ended>,
}

/// An item that has begun.
struct Open {
    /// Its type, as the item tells it.
    kind: String,
    id: String,
    index: Option<u64>,
    /// Where its part stands in the reply; a message without text has none yet.
    place: Option<usize>,
    /// Where what is to be kept of a message stands, before its text: it may come with the end.
    kept: Option<usize>,
}

impl EventDecoder {
    pub(super) fn new(provider: &str) -> EventDecoder {
        EventDecoder {
            gathered: Gathered::new(provider),
            items: Vec::new(),
            ended: None,
        }
    }

    /// Finds the item that an event is about: by its id, by its index, or else it is the last one,
    /// since some servers tell neither.
    fn item(&mut self, event: &Value) -> Option<&mut Open> {
        let id = [
            text(event, "item_id"),
            event
                .pointer("/item/id")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        ]
        .into_iter()
        .find(|id| !id.is_empty());
        let index = event.get("output_index").and_then(Value::as_u64);
        let kind = event.pointer("/item/type").and_then(Value::as_str);
        let by_index = |open: &Open| index.is_some() && open.index == index;
        let by_id = |open: &Open| id.is_some_and(|id| open.id == id);
        let at = self
            .items
            .iter()
            .rposition(by_index)
            .or_else(|| self.items.iter().rposition(by_id))
            .or_else(|| {
                let unnamed = index.is_none() && id.is_none();
                let last = self.items.len().checked_sub(1).filter(|_| unnamed)?;
                let fits = kind.is_none_or(|kind| self.items[last].kind == kind);
                fits.then_some(last)
            })?;
        self.items.get_mut(at)
    }

    fn add(&mut self, event: &Value) {
        let Some(item) = event.get("item") else {
            return;
        };
        let mut kept = None;
        let place = match text(item, "type") {
            "message" => {
                let thought = phase(item).unwrap_or_default();
                kept = Some(self.gathered.begin(Part::Thought(thought)));
                None
            }
            "function_call" => Some(self.gathered.begin(Part::Call(call(item)))),
            // What it holds comes with its end.
            _ => Some(self.gathered.begin(Part::Thought(Thought::default()))),
        };
        self.items.push(Open {
            kind: text(item, "type").to_owned(),
            id: text(item, "id").to_owned(),
            index: event.get("output_index").and_then(Value::as_u64),
            place,
            kept,
        });
    }

    /// Settles an item whose whole is told at its end.
    fn done(&mut self, event: &Value) {
        let Some(item) = event.get("item") else {
            return;
        };
        if self.item(event).is_none() {
            self.add(event);
        }
        let kind = text(item, "type").to_owned();
        let kept_at = self.item(event).and_then(|open| open.kept);
        if let (Some(Part::Thought(before)), Some(thought)) = (
            kept_at.and_then(|place| self.gathered.part(place)),
            phase(item).filter(|_| kind == "message"),
        ) {
            *before = thought;
        }
        let place = self.item(event).and_then(|open| open.place);
        let part = place.and_then(|place| self.gathered.part(place));
        match (kind.as_str(), part) {
            ("function_call", Some(Part::Call(pieces))) => {
                let whole = call(item);
                let keep = |new: String, old: &mut String| {
                    if !new.is_empty() {
                        *old = new;
                    }
                };
                keep(whole.id, &mut pieces.id);
                keep(whole.name, &mut pieces.name);
                keep(whole.arguments, &mut pieces.arguments);
            }
            ("message", None) => {
                // Its text came in no pieces.
                let said: String = list(item, "content")
                    .iter()
                    .map(|part| text(part, "text"))
                    .collect();
                let refusals = list(item, "content")
                    .iter()
                    .map(|part| text(part, "refusal"));
                if self.gathered.refusal.is_empty() {
                    self.gathered.refusal.extend(refusals);
                }
                if !said.is_empty() {
                    let place = self.gathered.begin(Part::Text(said));
                    if let Some(open) = self.item(event) {
                        open.place = Some(place);
                    }
                }
            }
            (_, Some(Part::Thought(thought))) => {
                if let Some(whole) = kept(item) {
                    let told = std::mem::take(&mut thought.text);
                    *thought = whole;
                    if thought.text.is_empty() {
                        thought.text = told;
                    }
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, event: &Value) -> Vec<Delta> {
        let said = text(event, "delta").to_owned();
        if said.is_empty() {
            return Vec::new();
        }
        let place = self.item(event).and_then(|open| open.place);
        if let Some(Part::Text(before)) = place.and_then(|place| self.gathered.part(place)) {
            before.push_str(&said);
        } else {
            let place = self.gathered.begin(Part::Text(said.clone()));
            match self.item(event) {
                Some(open) => open.place = Some(place),
                None => self.items.push(Open {
                    kind: "message".to_owned(),
                    id: text(event, "item_id").to_owned(),
                    index: event.get("output_index").and_then(Value::as_u64),
                    place: Some(place),
                    kept: None,
                }),
            }
        }
        vec![Delta::Text(said)]
    }

    fn think(&mut self, event: &Value) -> Vec<Delta> {
        let said = text(event, "delta").to_owned();
        let place = self.item(event).and_then(|open| open.place);
        match place.and_then(|place| self.gathered.part(place)) {
            Some(Part::Thought(thought)) => thought.text.push_str(&said),
            Some(Part::Text(_) | Part::Call(_)) | None => self.gathered.think(&said),
        }
        if said.is_empty() {
            Vec::new()
        } else {
            vec![Delta::Reasoning(said)]
        }
    }

    fn argue(&mut self, event: &Value) {
        let place = self.item(event).and_then(|open| open.place);
        let call: Option<&mut CallPieces> = place.and_then(|place| self.gathered.call(place));
        if let Some(call) = call {
            match event.get("arguments").and_then(Value::as_str) {
                Some(whole) if !whole.is_empty() => whole.clone_into(&mut call.arguments),
                Some(_) | None => call.arguments.push_str(text(event, "delta")),
            }
        }
    }
}

impl StreamDecoder for EventDecoder {
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure> {
        if frame.text.trim() == "[DONE]" {
            return Ok(Vec::new());
        }
        let event = frame.json()?;
        let kind = match text(&event, "type") {
            "" => frame.name.unwrap_or_default(),
            kind => kind,
        };
        if (kind == "error" || event.get("error").is_some_and(|error| !error.is_null()))
            && let Some(failure) = fault::told_in_event(&event, Some("error"))
        {
            return Err(failure);
        }
        let deltas = match kind {
            "response.output_item.added" => {
                self.add(&event);
                Vec::new()
            }
            "response.output_text.delta" => self.say(&event),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.think(&event)
            }
            "response.refusal.delta" => {
                self.gathered.refusal.push_str(text(&event, "delta"));
                Vec::new()
            }
            "response.function_call_arguments.delta" | "response.function_call_arguments.done" => {
                self.argue(&event);
                Vec::new()
            }
            "response.output_item.done" => {
                self.done(&event);
                Vec::new()
            }
            "response.completed" | "response.incomplete" | "response.failed" => {
                let response = event.get("response").unwrap_or(&Value::Null);
                surroundings(&mut self.gathered, response);
                if self.items.is_empty() && self.gathered.refusal.is_empty() {
                    // Nothing came before the end: some servers tell all of it there.
                    for item in list(response, "output") {
                        take(&mut self.gathered, item);
                    }
                }
                self.ended = Some(match (kind, ending(response)?) {
                    // The name of the event is the proof; some servers copy the status of the start.
                    ("response.completed", Ended::BrokenOff) => {
                        Ended::Whole(crate::backends::Stop::End)
                    }
                    (_, ended) => ended,
                });
                Vec::new()
            }
            "response.created" | "response.in_progress" | "response.queued" => {
                surroundings(
                    &mut self.gathered,
                    event.get("response").unwrap_or(&Value::Null),
                );
                Vec::new()
            }
            _ => Vec::new(),
        };
        Ok(deltas)
    }

    fn progress(&self) -> Progress {
        match self.ended {
            Some(_) => Progress::Done,
            None => Progress::Open,
        }
    }

    fn finish(self: Box<Self>) -> Result<Reply, Failure> {
        self.gathered.settle(self.ended.unwrap_or(Ended::BrokenOff))
    }
}
