//! One request: what the model says is told as it comes.

use std::collections::HashSet;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Event, Sink};
use crate::backends::{AskFailure, Backend, BackendError, Delta, ErrorKind, Note, Question, Reply};
use crate::plan::Item;
use crate::world::clock;

/// How long tools and backends have to end by themselves after the run was cancelled.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// A reply that has come to its end, and how long it took.
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) elapsed: Duration,
}

/// A request that did not end in a whole reply.
pub(super) struct Failure {
    pub(super) error: BackendError,
    /// What had come in, when anything had.
    pub(super) partial: Option<Reply>,
    /// The text that was told before it failed.
    pub(super) told: String,
}

impl Failure {
    /// Tells whether the provider took nothing of the request up, because of what stands in it.
    pub(super) fn is_refusal_of_the_request(&self) -> bool {
        matches!(self.error.kind, ErrorKind::Request | ErrorKind::NotFound)
            && self.partial.is_none()
            && self.told.is_empty()
    }
}

/// Sends one request, and tells the sink all that the model says; a note is told once.
pub(super) async fn request(
    backend: &dyn Backend,
    question: Question<'_>,
    told_notes: &mut HashSet<Note>,
    sink: &mut dyn Sink,
) -> Result<Answer, Failure> {
    let mut told = String::new();
    let watch = clock::stopwatch();
    let cancel = question.cancel;
    let answer = {
        let mut tell = |delta: Delta| match delta {
            Delta::Text(text) => {
                told.push_str(&text);
                sink.tell(Event::Text(text));
            }
            Delta::Reasoning(text) => sink.tell(Event::Reasoning(text)),
            Delta::Retrying {
                reason,
                wait,
                attempt,
            } => sink.tell(Event::Retrying {
                reason,
                wait,
                attempt,
            }),
            Delta::Noted(note) => {
                if told_notes.insert(note.clone()) {
                    sink.tell(match note {
                        Note::Warning(text) => Event::Warned(text),
                        Note::Detail(text) => Event::Noted(text),
                    });
                }
            }
        };
        let asking = backend.ask(question, &mut tell);
        tokio::select! {
            biased;
            answer = asking => answer,
            () = too_late(cancel) => Err(given_up()),
        }
    };
    match answer {
        Ok(reply) => {
            tell_rest(&texts(&reply), &told, sink);
            Ok(Answer {
                reply,
                elapsed: watch.elapsed(),
            })
        }
        Err(AskFailure { error, partial }) => {
            if told.is_empty()
                && let Some(partial) = &partial
            {
                tell_rest(&texts(partial), "", sink);
            }
            Err(Failure {
                error,
                partial,
                told,
            })
        }
    }
}

/// Gives the texts of a reply, one after the other.
fn texts(reply: &Reply) -> String {
    reply
        .items
        .iter()
        .map(|item| match item {
            Item::Text(text) => text.as_str(),
            Item::Call(_) | Item::Reasoning(_) => "",
        })
        .collect()
}

/// Tells what a backend that does not stream, or not all, has left untold.
fn tell_rest(whole: &str, told: &str, sink: &mut dyn Sink) {
    if let Some(rest) = whole.strip_prefix(told)
        && !rest.is_empty()
    {
        sink.tell(Event::Text(rest.to_owned()));
    }
}

async fn too_late(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

fn given_up() -> AskFailure {
    AskFailure {
        error: BackendError {
            kind: ErrorKind::Cancelled,
            message: "the request did not end when it was cancelled".to_owned(),
            hint: None,
            request_id: None,
        },
        partial: None,
    }
}
