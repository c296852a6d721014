//! The wire against hand-made replies.
