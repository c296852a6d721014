//! What a command ends with when it does not do what it was asked.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::exit::Exit;
use super::output::Stream;
use super::report::{Colours, Sources, draw, to_json};
use super::terminal::harmless;
use crate::backends::ErrorKind;
use crate::chat::Diagnostic;
use crate::run::{RunError, TranscriptError};
use crate::wiring::backend::ChoiceError;
use crate::wiring::endpoints::FailureKind;

/// A failure, ready to be told.
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    told: Told,
}

enum Told {
    Line {
        message: String,
        hint: Option<String>,
    },
    Diagnostics {
        found: Vec<Diagnostic>,
        sources: Sources,
    },
}

impl Failure {
    /// A failure without a place in a chat.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure {
            exit,
            told: Told::Line {
                message: message.into(),
                hint: None,
            },
        }
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: Option<impl Into<String>>) -> Failure {
        if let (Told::Line { hint: told, .. }, Some(hint)) = (&mut self.told, hint) {
            *told = Some(hint.into());
        }
        self
    }

    /// What fails after the user has stopped the run is a run that was stopped.
    pub(crate) fn after(mut self, cancel: &CancellationToken) -> Failure {
        if cancel.is_cancelled() && self.exit == Exit::Failed {
            self.exit = Exit::Interrupted;
        }
        self
    }

    /// Failures that have places.
    pub(crate) fn at(exit: Exit, found: Vec<Diagnostic>, sources: Sources) -> Failure {
        Failure {
            exit,
            told: Told::Diagnostics { found, sources },
        }
    }

    /// A failure of the record.
    pub(crate) fn of_transcript(error: &TranscriptError) -> Failure {
        let exit = match error {
            TranscriptError::InUse { .. } => Exit::InUse,
            TranscriptError::Folder { .. }
            | TranscriptError::Special { .. }
            | TranscriptError::LooseLink { .. }
            | TranscriptError::NoFolder { .. }
            | TranscriptError::NotText { .. }
            | TranscriptError::Unclear { .. } => Exit::Chat,
            TranscriptError::Write { .. }
            | TranscriptError::Read { .. }
            | TranscriptError::Keep { .. }
            | TranscriptError::Edited { .. } => Exit::Failed,
        };
        let rescued = error
            .rescued()
            .map(|path| format!("; what came stands in `{}`", path.display()));
        let message = format!("{error}{}", rescued.unwrap_or_default());
        Failure::new(exit, message).hint(error.hint())
    }

    /// A run that did not end in an answer.
    pub(crate) fn of_run(error: &RunError) -> Failure {
        let exit = match error {
            RunError::Transcript(error) => return Failure::of_transcript(error),
            RunError::NothingAsked => Exit::Chat,
            RunError::Backend { error, .. } => match error.kind {
                ErrorKind::Refused => Exit::ModelRefused,
                ErrorKind::Cancelled => Exit::Interrupted,
                ErrorKind::Connection
                | ErrorKind::Cut
                | ErrorKind::Authentication
                | ErrorKind::NotFound
                | ErrorKind::RateLimit
                | ErrorKind::TooLong
                | ErrorKind::Request
                | ErrorKind::Server
                | ErrorKind::Protocol
                | ErrorKind::Empty => Exit::Failed,
            },
            RunError::Empty | RunError::Length { .. } | RunError::Stopped { .. } => Exit::Failed,
            RunError::Refused { .. } => Exit::ModelRefused,
            RunError::Limit(_) => Exit::Limit,
            RunError::Interrupted => Exit::Interrupted,
        };
        Failure::new(exit, error.to_string()).hint(error.hint())
    }

    /// A backend that cannot be had.
    pub(crate) fn of_choice(error: &ChoiceError) -> Failure {
        let exit = match error {
            ChoiceError::Endpoint(error) => match error.kind() {
                FailureKind::Refused => Exit::Refused,
                FailureKind::Settings => Exit::Failed,
            },
            ChoiceError::Backend(_)
            | ChoiceError::Script(_)
            | ChoiceError::ScriptContent(_)
            | ChoiceError::File(_)
            | ChoiceError::NoModel { .. }
            | ChoiceError::ApiVersion { .. } => Exit::Failed,
        };
        Failure::new(exit, error.to_string()).hint(error.hint())
    }

    /// Gives it as an event, for programs.
    pub(crate) fn to_json(&self) -> Value {
        let (message, hint, found) = match &self.told {
            Told::Line { message, hint } => (message.as_str(), hint.as_ref(), Vec::new()),
            Told::Diagnostics { found, sources } => {
                let first = found.first();
                (
                    first.map_or("", |first| first.message.as_str()),
                    first.and_then(|first| first.hint.as_ref()),
                    found.iter().map(|one| to_json(one, sources)).collect(),
                )
            }
        };
        json!({
            "event": "failed", "exit": self.exit.code(), "message": message, "hint": hint,
            "found": found,
        })
    }

    /// Tells it on stderr and gives the exit code.
    pub(crate) fn tell(&self) -> Exit {
        let mut err = Stream::stderr();
        match &self.told {
            Told::Line { message, hint } => {
                err.line(&format!("error: {message}"));
                if let Some(hint) = hint {
                    err.line(&format!("  hint: {}", hint.replace('\n', "\n    ")));
                }
            }
            Told::Diagnostics { found, sources } => tell_diagnostics(&mut err, found, sources),
        }
        self.exit
    }
}

/// Tells diagnostics on stderr, drawn, with colours where people see them.
pub(crate) fn tell_diagnostics(
    err: &mut Stream<std::io::Stderr>,
    found: &[Diagnostic],
    sources: &Sources,
) {
    for diagnostic in found {
        if err.is_terminal() {
            let safe = disarmed(diagnostic);
            err.own(&draw(&safe, sources, colours()));
        } else {
            err.own(&draw(diagnostic, sources, Colours::No));
        }
    }
}

/// Colours are used on a terminal unless `NO_COLOR` says otherwise; the renderer itself shows
/// control characters of the quoted line as pictures.
fn colours() -> Colours {
    match crate::world::Environment::of_process().get("NO_COLOR") {
        Some(_) => Colours::No,
        None => Colours::Yes,
    }
}

/// The diagnostic with texts that do nothing to a terminal: they may quote what others wrote.
fn disarmed(diagnostic: &Diagnostic) -> Diagnostic {
    Diagnostic {
        message: harmless(&diagnostic.message).into_owned(),
        hint: diagnostic
            .hint
            .as_ref()
            .map(|hint| harmless(hint).into_owned()),
        also: diagnostic
            .also
            .iter()
            .map(|(at, shows)| (at.clone(), harmless(shows).into_owned()))
            .collect(),
        ..diagnostic.clone()
    }
}
