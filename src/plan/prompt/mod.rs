//! What the model sees: any history made into turns that every provider accepts.

mod assembly;
mod ids;

#[cfg(test)]
mod tests;

use super::{Media, Returned};
use crate::chat::{Reasoning, ToolCall};

/// The turns of a request, in order.
///
/// Always true of one that was made by [`Prompt::of`]:
/// - no text is blank, and no turn is empty; neighbours of one kind are joined, texts with a blank
///   line between them and media as parts of their own;
/// - every call has exactly one output, in the turn right after it, in call order; every output has
///   its call and names its tool;
/// - ids are unique and, like the names of tools, fit `[A-Za-z0-9_-]{1,64}`;
/// - system text aside, the first turn is the user's and the last is the user's or results: where
///   the history is not so, a short user turn stands there: `(start of the conversation)` or
///   `(continue)`;
/// - reasoning stands before what it led to, in the same turn; reasoning that led to nothing is
///   left out.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    pub turns: Vec<Turn>,
    /// What the model had made when its provider paused the turn that ends the history, reasoning
    /// at its end included; empty otherwise. For a provider that can go on from there it stands in
    /// the place of the last turn of the model and of `(continue)`.
    pub paused: Vec<Item>,
}

/// What the user is taken to have said before a history that begins with the model.
const OPENING: &str = "(start of the conversation)";

/// What the user is taken to have said after a history that ends with the model.
const GOING_ON: &str = "(continue)";

/// What a call that was never answered is told to have given.
const INTERRUPTED: &str = "interrupted";

/// One turn.
#[derive(Debug, Clone)]
pub enum Turn {
    /// System and developer text.
    System(String),
    User(Vec<Part>),
    Assistant(Vec<Item>),
    Results(Vec<Returned>),
}

/// A part of a user turn.
#[derive(Debug, Clone)]
pub enum Part {
    Text(String),
    Media(Media),
}

/// A part of what a model made, in its order.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Text(String),
    Call(ToolCall),
    Reasoning(Reasoning),
}

impl Prompt {
    /// Gives the ids of the calls, in order.
    pub fn call_ids(&self) -> impl Iterator<Item = &str> {
        self.turns
            .iter()
            .flat_map(|turn| match turn {
                Turn::Assistant(items) => items.as_slice(),
                Turn::System(_) | Turn::User(_) | Turn::Results(_) => &[],
            })
            .filter_map(|item| match item {
                Item::Call(call) => Some(call.id.0.as_str()),
                Item::Text(_) | Item::Reasoning(_) => None,
            })
    }
}

/// Adds a text after another of the same turn, with a blank line between them.
fn join(text: &mut String, next: &str) {
    text.push_str("\n\n");
    text.push_str(next);
}
