//! The wire against hand-made questions and replies.

mod events;
