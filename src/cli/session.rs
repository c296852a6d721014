//! What every command needs: the settings, read once, and how much is said.

use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::args::{Arguments, TrustArguments};
use super::exit::Exit;
use super::failure::{Failure, tell_diagnostics};
use super::output::Stream;
use super::progress::Talk;
use super::report::Sources;
use crate::chat::Diagnostic;
use crate::plan::{Exec, FaultKind, Faults, Plan};
use crate::wiring::Settings;
use crate::wiring::chats::{Planned, Planning, ReadChat, ReadError, plan};
use crate::wiring::needs::{Commands, Refresh};
use crate::wiring::trust::Trusting;
use crate::world::{Environment, places};

/// One start of the program.
pub(crate) struct Session {
    pub(crate) settings: Settings,
    pub(crate) talk: Talk,
    pub(crate) cancel: CancellationToken,
}

impl Session {
    pub(crate) fn open(
        arguments: &Arguments,
        cancel: &CancellationToken,
    ) -> Result<Session, Failure> {
        let talk = match (arguments.quiet, arguments.verbose) {
            (true, _) => Talk::Quiet,
            (false, false) => Talk::Normal,
            (false, true) => Talk::Verbose,
        };
        let working = places::working_folder().map_err(|error| {
            Failure::new(Exit::Failed, format!("the working folder is gone: {error}"))
        })?;
        let settings = Settings::read(Environment::of_process(), &working).map_err(|error| {
            Failure::new(Exit::Failed, error.to_string()).hint(error.hint.clone())
        })?;
        let session = Session {
            settings,
            talk,
            cancel: cancel.clone(),
        };
        for line in session.settings.files_used() {
            session.tell_more(&format!("settings: {line}"));
        }
        for warning in &session.settings.warnings {
            session.say(&format!("warning: {warning}"));
        }
        Ok(session)
    }

    /// Says a line on stderr.
    pub(crate) fn say(&self, line: &str) {
        if self.talk > Talk::Quiet {
            Stream::stderr().line(line);
        }
    }

    /// Says a line on stderr to those who want to know more.
    pub(crate) fn tell_more(&self, line: &str) {
        if self.talk == Talk::Verbose {
            Stream::stderr().line(line);
        }
    }

    /// Shows warnings on stderr.
    pub(crate) fn warn(&self, found: &[Diagnostic], sources: &Sources) {
        if self.talk > Talk::Quiet {
            tell_diagnostics(&mut Stream::stderr(), found, sources);
        }
    }

    /// Says what planning goes by, from the flags.
    pub(crate) fn planning(
        &self,
        trust: &TrustArguments,
        commands: Commands,
        refresh: Refresh,
    ) -> Planning {
        let talk = self.talk;
        Planning {
            trusting: trusting(trust),
            exec: if trust.no_exec {
                Exec::Forbidden
            } else {
                Exec::Allowed
            },
            commands,
            refresh,
            announce: Arc::new(move |command| {
                if talk > Talk::Quiet {
                    Stream::stderr().line(&format!("running `{command}`"));
                }
            }),
            cancel: self.cancel.clone(),
        }
    }

    /// Plans a chat; what is wrong with it ends the command. Warnings are shown.
    pub(crate) async fn plan(
        &self,
        chat: ReadChat,
        file: Option<&Path>,
        planning: &Planning,
    ) -> Result<(Plan, Sources), Failure> {
        let mut sources = Sources::here();
        sources.add(&chat.path, &chat.text);
        let Planned { plan, imported } = plan(chat, file, planning, &self.settings)
            .await
            .map_err(|error| Failure::new(Exit::Chat, error.to_string()))?;
        for (path, text) in &imported {
            sources.add(path, text);
        }
        if self.cancel.is_cancelled() {
            return Err(Failure::new(Exit::Interrupted, "interrupted"));
        }
        match plan {
            Ok(plan) => {
                self.warn(&plan.warnings, &sources);
                Ok((plan, sources))
            }
            Err(Faults { kind, diagnostics }) => {
                let exit = match kind {
                    FaultKind::Missing | FaultKind::Chat => Exit::Chat,
                    FaultKind::Refused => Exit::Refused,
                };
                Err(Failure::at(exit, diagnostics, sources))
            }
        }
    }
}

/// Whom the flags trust.
pub(crate) fn trusting(trust: &TrustArguments) -> Trusting {
    if trust.trust {
        Trusting::All
    } else {
        Trusting::Own
    }
}

/// Reads a chat file that has to be there.
pub(crate) fn read(path: &Path) -> Result<ReadChat, Failure> {
    ReadChat::read(path).map_err(|error| read_failure(path, error))
}

fn read_failure(path: &Path, error: ReadError) -> Failure {
    match error {
        ReadError::File(error) => Failure::new(Exit::Chat, error.to_string()),
        ReadError::NotText(diagnostic) => {
            let message = format!("`{}`: {}", path.display(), diagnostic.message);
            Failure::new(Exit::Chat, message).hint(diagnostic.hint)
        }
    }
}
