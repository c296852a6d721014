//! What to do next, read from what was said.

#[cfg(test)]
mod tests;

use crate::backends::Stop;
use crate::chat::{Role, ToolCall};
use crate::plan::{Said, Saying, is_cut, is_paused};

/// The next step of a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// The model is asked.
    Ask,
    /// These calls have no output yet, in their order.
    Call(Vec<ToolCall>),
    /// The chat ends in a whole answer.
    Done { answer: String },
}

/// Reads the next step from what was said.
///
/// A call is open until an output of its id follows it, or until a later record begins: a model
/// that was asked again has been told that the call was interrupted. A record that was cut
/// (`stop` is `interrupted`, `error` or `length`) is no answer. One that paused is the beginning of
/// the record that follows it.
pub fn next(said: &[Said]) -> Next {
    let reading = Reading::of(said);
    if !reading.open.is_empty() {
        Next::Call(reading.open.into_iter().cloned().collect())
    } else if reading.answer.is_empty() {
        Next::Ask
    } else {
        Next::Done {
            answer: reading.answer.join("\n\n"),
        }
    }
}

/// Gives the reason, `refusal` or `filter`, when the answer at the end is one that the model
/// refused to give or that a filter stopped. Nothing is asked again for it, but it is no success.
pub(super) fn refused(said: &[Said]) -> Option<Stop> {
    let reading = Reading::of(said);
    let stop = reading.answer_stop.map(Stop::from_name)?;
    let answered = reading.open.is_empty() && !reading.answer.is_empty();
    (answered && matches!(stop, Stop::Refusal | Stop::Filter)).then_some(stop)
}

/// Leaves out the whole answer at the end, if there is one, so that it is asked for anew.
pub fn without_answer(mut said: Vec<Said>) -> Vec<Said> {
    loop {
        let reading = Reading::of(&said);
        if !reading.open.is_empty() || reading.answer.is_empty() {
            return said;
        }
        let after = said.split_off(reading.answer_from);
        while matches!(said.last(), Some(last) if matches!(last.what, Saying::Reasoning(_))) {
            said.pop();
        }
        said.extend(after.into_iter().filter(|one| match &one.what {
            Saying::Text { role, .. } => *role != Role::Assistant,
            Saying::Reasoning(_) => false,
            // Marks stay: they hold the sums, and they settle the calls before them.
            Saying::Media(_) | Saying::Call(_) | Saying::Output(_) | Saying::Meta(_) => true,
        }));
    }
}

/// What is known of a chat after its first messages.
#[derive(Default)]
struct Reading<'a> {
    /// Calls without output.
    open: Vec<&'a ToolCall>,
    /// The texts of the last record when it is a whole answer; else empty.
    answer: Vec<&'a str>,
    /// Where the answer begins.
    answer_from: usize,
    /// The texts of a turn that paused, with the place after its first mark.
    paused: Option<(usize, Vec<&'a str>)>,
    /// The `stop` of the record of the answer.
    answer_stop: Option<&'a str>,
    /// The `stop` of the record that is being read.
    stop: Option<&'a str>,
    record: Record,
}

/// What is known of the record that is being read.
#[derive(Default)]
enum Record {
    /// The assistant has said nothing in it yet: a text begins an answer.
    #[default]
    Fresh,
    /// The assistant has begun an answer: a further text goes on with it.
    Speaking,
    /// It paused: its texts begin an answer that the next record may end.
    Paused,
    /// It has calls, or was cut: its texts are no answer.
    NoAnswer,
}

impl<'a> Reading<'a> {
    fn of(said: &'a [Said]) -> Reading<'a> {
        let mut reading = Reading::default();
        for (at, one) in said.iter().enumerate() {
            reading.take(at, &one.what);
        }
        reading
    }

    fn take(&mut self, at: usize, what: &'a Saying) {
        match what {
            Saying::Meta(meta) if meta.is_mark() => {
                self.open.clear();
                self.stop = meta.text("stop");
                self.record = Record::Fresh;
                if is_paused(meta) {
                    self.record = Record::Paused;
                    self.answer.clear();
                    self.paused.get_or_insert((at + 1, Vec::new()));
                } else if is_cut(meta) {
                    self.record = Record::NoAnswer;
                    self.answer.clear();
                    self.paused = None;
                }
            }
            Saying::Meta(_) | Saying::Reasoning(_) => {}
            Saying::Call(call) => {
                self.open.push(call);
                self.record = Record::NoAnswer;
                self.answer.clear();
                self.paused = None;
            }
            Saying::Output(returned) => {
                let id = &returned.output.id;
                if let Some(at) = self.open.iter().position(|call| call.id == *id) {
                    self.open.remove(at);
                }
                self.wants_answer();
            }
            Saying::Media(_) => self.wants_answer(),
            Saying::Text { text, .. } if text.trim().is_empty() => {}
            Saying::Text { role, text } => match role {
                Role::User => self.wants_answer(),
                Role::Assistant => self.speaks(at, text),
                Role::System
                | Role::Developer
                | Role::FunctionCall
                | Role::FunctionCallOutput
                | Role::Reasoning
                | Role::Meta
                | Role::Directive(_) => {}
            },
        }
    }

    /// The user or a tool has said something: what the assistant says next is a new record, even
    /// in a file without marks.
    fn wants_answer(&mut self) {
        self.answer.clear();
        self.paused = None;
        self.stop = None;
        self.record = Record::Fresh;
    }

    fn speaks(&mut self, at: usize, text: &'a str) {
        match self.record {
            Record::Fresh => {
                (self.answer_from, self.answer) = self.paused.take().unwrap_or((at, Vec::new()));
                self.answer.push(text);
                self.answer_stop = self.stop;
                self.record = Record::Speaking;
            }
            Record::Speaking => self.answer.push(text),
            Record::Paused => {
                if let Some((_, texts)) = &mut self.paused {
                    texts.push(text);
                }
            }
            Record::NoAnswer => {}
        }
    }
}
