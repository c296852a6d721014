//! What may stand before the first message: a BOM, a `#!` line, front matter.

use super::lines::{Form, form_of, line_at};
use super::reading::Placed;
use super::{Keyword, Role, Span};

/// The start of a file.
#[derive(Debug)]
pub(super) struct Start {
    /// Where the first line stands that is read as chat.
    pub body: usize,
    /// What the front matter says, when there is one.
    pub front_matter: Option<Vec<Placed>>,
}

/// Passes over what stands before the first message.
pub(super) fn start(text: &str) -> Start {
    let mut body = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    if text[body..].starts_with("#!") {
        body = line_at(text, body).1;
    }
    match front_matter(text, body) {
        Some((body, messages)) => Start {
            body,
            front_matter: Some(messages),
        },
        None => Start {
            body,
            front_matter: None,
        },
    }
}

/// Reads the block between two lines `---`, and gives where the line after it starts.
///
/// A block that holds a record mark or the bare header of a conversational role is none: what a
/// run appends begins with one of them, so it can never close a block that was left open.
fn front_matter(text: &str, from: usize) -> Option<(usize, Vec<Placed>)> {
    let (end, mut at) = line_at(text, from);
    if &text[from..end] != "---" {
        return None;
    }
    let mut messages = Vec::new();
    while at < text.len() {
        let (end, next) = line_at(text, at);
        let line = &text[at..end];
        if line == "---" {
            return Some((next, messages));
        }
        match form_of(line) {
            Some(Form::Mark { .. }) => return None,
            Some(Form::Header { role, value: "" }) if role.is_conversation() => return None,
            Some(Form::Header { role, value }) if counts(role) && !value.is_empty() => {
                messages.push(Placed {
                    role,
                    content: value.to_owned(),
                    span: Span {
                        start: at,
                        end: at + line.trim_end_matches([' ', '\t', '\r']).len(),
                    },
                });
            }
            Some(
                Form::Header { .. }
                | Form::Escape
                | Form::Fence(_)
                | Form::Element { .. }
                | Form::BracketsOpen
                | Form::BracketsClose
                | Form::OutputOpen { .. }
                | Form::OutputClose { .. },
            )
            | None => {}
        }
        at = next;
    }
    None
}

/// Tells whether a line of front matter with this role is meant for us.
fn counts(role: Role) -> bool {
    matches!(
        role,
        Role::Directive(
            Keyword::Endpoint
                | Keyword::Model
                | Keyword::Backend
                | Keyword::Agent
                | Keyword::Option
        )
    )
}
