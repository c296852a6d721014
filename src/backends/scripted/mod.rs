//! A model that says what a chat file says it did: for tests, and to replay chats.
//!
//! In a script each `meta:` begins a reply; the `reasoning`, `function_call` and `assistant`
//! messages right after it are what the model makes. What people and tools say in it is passed
//! over, so any chat that was really run is a script. Keys of the meta line say more: `stop`,
//! `model`, `provider_response_id` and the token counts as in records, and for tests
//!
//! - `error=KIND` (and `message=TEXT`): the request fails; what the script says came in before;
//! - `chunk=N`: text is told in pieces of N characters, instead of at once;
//! - `wait=N`: N milliseconds pass before anything is told;
//! - `cut_call=NAME` and `cut_arguments=TEXT`: the reply ends inside this call.

mod asked;
mod script;

#[cfg(test)]
mod tests;

pub use asked::{Asked, AskedQuestion, as_messages};
pub use script::ScriptError;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use self::script::{Line, Outcome};
use super::{AskFailure, Backend, BackendError, Delta, ErrorKind, Question, Reply, Stop};
use crate::chat::{self, Message};
use crate::plan::Item;

/// Gives the replies of a script, one for each question.
#[derive(Debug)]
pub struct Scripted {
    lines: Vec<Line>,
    next: AtomicUsize,
    asked: Option<Asked>,
}

impl Scripted {
    /// Reads a script. The first `skip` replies are left out: they are in the file already when a
    /// chat is resumed.
    pub fn new(script: &[Message], skip: usize) -> Result<Scripted, ScriptError> {
        Ok(Scripted {
            lines: script::lines(script)?,
            next: AtomicUsize::new(skip),
            asked: None,
        })
    }

    /// Keeps what it is asked from now on, for tests to look at.
    pub fn recording(mut self) -> (Scripted, Asked) {
        let asked = Asked::default();
        self.asked = Some(asked.clone());
        (self, asked)
    }

    async fn answer(
        &self,
        question: Question<'_>,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, AskFailure> {
        if let Some(asked) = &self.asked {
            asked.keep(&question);
        }
        let Some(line) = self.lines.get(self.next.fetch_add(1, Ordering::SeqCst)) else {
            return Err(failure(
                ErrorKind::Protocol,
                format!(
                    "the script holds {} replies, and all were given",
                    self.lines.len()
                ),
                Some("add a `meta:` message and what the model says after it to the script"),
                None,
            ));
        };
        tokio::select! {
            biased;
            () = question.cancel.cancelled() => return Err(cancelled(Vec::new(), line)),
            () = tokio::time::sleep(line.wait), if !line.wait.is_zero() => {}
            () = std::future::ready(()), if line.wait.is_zero() => {}
        }
        let told = tell_items(line, question.cancel, tell).await;
        if told != line.reply.items {
            return Err(cancelled(told, line));
        }
        let reply = line.reply.clone();
        match &line.outcome {
            Outcome::Whole
                if reply.says_nothing() && !matches!(reply.stop, Stop::Length | Stop::Paused) =>
            {
                Err(failure(
                    ErrorKind::Empty,
                    "the model gave an empty answer".to_owned(),
                    Some("ask again, or say more in the question"),
                    None,
                ))
            }
            Outcome::Whole => Ok(reply),
            Outcome::Fails { kind, message } => {
                let says = !reply.items.is_empty() || !reply.cut_calls.is_empty();
                Err(failure(
                    *kind,
                    message.clone(),
                    None,
                    says.then(|| without_calls(reply)),
                ))
            }
        }
    }
}

impl Backend for Scripted {
    fn ask<'a>(
        &'a self,
        question: Question<'a>,
        tell: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, AskFailure>> {
        Box::pin(self.answer(question, tell))
    }

    /// Gives what is asked as a chat.
    fn show(&self, question: &Question<'_>) -> String {
        chat::print(&as_messages(question.prompt))
    }
}

/// Tells a reply piece by piece, and gives what was told before the run was cancelled.
async fn tell_items(
    line: &Line,
    cancel: &CancellationToken,
    tell: &mut (dyn FnMut(Delta) + Send),
) -> Vec<Item> {
    let mut told = Vec::new();
    for item in &line.reply.items {
        match item {
            Item::Text(text) => {
                let mut said = String::new();
                for piece in pieces(text, line.chunk) {
                    if cancel.is_cancelled() {
                        break;
                    }
                    said.push_str(&piece);
                    tell(Delta::Text(piece));
                    tokio::task::yield_now().await;
                }
                if !said.trim().is_empty() {
                    told.push(Item::Text(said));
                }
            }
            Item::Reasoning(reasoning) => {
                if let Some(text) = &reasoning.text {
                    tell(Delta::Reasoning(text.clone()));
                }
                told.push(item.clone());
            }
            Item::Call(_) => told.push(item.clone()),
        }
        if cancel.is_cancelled() {
            break;
        }
    }
    told
}

fn pieces(text: &str, size: Option<usize>) -> Vec<String> {
    let Some(size) = size else {
        return vec![text.to_owned()];
    };
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn cancelled(told: Vec<Item>, line: &Line) -> AskFailure {
    let partial = (!told.is_empty()).then(|| Reply {
        items: told,
        stop: Stop::Interrupted,
        ..line.reply.clone()
    });
    failure(
        ErrorKind::Cancelled,
        "the request was cancelled".to_owned(),
        None,
        partial.map(without_calls),
    )
}

/// A call of a reply that failed is not made.
fn without_calls(mut reply: Reply) -> Reply {
    reply.items.retain(|item| !matches!(item, Item::Call(_)));
    reply
}

fn failure(
    kind: ErrorKind,
    message: String,
    hint: Option<&str>,
    partial: Option<Reply>,
) -> AskFailure {
    AskFailure {
        error: BackendError {
            kind,
            message,
            hint: hint.map(str::to_owned),
            request_id: None,
        },
        partial,
    }
}

/// How long a reply waits at most, whatever its script says.
const LONGEST_WAIT: Duration = Duration::from_mins(10);
