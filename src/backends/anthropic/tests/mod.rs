//! The wire against hand-made questions and replies.

mod events;
mod questions;
mod tolerance;
mod whole;
