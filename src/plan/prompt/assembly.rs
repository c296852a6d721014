//! From what was said to turns: calls are paired, turns joined, and gaps filled.

use std::collections::HashMap;

use super::ids::{Ids, clean_name};
use super::{GOING_ON, INTERRUPTED, Item, OPENING, Part, Prompt, Turn, join};
use crate::chat::{CallId, Reasoning, Role, ToolCall, ToolOutput};
use crate::plan::{Returned, Said, Saying, is_paused};

impl Prompt {
    /// Makes turns of any history; what that means is said at [`Prompt`].
    ///
    /// An output belongs to the newest turn that holds an open call of its id, and there to the
    /// first such call, one of its name before others. Outputs that find none are left out. Texts
    /// of roles that are not conversation say nothing to a model and are left out too.
    pub fn of(said: &[Said]) -> Prompt {
        let mut assembly = Assembly::default();
        for one in said {
            match &one.what {
                Saying::Text { role, text } => assembly.text(*role, text),
                Saying::Media(media) => assembly.user(Part::Media(media.clone())),
                Saying::Call(call) => assembly.call(call),
                Saying::Output(returned) => assembly.output(returned),
                Saying::Reasoning(reasoning) => {
                    assembly.made(Slot::Reasoning(reasoning.as_ref().clone()));
                }
                Saying::Meta(meta) if meta.is_mark() => assembly.paused = is_paused(meta),
                Saying::Meta(_) => {}
            }
        }
        assembly.finish()
    }
}

/// Turns that may still grow or be answered.
#[derive(Default)]
struct Assembly<'a> {
    turns: Vec<Open>,
    /// Calls without an output, by id: turn and place, in order.
    waiting: HashMap<&'a CallId, Vec<(usize, usize)>>,
    /// True while the newest record is one that paused.
    paused: bool,
}

enum Open {
    System(String),
    User(Vec<Part>),
    Assistant {
        slots: Vec<Slot>,
        /// True once a call of it was answered: what the model makes then is a new turn.
        answered: bool,
    },
}

enum Slot {
    Text(String),
    Reasoning(Reasoning),
    Call {
        call: ToolCall,
        output: Option<Box<Returned>>,
    },
}

impl<'a> Assembly<'a> {
    fn text(&mut self, role: Role, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        match role {
            Role::System | Role::Developer => {
                if let Some(Open::System(before)) = self.turns.last_mut() {
                    join(before, text);
                } else {
                    self.turns.push(Open::System(text.to_owned()));
                }
            }
            Role::User => self.user(Part::Text(text.to_owned())),
            Role::Assistant => self.made(Slot::Text(text.to_owned())),
            Role::FunctionCall
            | Role::FunctionCallOutput
            | Role::Reasoning
            | Role::Meta
            | Role::Directive(_) => {}
        }
    }

    fn user(&mut self, part: Part) {
        if let Some(Open::User(parts)) = self.turns.last_mut() {
            add_part(parts, part);
        } else {
            self.turns.push(Open::User(vec![part]));
        }
    }

    fn call(&mut self, call: &'a ToolCall) {
        self.made(Slot::Call {
            call: call.clone(),
            output: None,
        });
        if let Some(Open::Assistant { slots, .. }) = self.turns.last() {
            let place = (self.turns.len() - 1, slots.len() - 1);
            self.waiting.entry(&call.id).or_default().push(place);
        }
    }

    fn made(&mut self, slot: Slot) {
        if let Some(Open::Assistant {
            slots,
            answered: false,
        }) = self.turns.last_mut()
        {
            slots.push(slot);
        } else {
            self.turns.push(Open::Assistant {
                slots: vec![slot],
                answered: false,
            });
        }
    }

    fn output(&mut self, returned: &Returned) {
        let output = &returned.output;
        let Some(waiting) = self.waiting.get_mut(&output.id) else {
            return;
        };
        let Some((turn, _)) = waiting.last().copied() else {
            return;
        };
        let Some(Open::Assistant { slots, answered }) = self.turns.get_mut(turn) else {
            return;
        };
        let first = waiting.partition_point(|(other, _)| *other < turn);
        let chosen = waiting[first..]
            .iter()
            .position(|(_, slot)| match &slots[*slot] {
                Slot::Call { call, .. } => output.name.as_ref() == Some(&call.name),
                Slot::Text(_) | Slot::Reasoning(_) => false,
            })
            .unwrap_or(0);
        let (_, slot) = waiting.remove(first + chosen);
        if let Slot::Call { output: place, .. } = &mut slots[slot] {
            *place = Some(Box::new(returned.clone()));
            *answered = true;
        }
    }

    fn finish(self) -> Prompt {
        let mut ids = Ids::default();
        let mut turns = Vec::new();
        let paused = match self.turns.last() {
            Some(Open::Assistant {
                slots,
                answered: false,
            }) if self.paused => paused_items(slots),
            Some(Open::System(_) | Open::User(_) | Open::Assistant { .. }) | None => Vec::new(),
        };
        for open in self.turns {
            match open {
                Open::System(text) => add_system(&mut turns, text),
                Open::User(parts) => add_user(&mut turns, parts),
                Open::Assistant { slots, .. } => add_assistant(&mut turns, slots, &mut ids),
            }
        }
        fill_ends(&mut turns);
        Prompt { turns, paused }
    }
}

/// Gives what a paused turn holds; one with calls is no pause but a turn to be answered.
fn paused_items(slots: &[Slot]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for slot in slots {
        match slot {
            Slot::Text(text) => add_text(&mut items, text.clone()),
            Slot::Reasoning(reasoning) => items.push(Item::Reasoning(reasoning.clone())),
            Slot::Call { .. } => return Vec::new(),
        }
    }
    items
}

fn add_text(items: &mut Vec<Item>, text: String) {
    if let Some(Item::Text(before)) = items.last_mut() {
        join(before, &text);
    } else {
        items.push(Item::Text(text));
    }
}

/// Neighbours meet when a turn between them came to nothing.
fn add_system(turns: &mut Vec<Turn>, text: String) {
    if let Some(Turn::System(before)) = turns.last_mut() {
        join(before, &text);
    } else {
        turns.push(Turn::System(text));
    }
}

fn add_user(turns: &mut Vec<Turn>, parts: Vec<Part>) {
    if let Some(Turn::User(before)) = turns.last_mut() {
        for part in parts {
            add_part(before, part);
        }
    } else {
        turns.push(Turn::User(parts));
    }
}

fn add_assistant(turns: &mut Vec<Turn>, mut slots: Vec<Slot>, ids: &mut Ids) {
    while let Some(Slot::Reasoning(_)) = slots.last() {
        slots.pop();
    }
    let mut items: Vec<Item> = Vec::new();
    let mut results = Vec::new();
    for slot in slots {
        match slot {
            Slot::Text(text) => add_text(&mut items, text),
            Slot::Reasoning(reasoning) => items.push(Item::Reasoning(reasoning)),
            Slot::Call { call, output } => {
                let call = ToolCall {
                    id: ids.give(&call.id),
                    name: clean_name(&call.name),
                    arguments: call.arguments,
                };
                results.push(result(output.map(|output| *output), &call));
                items.push(Item::Call(call));
            }
        }
    }
    if !items.is_empty() {
        turns.push(Turn::Assistant(items));
    }
    if !results.is_empty() {
        turns.push(Turn::Results(results));
    }
}

/// Gives the output as it is sent: with the id and the name of its call, and never empty.
fn result(returned: Option<Returned>, call: &ToolCall) -> Returned {
    let mut returned = returned.unwrap_or_else(|| {
        Returned::from(ToolOutput {
            id: call.id.clone(),
            name: None,
            content: INTERRUPTED.to_owned(),
            error: true,
            media: Vec::new(),
            start_timestamp: None,
            timestamp: None,
            other: serde_json::Map::new(),
        })
    });
    let output = &mut returned.output;
    output.id = call.id.clone();
    output.name = Some(call.name.clone());
    if output.content.trim().is_empty() {
        output.content = if output.error {
            "(no output, the tool failed)".to_owned()
        } else {
            "(no output)".to_owned()
        };
    }
    returned
}

fn add_part(parts: &mut Vec<Part>, part: Part) {
    match (parts.last_mut(), part) {
        (Some(Part::Text(before)), Part::Text(text)) => join(before, &text),
        (Some(Part::Text(_) | Part::Media(_)) | None, part) => parts.push(part),
    }
}

/// Puts the user's words where a provider insists on them: first, and after the model's last.
fn fill_ends(turns: &mut Vec<Turn>) {
    if turns.is_empty() {
        return;
    }
    let said = |turn: &Turn| !matches!(turn, Turn::System(_));
    let first = turns.iter().position(said).unwrap_or(turns.len());
    if !matches!(turns.get(first), Some(Turn::User(_))) {
        turns.insert(first, Turn::User(vec![Part::Text(OPENING.to_owned())]));
    }
    if let Some(Turn::Assistant(_)) = turns.iter().rev().find(|turn| said(turn)) {
        turns.push(Turn::User(vec![Part::Text(GOING_ON.to_owned())]));
    }
}
