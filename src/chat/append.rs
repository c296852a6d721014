//! What is written behind a text, so that the text reads as before and the new messages follow.

use super::normal::normalised;
use super::print::{ends_blank, write_message, write_text};
use super::reading::{End, Reading, Structure};
use super::regions::{Region, Regions};
use super::{LineEnd, Message, Role, Span};

/// Why nothing can be appended. The spans count bytes of the text that was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AppendRefused {
    /// Reading the text gives an error for this place.
    #[error("what stands at the end of the chat is unclear: a region is open before a header")]
    Unclear { opener: Span },
    /// The line opens nothing so far, and what was to be appended would close it.
    #[error("what was to be appended would close a tag that is open in the chat")]
    WouldClose { opener: Span },
    /// What was to be appended would be read differently, or what stands before it would.
    #[error("what was to be appended would be read differently, or what stands before it would")]
    ReadsDifferently,
}

/// Gives the text to append to `old` so that reading both gives the messages of `old` and then
/// `messages`, in normal form.
///
/// `old` is the whole file, or its part from [`super::last_segment`] on. A region that `old`
/// leaves open is closed first. A `user` message goes into an empty `user:` block at the end of
/// `old`; a `user` message without text, as the last one, writes such a block.
pub fn appendix(
    old: &str,
    messages: &[Message],
    line_end: LineEnd,
) -> Result<String, AppendRefused> {
    let invites = messages
        .last()
        .is_some_and(|last| last.role == Role::User && super::normal(&last.content).is_empty());
    let messages = normalised(messages);
    let structure = Structure::of(old);
    if let Some(unclear) = structure.found.unclear.last() {
        return Err(AppendRefused::Unclear {
            opener: unclear.opener,
        });
    }
    let closing = structure.open_region().map(Region::closing_line);
    let before = Before {
        regions: structure.found.clone(),
        reading: structure.read(),
    };
    let waits = before.reading.end == End::Waiting;
    if messages.is_empty() && (!invites || waits) {
        return Ok(String::new());
    }

    let mut new = String::new();
    // Only the first BOM is none of the text.
    let empty = old.strip_prefix('\u{feff}').unwrap_or(old).is_empty();
    if !empty && !old.ends_with('\n') {
        new.push('\n');
    }
    let mut blank = empty || ends_blank(old);
    if let Some(closing) = closing {
        new.push_str(&closing);
        new.push('\n');
        blank = false;
    }
    let mut waiting = waits;
    for message in &messages {
        if !blank {
            new.push('\n');
        }
        if waiting && message.role == Role::User {
            write_text(&mut new, &message.content);
            new.push('\n');
        } else {
            write_message(&mut new, message);
        }
        (waiting, blank) = (false, false);
    }
    if invites && !waiting {
        if !blank {
            new.push('\n');
        }
        new.push_str("user:\n");
    }
    let new = match line_end {
        LineEnd::Lf => new,
        LineEnd::CrLf => new.replace('\n', "\r\n"),
    };
    check(
        old,
        &new,
        &before,
        &messages,
        invites.then_some(End::Waiting),
    )?;
    Ok(new)
}

/// Reads the result, and tells what is wrong with it.
fn check(
    old: &str,
    new: &str,
    before: &Before<'_>,
    wanted: &[Message],
    wanted_end: Option<End>,
) -> Result<(), AppendRefused> {
    let text = [old, new].concat();
    let structure = Structure::of(&text);
    let regions = structure.found.clone();
    let after = structure.read();
    let same = regions.unclear.is_empty()
        && after.messages.len() == before.reading.messages.len() + wanted.len()
        && after
            .messages
            .iter()
            .zip(&before.reading.messages)
            .all(|(after, before)| after.role == before.role && after.content == before.content)
        && after.messages[before.reading.messages.len()..]
            .iter()
            .zip(wanted)
            .all(|(after, wanted)| after.role == wanted.role && after.content == wanted.content)
        && wanted_end.is_none_or(|end| end == after.end);
    if same {
        return Ok(());
    }
    let closed = regions.regions.iter().find(|region| {
        region.open.start < old.len()
            && !before
                .regions
                .regions
                .iter()
                .any(|known| known.open.start == region.open.start)
    });
    Err(match closed {
        Some(region) => AppendRefused::WouldClose {
            opener: Span {
                start: region.open.start,
                end: region.open.end,
            },
        },
        None => AppendRefused::ReadsDifferently,
    })
}

/// What the text says before anything is appended.
struct Before<'t> {
    regions: Regions<'t>,
    reading: Reading,
}
