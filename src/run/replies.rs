//! What becomes of a reply: it is recorded, whole or marked as cut.

use serde_json::Map;

use super::calls::unread_arguments;
use super::error::Partial;
use super::journal::{Source, assistant, call_of};
use super::request::{Answer, Failure};
use super::rounds::Rounds;
use super::{Asked, Event, RunError, tally};
use crate::backends::{BackendError, ErrorKind, Reply, Stop, Usage};
use crate::chat::{ToolCall, ToolName, ToolOutput};
use crate::plan::{Item, Returned, Saying};
use crate::world::clock;

impl Rounds<'_> {
    /// Records a reply that has come to its end.
    pub(super) fn take(&mut self, answer: Answer) -> Result<(), RunError> {
        let Answer { mut reply, elapsed } = answer;
        let cost = self.asked.facts.cost(&reply.usage);
        self.sink.tell(Event::Used {
            usage: reply.usage,
            cost: self.journal.costs_with(cost),
            elapsed,
        });
        self.spent.paid(cost);
        let calls = self
            .journal
            .said
            .iter()
            .filter_map(|one| call_of(&one.what));
        reply.make_ids_unique(calls.map(|call| call.id.0.as_str()));
        if let Some(tokens) = tally::total(&reply.usage) {
            self.spent.used(tokens);
        }
        match &reply.stop {
            Stop::Refusal | Stop::Filter => {
                let partial = self.record_partial(&reply, "")?;
                Err(RunError::Refused {
                    message: refusal(&reply.stop).to_owned(),
                    partial,
                })
            }
            Stop::Interrupted => {
                self.record_partial(&reply, "")?;
                Err(RunError::Interrupted)
            }
            Stop::Error => Err(RunError::Backend {
                partial: self.record_partial(&reply, "")?,
                error: BackendError {
                    kind: ErrorKind::Cut,
                    message: "the answer broke off".to_owned(),
                    hint: None,
                    request_id: None,
                },
            }),
            Stop::End | Stop::Calls | Stop::Length | Stop::Paused | Stop::Other(_) => {
                self.record_whole(&reply)
            }
        }
    }

    fn record_whole(&mut self, reply: &Reply) -> Result<(), RunError> {
        let made = made(reply);
        let calls: Vec<&ToolCall> = made.iter().filter_map(call_of).collect();
        let cut_off = reply.stop == Stop::Length;
        // A pause may hold nothing but what the provider wants back.
        let says = made
            .iter()
            .any(|one| reply.stop == Stop::Paused || !matches!(one, Saying::Reasoning(_)));
        if !says {
            return Err(if cut_off {
                RunError::Length {
                    partial: Partial::None,
                }
            } else {
                RunError::Empty
            });
        }
        let answers = calls.is_empty();
        if !answers {
            self.spent.called(self.desk.kind_of_round(&calls));
        }
        let stop = match &reply.stop {
            Stop::End | Stop::Calls => None,
            Stop::Length
            | Stop::Refusal
            | Stop::Filter
            | Stop::Paused
            | Stop::Interrupted
            | Stop::Error
            | Stop::Other(_) => Some(reply.stop.name()),
        };
        let source = Source {
            kept: self.sent.as_ref().filter(|_| stop.is_none()),
            ..source(reply, &self.asked, stop)
        };
        self.journal.inference(&source, made)?;
        if answers && cut_off {
            return Err(RunError::Length {
                partial: Partial::Recorded,
            });
        }
        Ok(())
    }

    /// Records what came before a request failed, and gives the error that ends the run.
    pub(super) fn failed(&mut self, failure: Failure) -> RunError {
        let Failure {
            error,
            partial,
            told,
        } = failure;
        let stop = match error.kind {
            ErrorKind::Cancelled => Stop::Interrupted,
            ErrorKind::Refused => match &partial {
                Some(reply) if reply.stop == Stop::Filter => Stop::Filter,
                Some(_) | None => Stop::Refusal,
            },
            ErrorKind::Connection
            | ErrorKind::Cut
            | ErrorKind::Authentication
            | ErrorKind::NotFound
            | ErrorKind::RateLimit
            | ErrorKind::TooLong
            | ErrorKind::Request
            | ErrorKind::Server
            | ErrorKind::Protocol
            | ErrorKind::Empty => Stop::Error,
        };
        let reply = Reply {
            stop,
            ..partial.unwrap_or(Reply {
                items: Vec::new(),
                cut_calls: Vec::new(),
                stop: Stop::Error,
                usage: Usage::default(),
                model: None,
                response_id: None,
            })
        };
        let partial = match self.record_partial(&reply, &told) {
            Ok(partial) => partial,
            Err(unrecorded) => {
                // Both failed, and only one of the two can be the reason of the end.
                self.sink.tell(Event::Warned(error.message));
                return unrecorded;
            }
        };
        match error.kind {
            ErrorKind::Cancelled => RunError::Interrupted,
            ErrorKind::Refused => RunError::Refused {
                message: error.message,
                partial,
            },
            ErrorKind::Connection
            | ErrorKind::Cut
            | ErrorKind::Authentication
            | ErrorKind::NotFound
            | ErrorKind::RateLimit
            | ErrorKind::TooLong
            | ErrorKind::Request
            | ErrorKind::Server
            | ErrorKind::Protocol
            | ErrorKind::Empty => RunError::Backend { error, partial },
        }
    }

    /// Records the text of a reply that is no whole one, marked as such. What people were told is
    /// what is recorded; calls of such a reply are not made, so they are not recorded either.
    fn record_partial(&mut self, reply: &Reply, told: &str) -> Result<Partial, RunError> {
        let texts: Vec<Saying> = if told.is_empty() {
            reply
                .items
                .iter()
                .filter_map(|item| match item {
                    Item::Text(text) => assistant(text),
                    Item::Call(_) | Item::Reasoning(_) => None,
                })
                .collect()
        } else {
            assistant(told).into_iter().collect()
        };
        if texts.is_empty() {
            return Ok(Partial::None);
        }
        let source = source(reply, &self.asked, Some(reply.stop.name()));
        self.journal.inference(&source, texts)?;
        Ok(Partial::Recorded)
    }
}

/// Says why there is no answer.
pub(super) fn refusal(stop: &Stop) -> &'static str {
    if *stop == Stop::Filter {
        "the filter of the provider stopped the answer"
    } else {
        "the model refused to answer"
    }
}

fn source<'a>(reply: &'a Reply, asked: &Asked<'a>, stop: Option<&'a str>) -> Source<'a> {
    Source {
        model: reply.model.as_deref().unwrap_or(asked.model),
        response_id: reply.response_id.as_deref(),
        stop,
        usage: reply.usage,
        kept: None,
        cost: asked.facts.cost(&reply.usage),
    }
}

/// Gives what a whole reply made, in its order. A call whose arguments are cut or wrong comes with
/// the output that tells the model so: it is never open.
fn made(reply: &Reply) -> Vec<Saying> {
    let mut made: Vec<Saying> = reply
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => assistant(text),
            Item::Call(call) => Some(Saying::Call(Box::new(call.clone()))),
            Item::Reasoning(reasoning) => Some(Saying::Reasoning(Box::new(reasoning.clone()))),
        })
        .collect();
    let timestamp = clock::timestamp();
    let mut outputs = Vec::new();
    for cut in &reply.cut_calls {
        let name = if cut.name.0.is_empty() {
            ToolName("unnamed".to_owned())
        } else {
            cut.name.clone()
        };
        made.push(Saying::Call(Box::new(ToolCall {
            id: cut.id.clone(),
            name: name.clone(),
            arguments: unread_arguments(&cut.arguments),
        })));
        outputs.push(Saying::Output(Box::new(Returned::from(ToolOutput {
            id: cut.id.clone(),
            name: Some(name),
            content: cut.fault.to_string(),
            error: true,
            media: Vec::new(),
            start_timestamp: None,
            timestamp: Some(timestamp.clone()),
            other: Map::new(),
        }))));
    }
    made.extend(outputs);
    made
}
