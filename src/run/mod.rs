//! The run: what to do next, the loop, its limits and events, and the record. Uses `chat`, `plan`,
//! `tools`, `backends`, `world`.
//!
//! Always true here: what to do next is read from what was said; a call stands in the record
//! before it is made; the old bytes of the file are a prefix of the new ones.

mod next;

mod event;
mod transcript;

pub use event::{Event, Sink};
pub use next::{Next, next, starts_turn, without_answer};
pub use transcript::{Transcript, TranscriptError};
