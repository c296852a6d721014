//! Models: one folder for each wire format (pure encode, decode, stream), one HTTP sender, and the
//! scripted backend. Uses `chat`, `plan`, `tools`, `world`.
//!
//! Always true here: a stream that ends without its proof of an end is an error; a key is never
//! part of a message, a log or an error.

mod backend;
mod reply;

mod wire;

mod fault;
mod fitting;
mod format;
mod frames;
mod gather;
mod media;
mod models;
mod parameters;

mod anthropic;
mod bedrock;
mod chat_completions;
mod gemini;
mod ollama;
mod responses;

mod schema;

mod http;

mod presets;
mod protocol;

mod scripted;

#[cfg(test)]
mod trial;

pub use anthropic::Anthropic;
pub use backend::{
    AskFailure, Backend, BackendError, Delta, ErrorKind, ModelList, Previous, Question, ToolChoice,
};
pub use bedrock::Bedrock;
pub use bedrock::signing::{AwsCredentials, AwsSigning, aws_signer, bedrock_is_built};
pub use chat_completions::{
    Alternation, CacheMarks, CallIds, CallOnly, ChatCompletions, Echo, EffortField, LateSystem,
    NamedChoice, StreamUsage, SystemRole, TokenLimit, WebSearch, WireSettings,
};
pub use frames::read_stream;
pub use gemini::Gemini;
pub use http::{
    ExtraRoots, HttpBackend, HttpEndpoint, HttpLimits, Key, KeySource, ProxyChoice, Request, Signer,
};
pub use models::{
    FACTS_DATE, LongPrompt, ModelFacts, Money, Price, Prices, Rates, ReasoningStyle, facts,
    facts_of_tables,
};
pub use ollama::Ollama;
pub use presets::{PRESETS, Preset};
pub use protocol::Protocol;
pub use reply::{CallFault, CutCall, Reply, Stop, Usage};
pub use responses::Responses;
pub use scripted::{Asked, AskedQuestion, ScriptError, Scripted, as_messages};
pub use wire::{
    Again, Colons, Encoded, Failure, Frame, Framing, KeyHeader, Note, Progress, Route,
    StreamDecoder, Wire,
};
