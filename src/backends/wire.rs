//! What a wire format is: pure, without a connection.

use std::time::Duration;

use serde_json::Value;

use super::{AskFailure, BackendError, Delta, ErrorKind, Question, Reply};

/// Speaks one provider's protocol: questions to JSON, JSON to replies. Does no IO.
pub trait Wire: Send + Sync {
    /// Gives where below the base URL a question is posted.
    fn route(&self, question: &Question<'_>) -> Route;

    /// Gives the body of a request.
    fn encode(&self, question: &Question<'_>) -> Encoded;

    /// Gives the headers of a request, besides the key, the type and those of the endpoint.
    fn headers(&self, _question: &Question<'_>) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Gives the header in which a key stands.
    fn key_header(&self) -> KeyHeader {
        KeyHeader::Bearer
    }

    /// Reads a reply that came in one piece.
    fn decode(&self, body: &Value) -> Result<Reply, Failure>;

    /// Gives how the events of a streamed reply are set apart.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// Begins to read a reply that comes as a stream of events.
    fn stream(&self) -> Box<dyn StreamDecoder>;

    /// Looks at a reply once more, with its question in hand.
    fn settled(&self, _question: &Question<'_>, reply: Reply) -> Reply {
        reply
    }

    /// Gives where below the base URL the models are listed, when they are.
    fn list(&self) -> Option<Route> {
        Some(Route::of(&["models"]))
    }

    /// Tells whether the provider keeps conversations, so that a question can go on from one.
    fn keeps_conversations(&self) -> bool {
        false
    }
}

/// A place below a base URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The last segments of the path; they are percent-encoded when they are sent.
    pub segments: Vec<String>,
    pub query: Vec<(&'static str, String)>,
    pub colons: Colons,
}

/// How a colon in a path is sent: both are right, and providers want one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colons {
    Plain,
    /// As `%3A`.
    Encoded,
}

impl Route {
    /// A path without a query.
    pub(super) fn of(segments: &[&str]) -> Route {
        Route {
            segments: segments.iter().map(|one| (*one).to_owned()).collect(),
            query: Vec::new(),
            colons: Colons::Plain,
        }
    }
}

/// The body of a request, and what could not be said in it as it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    pub body: Value,
    pub notes: Vec<Note>,
}

/// Something that a provider's protocol cannot take as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Note {
    /// People should know: the model does not see something.
    Warning(String),
    /// Of use to those who look for it, such as a keyword of a schema that was left out.
    Detail(String),
}

/// The header of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `authorization: Bearer KEY`.
    Bearer,
    /// This one, with the key alone.
    Named(&'static str),
}

/// How the events of a stream are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// A JSON value on each line.
    Lines,
    /// AWS event streams: binary frames with checksums.
    EventStream,
}

/// One event of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The name of the event, where the framing has names and one was given.
    pub name: Option<&'a str>,
    pub text: &'a str,
}

impl<'a> Frame<'a> {
    /// An event without a name.
    pub fn of(text: &'a str) -> Frame<'a> {
        Frame { name: None, text }
    }

    /// Reads the text as JSON.
    pub(super) fn json(&self) -> Result<Value, Failure> {
        serde_json::from_str(self.text).map_err(|error| {
            Failure::new(
                ErrorKind::Protocol,
                format!("the stream holds an event that is not JSON: {error}"),
            )
        })
    }
}

/// Reads one streamed reply.
pub trait StreamDecoder: Send {
    /// Takes one event and gives what can be shown of it.
    fn event(&mut self, frame: Frame<'_>) -> Result<Vec<Delta>, Failure>;

    /// Tells how far the stream has come.
    fn progress(&self) -> Progress;

    /// Gives the reply when the stream has ended: whole only with the proof of an end.
    fn finish(self: Box<Self>) -> Result<Reply, Failure>;
}

/// How far a stream has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The reply is not whole yet.
    Open,
    /// The reply is whole; token counts may follow.
    Proved,
    /// Nothing follows.
    Done,
}

/// A request that failed, and whether sending it again may help.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub error: BackendError,
    pub partial: Option<Box<Reply>>,
    pub again: Again,
}

/// Whether a request may be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// The same request would fail the same way.
    Never,
    /// After a wait, which is at least this long.
    After(Duration),
}

impl Failure {
    /// A failure of which nothing came in, and that another try would not mend.
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Failure {
        Failure {
            error: BackendError {
                kind,
                message: message.into(),
                hint: None,
                request_id: None,
            },
            partial: None,
            again: Again::Never,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.error.hint = Some(hint.into());
        self
    }

    /// Lets it be tried again.
    pub(super) fn passing(mut self) -> Failure {
        self.again = Again::After(Duration::ZERO);
        self
    }

    pub(super) fn with_partial(mut self, partial: Option<Reply>) -> Failure {
        self.partial = partial.map(Box::new);
        self
    }
}

impl From<Failure> for AskFailure {
    fn from(failure: Failure) -> AskFailure {
        AskFailure {
            error: failure.error,
            partial: failure.partial.map(|partial| *partial),
        }
    }
}
