//! Needs answered from the world: what directives name is looked up, read, or run.

mod command;
mod lookup;
mod media;
mod reading;

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::trust::Standing;
use crate::plan::{Found, Need, NeedId, Trust, Want};
use crate::world::processes::ShellLimits;
use crate::world::{Places, walk};

pub use command::{Commands, Refresh};
pub(super) use lookup::lies_below;

/// Answers the needs of one run.
#[derive(Clone)]
pub struct Answerer {
    pub places: Places,
    pub standing: Standing,
    pub commands: Commands,
    pub refresh: Refresh,
    /// `CHAT.files` of the file that is run: pins lie in it. None for a question without a file.
    pub files: Option<PathBuf>,
    /// What started programs see of the environment.
    pub environment: Vec<(String, String)>,
    pub command_limits: ShellLimits,
    pub read_limits: ReadLimits,
    pub cancel: CancellationToken,
    /// Told each command before it starts.
    pub announce: Arc<dyn Fn(&str) + Send + Sync>,
}

/// How much is read at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of one text or one chat that is named outright.
    pub text: u64,
    /// Bytes of one picture or document.
    pub media: u64,
    /// For folders and patterns.
    pub walk: walk::Limits,
}

impl Default for ReadLimits {
    fn default() -> ReadLimits {
        ReadLimits {
            text: 16 << 20,
            // More than any provider takes: what is too much is theirs to say.
            media: 100 << 20,
            walk: walk::Limits::default(),
        }
    }
}

impl Answerer {
    /// Answers one need.
    pub async fn fetch(&self, need: &Need) -> Found {
        let base = &need.base;
        match &need.want {
            Want::Command {
                command,
                ordinal,
                settled,
            } => match base.trust {
                Trust::Trusted => {
                    self.command(command, *ordinal, *settled, &base.folder)
                        .await
                }
                Trust::Confined => refused(format!(
                    "`{command}` is not run: the file that names it is not trusted"
                )),
            },
            Want::Chat { .. }
            | Want::File { .. }
            | Want::Directory { .. }
            | Want::Media { .. }
            | Want::Schema { .. } => self.read_aside(need).await,
        }
    }

    /// Answers needs one after the other, in their order: a command may make what a later file
    /// names.
    pub async fn fetch_all(&self, needs: &[Need]) -> Vec<(NeedId, Found)> {
        let mut answers = Vec::with_capacity(needs.len());
        for need in needs {
            answers.push((need.id, self.fetch(need).await));
        }
        answers
    }

    /// Reads on a thread of its own, so that a slow disk does not hold up Ctrl-C.
    async fn read_aside(&self, need: &Need) -> Found {
        let reader = self.clone();
        let need = need.clone();
        let reading = tokio::task::spawn_blocking(move || reader.read(&need));
        tokio::select! {
            found = reading => found.unwrap_or_else(|error| Found::Failed {
                message: format!("reading ended early: {error}"),
                hint: None,
            }),
            () = self.cancel.cancelled() => Found::Failed {
                message: "reading was interrupted".to_owned(),
                hint: None,
            },
        }
    }
}

/// What needs `--trust`.
fn refused(message: String) -> Found {
    Found::Refused {
        message,
        hint: Some("give `--trust` when you trust the file".to_owned()),
    }
}

fn failed(message: &impl ToString) -> Found {
    Found::Failed {
        message: message.to_string(),
        hint: None,
    }
}
