//! What was asked of the world, and what came back.

use super::faults::{Fault, FaultKind};
use super::imports::Lookup;
use super::{Base, Found, Need, NeedId, Want};
use crate::chat::Origin;

/// All questions of a draft, by their number.
#[derive(Default)]
pub(super) struct Questions {
    asked: Vec<Question>,
}

struct Question {
    subject: Subject,
    at: Origin,
    answer: Answer,
    /// Its fault was told.
    told: bool,
}

/// What a question is about.
pub(super) enum Subject {
    Chat(Lookup),
    /// A file, a folder, media or a schema, by its name.
    Content(String),
    Command,
}

enum Answer {
    None,
    /// The chat was taken in.
    Read,
    Found(Found),
}

impl Questions {
    /// Asks.
    pub(super) fn ask(&mut self, subject: Subject, at: Origin, base: Base, want: Want) -> Need {
        let id = NeedId(self.asked.len());
        self.asked.push(Question {
            subject,
            at: at.clone(),
            answer: Answer::None,
            told: false,
        });
        Need { id, at, base, want }
    }

    /// Takes an answer; gives back the chat that it brings, with what it was asked for.
    pub(super) fn answer(&mut self, id: NeedId, found: Found) -> Option<(Lookup, Found)> {
        let question = self.asked.get_mut(id.0)?;
        match (&question.subject, found) {
            (Subject::Chat(lookup), found @ Found::Chat { .. }) => {
                question.answer = Answer::Read;
                Some((lookup.clone(), found))
            }
            (_, found) => {
                question.answer = Answer::Found(found);
                None
            }
        }
    }

    /// Gives what was found.
    pub(super) fn found(&self, id: NeedId) -> Option<&Found> {
        match &self.asked.get(id.0)?.answer {
            Answer::Found(found) => Some(found),
            Answer::None | Answer::Read => None,
        }
    }

    /// Turns every answer that is none into its fault, once. Commands need no answer: a chat can be
    /// looked at without running them.
    pub(super) fn settle(&mut self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for question in self.asked.iter_mut().filter(|question| !question.told) {
            if let Some(fault) = question.fault() {
                question.told = true;
                faults.push(fault);
            }
        }
        faults
    }
}

impl Question {
    fn fault(&self) -> Option<Fault> {
        let at = self.at.clone();
        let missing = |message: String| {
            Some(Fault::new(
                FaultKind::Missing,
                at.clone(),
                "missing",
                message,
            ))
        };
        match (&self.answer, &self.subject) {
            (Answer::Found(Found::Failed { message, hint }), _) => {
                let mut fault = missing(message.clone())?;
                fault.diagnostic.hint.clone_from(hint);
                Some(fault)
            }
            (Answer::Found(Found::Refused { message, hint }), _) => {
                let message = message.clone();
                let mut fault = Fault::new(FaultKind::Refused, at, "refused", message);
                fault.diagnostic.hint.clone_from(hint);
                Some(fault)
            }
            (Answer::None, Subject::Chat(Lookup { name, .. }) | Subject::Content(name)) => {
                missing(format!("`{name}` was not looked up"))
            }
            (Answer::Found(_), Subject::Chat(lookup)) => {
                missing(format!("`{}` is no chat file", lookup.name))
            }
            (Answer::Read, _)
            | (Answer::None, Subject::Command)
            | (Answer::Found(_), Subject::Content(_) | Subject::Command) => None,
        }
    }
}
