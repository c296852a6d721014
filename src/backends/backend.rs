//! What every backend is.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{ModelFacts, Note, Reply};
use crate::plan::Prompt;
use crate::tools::ToolDefinition;

/// What is asked of a model in one request.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub prompt: &'a Prompt,
    pub tools: &'a [ToolDefinition],
    pub model: &'a str,
    /// `json`, or a JSON schema, when the answer must have that form.
    pub format: Option<&'a Value>,
    /// Sent with the first request of a turn.
    pub tool_choice: Option<ToolChoice<'a>>,
    /// Further parameters of the request, by the provider's names.
    pub parameters: &'a Map<String, Value>,
    /// What is known of the model.
    pub facts: &'a ModelFacts,
    /// Whether the provider's own search of the web is offered to the model.
    pub web_search: bool,
    /// What the provider knows already and is not sent again.
    pub previous: Option<Previous<'a>>,
    /// Whether the provider is to keep the conversation, so that a later question can go on from it.
    pub keep: bool,
    pub stream: bool,
    pub cancel: &'a CancellationToken,
}

impl<'a> Question<'a> {
    /// A question with nothing besides the prompt and parameters, streamed.
    pub fn plain(
        prompt: &'a Prompt,
        model: &'a str,
        parameters: &'a Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> Question<'a> {
        Question {
            prompt,
            tools: &[],
            model,
            format: None,
            tool_choice: None,
            parameters,
            facts: &ModelFacts::UNKNOWN,
            web_search: false,
            previous: None,
            keep: false,
            stream: true,
            cancel,
        }
    }
}

/// Which tool the model is to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolChoice<'a> {
    /// The model decides.
    Auto,
    /// None may be called.
    None,
    /// Some tool must be called.
    Required,
    /// This tool must be called.
    Tool(&'a str),
}

impl<'a> ToolChoice<'a> {
    /// Reads the value of the option: any other word is the name of a tool.
    pub fn read(word: &'a str) -> ToolChoice<'a> {
        match word {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::None,
            "required" | "any" => ToolChoice::Required,
            name => ToolChoice::Tool(name),
        }
    }
}

impl std::fmt::Display for ToolChoice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ToolChoice::Auto => "auto",
            ToolChoice::None => "none",
            ToolChoice::Required => "required",
            ToolChoice::Tool(name) => name,
        })
    }
}

/// A conversation that the provider keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Previous<'a> {
    /// The provider's id of its newest response.
    pub response_id: &'a str,
    /// How many turns of the prompt that response and what led to it are.
    pub turns: usize,
}

/// A piece of a reply while it comes in.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    /// A request failed and is sent again after a wait; nothing of it was shown.
    Retrying {
        reason: String,
        wait: Duration,
        attempt: u32,
    },
    /// Something could not be asked as it was meant.
    Noted(Note),
}

/// The models of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelList {
    /// By the names under which they are asked.
    Named(Vec<String>),
    /// Its protocol has no list.
    None,
}

/// Asks a model.
pub trait Backend: Send + Sync {
    /// Sends one request and gives the reply, telling each piece as it comes.
    fn ask<'a>(
        &'a self,
        question: Question<'a>,
        tell: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, AskFailure>>;

    /// Asks which models there are.
    fn models<'a>(
        &'a self,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelList, BackendError>> {
        Box::pin(std::future::ready(Ok(ModelList::None)))
    }

    /// Tells whether the provider keeps conversations, so that a question can go on from one.
    fn keeps_conversations(&self) -> bool {
        false
    }

    /// Gives the request as it would be sent, for people to read, keys left out.
    fn show(&self, question: &Question<'_>) -> String;
}

/// A request that did not end in a whole reply.
#[derive(Debug, Clone, PartialEq)]
pub struct AskFailure {
    pub error: BackendError,
    /// What had come in before it failed, when anything had.
    pub partial: Option<Reply>,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct BackendError {
    pub kind: ErrorKind,
    /// One line: cause, in the words of the provider where it gave some.
    pub message: String,
    pub hint: Option<String>,
    pub request_id: Option<String>,
}

/// The kinds of failure that callers tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// No connection, or lost before anything was shown.
    Connection,
    /// The stream broke off, or ended without its proof.
    Cut,
    /// 401 or 403, or a key that cannot be sent.
    Authentication,
    /// 404: the model or the path is not there.
    NotFound,
    /// 429 after all retries, or a wait too long.
    RateLimit,
    /// The request is longer than the model takes.
    TooLong,
    /// Any other 4xx.
    Request,
    /// 5xx, or an error told inside a 200.
    Server,
    /// The reply is not what the protocol says.
    Protocol,
    /// The reply holds nothing.
    Empty,
    /// The model refused, or a filter took the answer.
    Refused,
    /// The run was cancelled.
    Cancelled,
}

/// Every kind with its name.
const KINDS: [(&str, ErrorKind); 12] = [
    ("connection", ErrorKind::Connection),
    ("cut", ErrorKind::Cut),
    ("authentication", ErrorKind::Authentication),
    ("not_found", ErrorKind::NotFound),
    ("rate_limit", ErrorKind::RateLimit),
    ("too_long", ErrorKind::TooLong),
    ("request", ErrorKind::Request),
    ("server", ErrorKind::Server),
    ("protocol", ErrorKind::Protocol),
    ("empty", ErrorKind::Empty),
    ("refused", ErrorKind::Refused),
    ("cancelled", ErrorKind::Cancelled),
];

impl ErrorKind {
    /// Finds the kind of this name.
    pub fn from_name(name: &str) -> Option<ErrorKind> {
        KINDS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, kind)| *kind)
    }
}
