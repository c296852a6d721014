//! The run: what to do next, the loop, its limits and events, and the record. Uses `chat`, `plan`,
//! `tools`, `backends`, `world`.
//!
//! Always true here: what to do next is read from what was said; a call stands in the record
//! before it is made; the old bytes of the file are a prefix of the new ones.

mod next;
mod rounds;

mod calls;
mod conversation;
mod replies;
mod request;

mod costs;
mod limits;
mod tally;

mod event;
mod file_transcript;
mod journal;
mod memory;
mod transcript;

mod error;

#[cfg(test)]
mod tests;

pub use calls::RetryCalls;
pub use conversation::previous;
pub use costs::{Cost, Total};
pub use error::{Partial, RunError};
pub use event::{Event, Sink};
pub use file_transcript::FileTranscript;
pub use limits::{LimitReached, Limits};
pub use memory::MemoryTranscript;
pub use next::{Next, next, without_answer};
pub use rounds::{Answered, AnsweredBy, Asked, Outcome, Run, run, settled};
pub use transcript::{Kept, Transcript, TranscriptError};
