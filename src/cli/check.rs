//! `scoutai check`: every finding at once, nothing run.

use serde_json::Value;

use super::args::{CheckArguments, TrustArguments};
use super::exit::Exit;
use super::failure::{Failure, tell_diagnostics};
use super::output::Stream;
use super::progress::Talk;
use super::report::{Sources, to_json};
use super::session::{Session, read};
use crate::chat::{self, Diagnostic, Origin, Severity};
use crate::plan;
use crate::wiring::chats;
use crate::wiring::needs::{Commands, Refresh};

pub(crate) async fn check(arguments: &CheckArguments, session: &Session) -> Result<Exit, Failure> {
    let mut sources = Sources::here();
    let mut found = Vec::new();
    let mut unreadable = false;
    for file in &arguments.files {
        let chat = match read(file) {
            Ok(chat) => chat,
            Err(failure) => {
                // The others are still looked at.
                failure.tell();
                unreadable = true;
                continue;
            }
        };
        sources.add(&chat.path, &chat.text);
        found.extend(chat::lint(&chat.text, &chat.path));
        found.extend(plan::check(&chat.chat));
        let planning = session.planning(&TrustArguments::default(), Commands::Show, Refresh::No);
        let planned = chats::plan(chat, Some(file), &planning, &session.settings)
            .await
            .map_err(|error| Failure::new(Exit::Chat, error.to_string()))?;
        for (path, text) in &planned.imported {
            sources.add(path, text);
        }
        match planned.plan {
            Ok(plan) => found.extend(plan.warnings),
            Err(faults) => found.extend(faults.diagnostics),
        }
    }
    // Nothing is run here, so what cannot be run yet is no mistake of the chat.
    for one in &mut found {
        if one.code == NOT_BUILT {
            one.severity = Severity::Warning;
            one.hint = Some("a run of the chat ends here".to_owned());
        }
    }
    let found = in_order(found);
    if arguments.json {
        let all: Vec<Value> = found.iter().map(|one| to_json(one, &sources)).collect();
        Stream::stdout().own(&format!("{:#}\n", Value::Array(all)));
    } else if session.talk > Talk::Quiet || found.iter().any(is_error) {
        tell_diagnostics(&mut Stream::stderr(), &found, &sources);
    }
    Ok(if unreadable || found.iter().any(is_error) {
        Exit::Chat
    } else {
        Exit::Answered
    })
}

/// The code of findings about features that come later.
const NOT_BUILT: &str = "not-built";

fn is_error(found: &Diagnostic) -> bool {
    found.severity == Severity::Error
}

/// Sorts by place, and leaves out what two of the readers noticed alike.
fn in_order(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let key = |one: &Diagnostic| match &one.at {
        Origin::File { path, span } => (path.to_path_buf(), span.start, span.end),
        Origin::Run => (std::path::PathBuf::new(), 0, 0),
    };
    found.sort_by_key(key);
    let mut kept: Vec<Diagnostic> = Vec::new();
    for one in found {
        let known = kept
            .iter()
            .rev()
            .take_while(|other| key(other) == key(&one))
            .any(|other| other.code == one.code && other.message == one.message);
        if !known {
            kept.push(one);
        }
    }
    kept
}
