//! What the model sees: any history made into turns that every provider accepts.

use super::Media;
use crate::chat::{Reasoning, ToolCall, ToolOutput};

/// The turns of a request, in order.
///
/// Always true of one that was made by [`Prompt::of`]: no text is empty; neighbours of one kind
/// are joined; every call has exactly one output, in the turn right after it, in call order; every
/// output has its call; ids are unique.
#[derive(Debug, Clone, Default)]
pub struct Prompt {
    pub turns: Vec<Turn>,
}

/// One turn.
#[derive(Debug, Clone)]
pub enum Turn {
    /// System and developer text.
    System(String),
    User(Vec<Part>),
    Assistant(Vec<Item>),
    Results(Vec<ToolOutput>),
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
