//! Models: one folder for each wire format (pure encode, decode, stream), one HTTP sender, and the
//! scripted backend. Uses `chat`, `plan`, `tools`, `world`.
//!
//! Always true here: a stream that ends without its proof of an end is an error; a key is never
//! part of a message, a log or an error.

mod backend;
mod reply;

mod wire;

mod chat_completions;
mod fault;

#[cfg_attr(
    not(test),
    expect(
        dead_code,
        reason = "it knows the dialects of wire formats that are still to be built"
    )
)]
mod schema;

mod http;
mod sse;

mod presets;

mod scripted;

pub use backend::{AskFailure, Backend, BackendError, Delta, ErrorKind, Question};
pub use chat_completions::{
    Alternation, CallIds, CallOnly, ChatCompletions, Echo, LateSystem, NamedChoice, StreamUsage,
    SystemRole, TokenLimit, WireSettings,
};
pub use http::{ExtraRoots, HttpBackend, HttpEndpoint, HttpLimits, Key, KeySource, ProxyChoice};
pub use presets::{PRESETS, Preset};
pub use reply::{CallFault, CutCall, Reply, Stop, Usage};
pub use scripted::{Asked, AskedQuestion, ScriptError, Scripted, as_messages};
pub use wire::{Again, Failure, Progress, StreamDecoder, Wire};
