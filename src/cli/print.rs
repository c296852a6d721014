//! `scoutai print`: a chat in canonical form, or as the model would get it.

use super::args::PrintArguments;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Stream;
use super::report::Sources;
use super::session::{Session, read};
use crate::chat::{self, Severity};
use crate::plan;
use crate::wiring::needs::{Commands, Refresh};

pub(crate) async fn print(arguments: &PrintArguments, session: &Session) -> Result<Exit, Failure> {
    let chat = read(&arguments.chat)?;
    let text = if arguments.compiled {
        let planning = session.planning(&arguments.trust, Commands::Show, Refresh::No);
        let (plan, _) = session.plan(chat, Some(&arguments.chat), &planning).await?;
        chat::print(&plan::compiled(&plan.said))
    } else {
        let wrong = chat
            .chat
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error);
        if wrong {
            let mut sources = Sources::here();
            sources.add(&chat.path, &chat.text);
            return Err(Failure::at(Exit::Chat, chat.chat.diagnostics, sources));
        }
        chat::print(&chat.chat.messages)
    };
    Stream::stdout().text(&text);
    Ok(Exit::Answered)
}
