//! A chat file read, and made into a plan by asking the world for what it names.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::needs::{Answerer, Commands, ReadLimits, Refresh};
use super::settings::Settings;
use super::trust::{Standing, Trusting};
use crate::chat::{self, Chat, Diagnostic, Keyword, Message, Role};
use crate::plan::{Draft, Exec, Faults, Found, Plan, Rules};
use crate::world::files::{self, FileError};
use crate::world::processes::{ShellLimits, child_environment};

/// The largest chat file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// How long a `cmd` may take where nothing else is set.
const COMMAND_TIME: Duration = Duration::from_mins(10);

/// How much of each output of a `cmd` is kept, in bytes: less than an included text may have, so that
/// a long output is cut, and that is told, instead of being refused after the command has run.
const COMMAND_OUTPUT: usize = 900_000;

/// A chat as it was read.
#[derive(Debug)]
pub struct ReadChat {
    /// The real path, links followed; that of a file still to be made ends in its name.
    pub path: Arc<Path>,
    /// Shared with those who show places of it: it may be large.
    pub text: Arc<str>,
    pub chat: Chat,
}

/// Why a chat file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{}", .0.message)]
    NotText(Box<Diagnostic>),
}

impl ReadChat {
    /// Reads a chat file.
    pub fn read(path: &Path) -> Result<ReadChat, ReadError> {
        let real: Arc<Path> = files::real_path(path)?.into();
        let bytes = files::read(&real, LARGEST)?;
        let text = chat::decode(bytes, &real).map_err(ReadError::NotText)?;
        Ok(ReadChat::of(real, text))
    }

    /// Reads a text that stands at a path.
    pub fn of(path: Arc<Path>, text: impl Into<Arc<str>>) -> ReadChat {
        let text = text.into();
        let chat = chat::parse(&text, &path);
        ReadChat { path, text, chat }
    }

    /// Gives the chat with further messages behind what it says, as if they stood there.
    #[must_use]
    pub fn with(mut self, messages: impl IntoIterator<Item = Message>) -> ReadChat {
        self.chat.messages.extend(messages);
        self
    }
}

/// What planning goes by, besides the chat.
#[derive(Clone)]
pub struct Planning {
    pub trusting: Trusting,
    pub exec: Exec,
    pub commands: Commands,
    pub refresh: Refresh,
    /// Told each command before it starts.
    pub announce: Arc<dyn Fn(&str) + Send + Sync>,
    pub cancel: CancellationToken,
}

/// What planning came to.
pub struct Planned {
    pub plan: Result<Plan, Faults>,
    /// The chat files that were imported, for reports.
    pub imported: Vec<(Arc<Path>, Arc<str>)>,
}

/// Plans a chat: asks for what it needs until nothing is left. `file` is the chat file; a question
/// without one keeps nothing.
pub async fn plan(
    chat: ReadChat,
    file: Option<&Path>,
    planning: &Planning,
    settings: &Settings,
) -> Result<Planned, FileError> {
    let standing = Standing::of(file, &settings.folders, planning.trusting)?;
    let trust = standing.main;
    let answerer = Answerer {
        places: settings.places.clone(),
        standing,
        commands: planning.commands,
        refresh: planning.refresh,
        files: file.map(|_| beside(&chat.path)),
        environment: child_environment(&settings.environment, &settings.config.pass_env),
        command_limits: ShellLimits {
            timeout: seconds(settings.config.limits.command_timeout).unwrap_or(COMMAND_TIME),
            max_output: COMMAND_OUTPUT,
        },
        read_limits: ReadLimits::default(),
        cancel: planning.cancel.clone(),
        announce: Arc::clone(&planning.announce),
    };
    let rules = Rules {
        exec: planning.exec,
    };
    let mut chat = chat;
    if let Some(most) = settings.config.limits.max_included_length {
        // It stands before all that the chat says, so the chat's own word counts.
        let role = Role::Directive(Keyword::StickyOption);
        let message = Message::new(role, format!("max_included_length {most}"));
        chat.chat.messages.insert(0, message);
    }
    let mut draft = Draft::new(chat.chat, &chat.path, trust, rules);
    let mut imported = Vec::new();
    loop {
        let needs = draft.needs();
        if needs.is_empty() {
            break;
        }
        for (id, found) in answerer.fetch_all(&needs).await {
            if let Found::Chat { path, text, .. } = &found {
                imported.push((Arc::from(path.as_path()), Arc::from(text.as_str())));
            }
            draft.supply(id, found);
        }
    }
    Ok(Planned {
        plan: draft.finish(),
        imported,
    })
}

/// Gives the folder of what belongs to a chat file: `CHAT.files`.
fn beside(chat: &Path) -> PathBuf {
    let mut name = chat.as_os_str().to_owned();
    name.push(".files");
    PathBuf::from(name)
}

/// Gives a number of seconds as a time, when it is one.
pub fn seconds(number: Option<f64>) -> Option<Duration> {
    number.and_then(crate::world::clock::seconds)
}
