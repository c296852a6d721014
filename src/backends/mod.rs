//! Models: one file for each wire format (pure encode, decode, stream), one HTTP sender, and the
//! scripted backend. Uses `chat`, `plan`, `tools`, `world`.
//!
//! Always true here: a stream that ends without its proof of an end is an error; a key is never
//! part of a message, a log or an error.

mod backend;
mod reply;

pub use backend::{AskFailure, Backend, BackendError, Delta, ErrorKind, Question};
pub use reply::{CallFault, CutCall, Reply, Stop, Usage};
