//! What a wire format is: pure, without a connection.

use std::time::Duration;

use serde_json::Value;

use super::{AskFailure, BackendError, Delta, ErrorKind, Question, Reply};

/// Speaks one provider's protocol: questions to JSON, JSON to replies. Does no IO.
pub trait Wire: Send + Sync {
    /// Gives the last segments of the URL to which questions are posted.
    fn path(&self) -> &'static [&'static str];

    /// Gives the body of a request.
    fn encode(&self, question: &Question<'_>) -> Value;

    /// Reads a reply that came in one piece.
    fn decode(&self, body: &Value) -> Result<Reply, Failure>;

    /// Begins to read a reply that comes as a stream of events.
    fn stream(&self) -> Box<dyn StreamDecoder>;
}

/// Reads one streamed reply.
pub trait StreamDecoder: Send {
    /// Takes what one event carries and gives what can be shown of it.
    fn event(&mut self, text: &str) -> Result<Vec<Delta>, Failure>;

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
