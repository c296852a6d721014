//! The prompt, the wire and the sender, against histories and a fake server.

pub(crate) mod laws;

mod asking;

mod entry;
mod event_stream;
pub(crate) mod golden;
mod patience;
mod recorded;
mod rules;
mod streams;
mod strictly;
mod tls;
mod tolerance;

#[cfg(feature = "bedrock")]
pub(crate) use event_stream::frames_of;
