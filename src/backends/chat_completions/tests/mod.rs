//! The wire against recorded and hand-made replies.
