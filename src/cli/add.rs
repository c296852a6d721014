//! `scoutai add`: text from stdin into a chat as one message, escaped.

use super::args::{AddArguments, AddRole};
use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;
use super::stdin;
use crate::chat::{Keyword, Message, Role, normal};
use crate::run::{FileTranscript, Transcript};

pub(crate) async fn add(arguments: &AddArguments, session: &Session) -> Result<Exit, Failure> {
    let text = stdin::read("the text to add", &session.cancel)
        .await
        .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?
        .ok_or_else(|| {
            Failure::new(Exit::Usage, "there is no text on stdin to add")
                .hint(Some("pipe it in: `scoutai add CHAT < TEXT`"))
        })?;
    let role = match arguments.role {
        AddRole::System => Role::System,
        AddRole::Developer => Role::Developer,
        AddRole::User => Role::User,
        AddRole::Assistant => Role::Assistant,
        AddRole::Skip => Role::Directive(Keyword::Skip),
    };
    let (mut transcript, _) =
        FileTranscript::open(&arguments.chat).map_err(|error| Failure::of_transcript(&error))?;
    transcript
        .append(&[Message::new(role, normal(&text))])
        .map_err(|error| Failure::of_transcript(&error))?;
    Ok(Exit::Answered)
}
