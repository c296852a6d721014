//! What the command line and stdin add to a chat: settings of this run, which are not recorded, and
//! the prompt, which is.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use super::super::args::AskArguments;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::stdin;
use super::words::{self, Words};
use crate::chat::{Keyword, Message, Role, normal};
use crate::world::files::{self, Kind};
use crate::world::places;

/// The largest template that is read, in bytes.
const LARGEST_TEMPLATE: u64 = 16 << 20;

/// What is added to a chat.
pub(super) struct Additions {
    pub(super) chat: Option<PathBuf>,
    /// As directives: they stand behind those of the chat, so they count instead of them.
    pub(super) settings: Vec<Message>,
    /// System text, files, pictures and the question, in this order.
    pub(super) prompt: Vec<Message>,
}

impl Additions {
    /// Gathers them; reads stdin.
    pub(super) async fn of(
        arguments: &AskArguments,
        cancel: &CancellationToken,
    ) -> Result<Additions, Failure> {
        let is_file = |name: &str| files::kind(Path::new(name)) == Some(Kind::File);
        let Words { chat, prompt } =
            words::sort(arguments.words.clone(), arguments.chat.clone(), is_file);
        let from_stdin = stdin::read("a prompt", cancel)
            .await
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        let mut question = words::join(prompt, from_stdin);
        if let Some(template) = &arguments.template {
            let text = files::read_text(template, LARGEST_TEMPLATE)
                .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
            question = Some(words::fill(&text, question));
        }
        let mut prompt = Vec::new();
        if let Some(system) = &arguments.system {
            prompt.push(Message::new(Role::System, normal(system)));
        }
        for (keyword, names) in [
            (Keyword::File, &arguments.files),
            (Keyword::Image, &arguments.images),
            (Keyword::Pdf, &arguments.pdfs),
        ] {
            for name in names {
                let named = from_chat(name, chat.as_deref())?;
                prompt.push(one_line(keyword, &named)?);
            }
        }
        if let Some(question) = question {
            prompt.push(Message::new(Role::User, normal(&question)));
        }
        prompt.retain(|message| !message.content.is_empty());
        let settings = settings(arguments)?;
        if chat.is_none() && prompt.is_empty() {
            return Err(
                Failure::new(Exit::Usage, "there is nothing to ask").hint(Some(
                    "give a chat file or a prompt: `scoutai ask chat.md`, `scoutai ask why?`",
                )),
            );
        }
        Ok(Additions {
            chat,
            settings,
            prompt,
        })
    }

    /// Gives the prompt, unless the chat ends in it: a run that failed has recorded it, and asking
    /// the same again must not say it twice.
    pub(super) fn unless_said(
        &self,
        chat: &crate::wiring::chats::ReadChat,
    ) -> Option<Vec<Message>> {
        let said = !self.prompt.is_empty() && chat.chat.messages.ends_with(&self.prompt);
        (!said).then(|| self.prompt.clone())
    }
}

/// The flags that are settings, as directives.
fn settings(arguments: &AskArguments) -> Result<Vec<Message>, Failure> {
    let given = &arguments.settings;
    let mut messages = Vec::new();
    for (keyword, value) in [
        (Keyword::Endpoint, &given.endpoint),
        (Keyword::Backend, &given.backend),
        (Keyword::Model, &given.model),
        (Keyword::Agent, &given.agent),
    ] {
        if let Some(value) = value {
            messages.push(one_line(keyword, value)?);
        }
    }
    for option in &given.options {
        let Some((key, value)) = option.split_once('=') else {
            return Err(
                Failure::new(Exit::Usage, format!("`-o {option}` has no `=`"))
                    .hint(Some("write `-o temperature=0.2`")),
            );
        };
        let value = format!("{} {}", key.trim(), value.trim());
        messages.push(Message::new(Role::Directive(Keyword::StickyOption), value));
    }
    if let Some(format) = &given.format {
        let path = Path::new(format);
        let format = match files::real_path(path) {
            // A file is named from where the user is, not from where the chat is.
            Ok(real) if files::kind(path) == Some(Kind::File) => real.display().to_string(),
            Ok(_) | Err(_) => format.clone(),
        };
        messages.push(Message::new(Role::Directive(Keyword::Format), format));
    }
    for (keyword, values) in [
        (Keyword::Mcp, &given.mcp),
        (Keyword::Tool, &given.tools),
        (Keyword::Kb, &given.kb),
    ] {
        for value in values {
            messages.push(one_line(keyword, value)?);
        }
    }
    Ok(messages)
}

/// A directive whose value stands on one line.
fn one_line(keyword: Keyword, value: &str) -> Result<Message, Failure> {
    let role = Role::Directive(keyword);
    let message = Message::new(role, value.trim());
    if message.content.contains(['\n', '\r']) || message.content.is_empty() {
        let text = format!("the value for `{role}` has to be one line with something on it");
        return Err(Failure::new(Exit::Usage, text));
    }
    Ok(message)
}

/// Names a file, which the command line names from the working folder, from the folder of the chat,
/// so that the record says the same wherever it is read.
fn from_chat(name: &str, chat: Option<&Path>) -> Result<String, Failure> {
    let Some(chat) = chat else {
        return Ok(name.to_owned());
    };
    let is_elsewhere =
        name.contains("://") || Path::new(name).is_absolute() || name.starts_with('~');
    if is_elsewhere {
        return Ok(name.to_owned());
    }
    let failed = |error: String| Failure::new(Exit::Failed, error);
    let working = places::working_folder().map_err(|error| failed(error.to_string()))?;
    let folder = chat
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = match folder {
        None => return Ok(name.to_owned()),
        Some(folder) => files::real_path(folder).map_err(|error| failed(error.to_string()))?,
    };
    let working = files::real_path(&working).map_err(|error| failed(error.to_string()))?;
    let named = working.join(name);
    let relative = named.strip_prefix(&folder).unwrap_or(&named);
    Ok(relative.display().to_string())
}
