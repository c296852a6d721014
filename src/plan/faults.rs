//! What keeps a chat from being run.

use crate::chat::{Diagnostic, Message, Origin, Severity, Span};

/// Every finding that keeps a chat from being run, with the warnings beside them: the errors come
/// first, those of the main file before those of its imports, from top to bottom.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.summary())]
pub struct Faults {
    /// The gravest kind among them.
    pub kind: FaultKind,
    pub diagnostics: Vec<Diagnostic>,
}

impl Faults {
    /// Says the first error, and how many more there are: for callers that show no places.
    fn summary(&self) -> String {
        let mut errors = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error);
        let first = errors
            .next()
            .map_or("the chat cannot be run", |first| first.message.as_str());
        match errors.count() {
            0 => first.to_owned(),
            more => format!("{first} (and {more} more)"),
        }
    }
}

/// The kinds of fault that callers tell apart, the gravest last: a script that looks for a refusal
/// must find it beside other mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// Something that the chat names is not there or cannot be read.
    Missing,
    /// The chat is wrong.
    Chat,
    /// Trust, or a flag, forbids it.
    Refused,
}

/// One error with its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub diagnostic: Box<Diagnostic>,
}

impl Fault {
    /// Makes an error without a hint.
    pub(super) fn new(
        kind: FaultKind,
        at: Origin,
        code: &'static str,
        message: impl Into<String>,
    ) -> Fault {
        Fault {
            kind,
            diagnostic: Box::new(finding(Severity::Error, at, code, message)),
        }
    }

    /// Makes an error of the chat.
    pub(super) fn chat(at: Origin, code: &'static str, message: impl Into<String>) -> Fault {
        Fault::new(FaultKind::Chat, at, code, message)
    }

    /// Says what to do about it.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.diagnostic.hint = Some(hint.into());
        self
    }
}

/// Makes a warning.
pub(super) fn warning(at: Origin, code: &'static str, message: impl Into<String>) -> Diagnostic {
    finding(Severity::Warning, at, code, message)
}

fn finding(
    severity: Severity,
    at: Origin,
    code: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic {
        at,
        severity,
        code,
        message: message.into(),
        hint: None,
        also: Vec::new(),
    }
}

/// Gives the place of the value of a message, without its header where that can be told.
///
/// A value of one line is the end of its span, whatever stands before it; with several lines,
/// escapes that were undone make the two lengths differ, and the whole span is the answer.
pub(super) fn value_at(message: &Message) -> Origin {
    part_at(message, 0..message.content.len())
}

/// Gives the place of a part of the value of a message.
pub(super) fn part_at(message: &Message, part: std::ops::Range<usize>) -> Origin {
    let Origin::File { path, span } = &message.origin else {
        return message.origin.clone();
    };
    let one_line = !message.content.is_empty() && !message.content.contains('\n');
    let start = span.end.checked_sub(message.content.len());
    let span = match start {
        Some(start) if one_line && start >= span.start && part.end <= message.content.len() => {
            Span {
                start: start + part.start,
                end: start + part.end,
            }
        }
        Some(_) | None => *span,
    };
    Origin::File {
        path: path.clone(),
        span,
    }
}

/// Finds the name that was most likely meant, when one is near enough.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let reach = if name.len() < 8 { 1 } else { 2 };
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| (1..=reach).contains(distance))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
