//! What was said and where it is recorded, kept in step.

use super::conversation::{self, Sent};
use super::costs::{Cost, Costs};
use super::tally::Tally;
use super::{Kept, Transcript, TranscriptError};
use crate::backends::{Money, Usage};
use crate::chat::{self, Message, Meta, MetaValue, Origin, Role, ToolCall};
use crate::plan::{Said, Saying};
use crate::world::clock;

/// What was said so far, and the record that grows with it.
pub(super) struct Journal<'a> {
    pub(super) said: Vec<Said>,
    transcript: &'a mut dyn Transcript,
    endpoint: &'a str,
    tally: Tally,
    costs: Costs,
}

/// Where a reply came from and how it ended: what its mark tells.
pub(super) struct Source<'a> {
    pub(super) model: &'a str,
    pub(super) response_id: Option<&'a str>,
    /// Why it stopped, when that was no normal end.
    pub(super) stop: Option<&'a str>,
    pub(super) usage: Usage,
    /// What it answers, when the provider keeps the conversation.
    pub(super) kept: Option<&'a Sent>,
    pub(super) cost: Option<Money>,
}

impl<'a> Journal<'a> {
    pub(super) fn new(
        said: Vec<Said>,
        transcript: &'a mut dyn Transcript,
        endpoint: &'a str,
    ) -> Journal<'a> {
        Journal {
            tally: Tally::of(&said),
            costs: Costs::of(&said),
            said,
            transcript,
            endpoint,
        }
    }

    /// Records an inference: its mark, and what it made, in one piece.
    pub(super) fn inference(
        &mut self,
        source: &Source<'_>,
        made: Vec<Saying>,
    ) -> Result<(), TranscriptError> {
        let mut mark = Meta::default();
        let id = uuid::Uuid::now_v7().to_string();
        let timestamp = clock::timestamp();
        let told = [
            ("inference_id", Some(id.as_str())),
            ("provider_response_id", source.response_id),
            ("model", Some(source.model)),
            ("endpoint", Some(self.endpoint)),
            ("timestamp", Some(timestamp.as_str())),
            ("stop", source.stop),
        ];
        for (key, value) in told {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                mark.push(key, MetaValue::Text(value.to_owned()));
            }
        }
        let (mut tally, mut costs) = (self.tally, self.costs);
        tally.add(&source.usage, &mut mark);
        if let Some(print) = source.kept.and_then(|sent| self.with_answer(sent, &made)) {
            mark.push(conversation::KEY, print);
        }
        costs.add(source.cost, &mut mark);
        let mut sayings = vec![Saying::Meta(mark)];
        sayings.extend(made);
        self.record(sayings)?;
        (self.tally, self.costs) = (tally, costs);
        Ok(())
    }

    /// Gives the fingerprint of what a provider knows once it has made this.
    fn with_answer(&mut self, sent: &Sent, made: &[Saying]) -> Option<MetaValue> {
        let before = self.said.len();
        self.said.extend(made.iter().cloned().map(|what| Said {
            what,
            origin: Origin::Run,
        }));
        let print = sent.with_answer(&self.said);
        self.said.truncate(before);
        print
    }

    /// Records what was said, in one piece.
    pub(super) fn record(&mut self, sayings: Vec<Saying>) -> Result<(), TranscriptError> {
        let messages: Vec<Message> = sayings.iter().filter_map(written).collect();
        self.transcript.append(&messages)?;
        self.said.extend(sayings.into_iter().map(|what| Said {
            what,
            origin: Origin::Run,
        }));
        Ok(())
    }

    /// Leaves a place for the next question.
    pub(super) fn leave_room(&mut self) -> Result<(), TranscriptError> {
        self.transcript.append(&[Message::new(Role::User, "")])
    }

    pub(super) fn keep(&mut self, kept: Kept<'_>) -> Result<String, TranscriptError> {
        self.transcript.keep(kept)
    }

    /// Gives the sums with the cost of an inference that is not recorded yet.
    pub(super) fn costs_with(&self, inference: Option<Money>) -> Cost {
        self.costs.with(inference)
    }

    /// Gives what this run took.
    pub(super) fn used(&self) -> Usage {
        self.tally.session()
    }
}

/// Makes a text as it stands in a file, or nothing when nothing of it is left.
pub(super) fn assistant(text: &str) -> Option<Saying> {
    let text = chat::normal(text);
    (!text.trim().is_empty()).then_some(Saying::Text {
        role: Role::Assistant,
        text,
    })
}

/// Gives the call that something said is.
pub(super) fn call_of(saying: &Saying) -> Option<&ToolCall> {
    match saying {
        Saying::Call(call) => Some(call),
        Saying::Text { .. }
        | Saying::Media(_)
        | Saying::Output(_)
        | Saying::Reasoning(_)
        | Saying::Meta(_) => None,
    }
}

/// Gives the message that stands for something said; media that a run makes stand in outputs.
fn written(saying: &Saying) -> Option<Message> {
    match saying {
        Saying::Text { role, text } => Some(Message::new(*role, text.clone())),
        Saying::Call(call) => Some(call.to_message()),
        Saying::Output(returned) => Some(returned.output.to_message()),
        Saying::Reasoning(reasoning) => Some(reasoning.to_message()),
        Saying::Meta(meta) => Some(meta.to_message()),
        Saying::Media(_) => None,
    }
}
