//! The prompt, the wire and the sender, against histories and a fake server.

mod laws;

mod asking;

mod entry;
pub(crate) mod event_stream;
mod faults;
mod golden;
pub(crate) mod histories;
mod patience;
mod recorded;
mod rules;
mod streams;
mod strictly;
mod tls;
mod tolerance;

#[cfg(feature = "bedrock")]
pub(crate) use event_stream::frames_of;
