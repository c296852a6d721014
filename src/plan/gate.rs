//! What a directive may do: the trust of its file, the flags of the run, and what is built.

use super::Trust;
use super::directive::Directive;
use super::faults::{Fault, FaultKind};
use super::source::{Item, What};
use crate::chat::{Keyword, Role};

/// What the run allows, whatever the trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub exec: Exec,
}

/// Whether directives may start programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exec {
    Allowed,
    Forbidden,
}

/// What a directive does to the world outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    Nothing,
    Program,
    Connection,
    /// It chooses where requests, and with them a key, are sent.
    Destination,
}

/// Options that choose where requests go, or what goes with them as proof of who asks.
const DESTINATION: [&str; 21] = [
    "access_key",
    "agent",
    "api_base",
    "api_key",
    "backend",
    "base_url",
    "ca_file",
    "client",
    "endpoint",
    "headers",
    "host",
    "key",
    "profile",
    "proxy",
    "region",
    "relay",
    "script",
    "secret_key",
    "server",
    "tag",
    "url",
];

/// Tells what a message does to the world outside.
pub(super) fn deed(item: &Item) -> Deed {
    let Role::Directive(keyword) = item.role else {
        return Deed::Nothing;
    };
    match keyword {
        Keyword::Cmd
        | Keyword::Task
        | Keyword::InlineTask
        | Keyword::ExecTask
        | Keyword::Tool
        | Keyword::Agent => Deed::Program,
        Keyword::Mcp => match &item.what {
            Ok(What::Directive(Directive::Later { .. })) => Deed::Connection,
            Ok(_) | Err(_) => Deed::Program,
        },
        Keyword::Endpoint | Keyword::Backend | Keyword::Config => Deed::Destination,
        Keyword::Option | Keyword::StickyOption => match &item.what {
            Ok(What::Directive(Directive::Set(assignment)))
                if DESTINATION.contains(&plain(&assignment.key).as_str()) =>
            {
                Deed::Destination
            }
            Ok(_) | Err(_) => Deed::Nothing,
        },
        Keyword::Image
        | Keyword::Pdf
        | Keyword::Skip
        | Keyword::File
        | Keyword::Directory
        | Keyword::Import
        | Keyword::Continue
        | Keyword::Last
        | Keyword::Job
        | Keyword::InlineJob
        | Keyword::Step
        | Keyword::Introduce
        | Keyword::Kb
        | Keyword::Association
        | Keyword::Socialize
        | Keyword::Delegate
        | Keyword::SelectTools
        | Keyword::ClearTools
        | Keyword::ClearAssociations
        | Keyword::Websearch
        | Keyword::AllowPath
        | Keyword::AllowReadPath
        | Keyword::Model
        | Keyword::Format
        | Keyword::Persist
        | Keyword::PreviousResponseId
        | Keyword::Clear
        | Keyword::ClearRole
        | Keyword::CleanRole => Deed::Nothing,
    }
}

/// Refuses what a file that is not trusted may not do.
pub(super) fn refused_by_trust(
    item: &Item,
    trust: Trust,
    file: impl FnOnce() -> String,
) -> Option<Fault> {
    let deed = match deed(item) {
        Deed::Nothing => return None,
        Deed::Program => "starts a program",
        Deed::Connection => "opens a connection",
        Deed::Destination => "chooses where requests are sent",
    };
    match trust {
        Trust::Trusted => None,
        Trust::Confined => Some(
            Fault::new(
                FaultKind::Refused,
                item.origin.clone(),
                "not-trusted",
                format!("{} {deed}, and `{}` is not trusted", named(item), file()),
            )
            .hint("read the file, then run with `--trust`"),
        ),
    }
}

/// Refuses what the flags of the run forbid.
pub(super) fn refused_by_rules(item: &Item, rules: Rules) -> Option<Fault> {
    match (rules.exec, deed(item)) {
        (Exec::Forbidden, Deed::Program) => Some(
            Fault::new(
                FaultKind::Refused,
                item.origin.clone(),
                "no-exec",
                format!(
                    "{} starts a program, and `--no-exec` forbids that",
                    named(item)
                ),
            )
            .hint("take it out, or run without `--no-exec`"),
        ),
        (Exec::Allowed | Exec::Forbidden, _) => None,
    }
}

/// Says of a feature that it is not built yet.
pub(super) fn not_built(item: &Item, what: &str) -> Fault {
    Fault::chat(
        item.origin.clone(),
        "not-built",
        format!("{what} is not built yet"),
    )
    .hint("take it out, or put it below `skip:`")
}

/// Names a directive as people wrote it, an option by its key too.
fn named(item: &Item) -> String {
    match &item.what {
        Ok(What::Directive(Directive::Set(assignment)))
            if matches!(
                item.role,
                Role::Directive(Keyword::Option | Keyword::StickyOption)
            ) =>
        {
            format!("`{}: {}`", item.role, assignment.key)
        }
        Ok(_) | Err(_) => format!("`{}`", item.role),
    }
}

/// Providers take a key in more than one spelling, so trust must not hang on one.
fn plain(key: &str) -> String {
    key.to_ascii_lowercase().replace(['-', '.'], "_")
}
