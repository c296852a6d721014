//! Messages to text that reads as the same messages.

use super::lines::{Form, is_blank, special_lines};
use super::normal::{Shape, normalised};
use super::regions::{Purpose, regions};
use super::{Message, Role};

/// Writes messages as canonical text, with LF. Messages that are not in normal form are written
/// as their normal form.
pub fn print(messages: &[Message]) -> String {
    let mut text = String::new();
    for message in normalised(messages) {
        if !text.is_empty() {
            text.push('\n');
        }
        write_message(&mut text, &message);
    }
    text
}

/// Writes one message in normal form, with a line end after it.
pub(super) fn write_message(out: &mut String, message: &Message) {
    out.push_str(message.role.name());
    out.push(':');
    match layout(message.role, &message.content) {
        Layout::Empty => {}
        Layout::Inline => {
            out.push(' ');
            out.push_str(&message.content);
        }
        Layout::Block => {
            out.push_str("\n\n");
            write_text(out, &message.content);
        }
    }
    out.push('\n');
}

enum Layout {
    Empty,
    Inline,
    Block,
}

fn layout(role: Role, content: &str) -> Layout {
    let one_line = !content.contains('\n')
        && !content.starts_with([' ', '\t'])
        && !content.ends_with([' ', '\t']);
    match Shape::of(role) {
        Shape::Whole | Shape::Lines if content.is_empty() => Layout::Empty,
        Shape::Whole | Shape::Lines if one_line => Layout::Inline,
        Shape::Text | Shape::Whole | Shape::Lines => Layout::Block,
    }
}

/// Writes a text so that none of its lines is special: one more `\` before each line that looks
/// so, but for the lines of fences and elements that are closed in the text.
pub(super) fn write_text(out: &mut String, text: &str) {
    let lines = special_lines(text, 0);
    let found = regions(text, 0, &lines, Purpose::Writing);
    let mut regions = found.regions.iter().peekable();
    let mut written = 0;
    let mut free = 0;
    for line in &lines {
        if line.start < free {
            continue;
        }
        if let Some(region) = regions.next_if(|region| region.open.start == line.start) {
            free = region.end();
        } else if line.form.is_special() {
            out.push_str(&text[written..line.start]);
            out.push('\\');
            written = line.start;
        }
    }
    out.push_str(&text[written..]);
}

/// Tells whether the text ends with a blank line, or is nothing but one.
pub(super) fn ends_blank(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let last = body.rfind('\n').map_or(body, |at| &body[at + 1..]);
    is_blank(last.trim_end_matches('\r'))
}

/// Gives the byte offset at which the last segment of a text starts: the last record mark, or
/// the start.
pub fn last_segment(text: &str) -> usize {
    let mut end = text.len();
    while let Some(at) = text[..end].rfind("meta:") {
        let starts_line = at == 0 || text[..at].ends_with('\n') || &text[..at] == "\u{feff}";
        if starts_line {
            let (line_end, _) = super::lines::line_at(text, at);
            if matches!(
                super::lines::form_of(&text[at..line_end]),
                Some(Form::Mark { .. })
            ) {
                return at;
            }
        }
        end = at;
    }
    0
}
