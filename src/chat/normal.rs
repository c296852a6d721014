//! The normal form of texts and messages: what a file can hold exactly.

use super::lines::{is_blank, line_at, value_of};
use super::{Message, Role};

/// Gives the normal form of a text: LF line ends, no CR before a line end or at the end of the
/// text, no blank lines at its start or end.
pub fn normal(text: &str) -> String {
    let mut content = String::new();
    push_lines(&mut content, text, 0);
    trim_end(&mut content);
    content
}

/// How a directive or a record takes what it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Conversation: the text goes on, and a message without text does not exist.
    Text,
    /// The block is one value.
    Whole,
    /// Each line is one value.
    Lines,
}

impl Shape {
    pub(super) fn of(role: Role) -> Shape {
        use super::Keyword as K;
        match role {
            Role::System | Role::Developer | Role::User | Role::Assistant => Shape::Text,
            Role::FunctionCall
            | Role::FunctionCallOutput
            | Role::Reasoning
            | Role::Meta
            | Role::Directive(K::Skip | K::Cmd | K::Format | K::Option | K::StickyOption) => {
                Shape::Whole
            }
            Role::Directive(
                K::Image
                | K::Pdf
                | K::File
                | K::Directory
                | K::Import
                | K::Continue
                | K::Last
                | K::Task
                | K::InlineTask
                | K::ExecTask
                | K::Job
                | K::InlineJob
                | K::Step
                | K::Introduce
                | K::Tool
                | K::Mcp
                | K::Kb
                | K::Association
                | K::Socialize
                | K::Delegate
                | K::SelectTools
                | K::ClearTools
                | K::ClearAssociations
                | K::Websearch
                | K::AllowPath
                | K::AllowReadPath
                | K::Endpoint
                | K::Model
                | K::Backend
                | K::Agent
                | K::Persist
                | K::PreviousResponseId
                | K::Config
                | K::Clear
                | K::ClearRole
                | K::CleanRole,
            ) => Shape::Lines,
        }
    }
}

impl Message {
    /// Tells whether a file can hold the message exactly as it is: its text is in normal form, a
    /// conversational message has text, and a directive with one value for each line has one line
    /// without blanks around it.
    pub fn is_normal(&self) -> bool {
        match Shape::of(self.role) {
            Shape::Text => !self.content.is_empty() && normal(&self.content) == self.content,
            Shape::Whole => normal(&self.content) == self.content,
            Shape::Lines => !self.content.contains('\n') && value_of(&self.content) == self.content,
        }
    }
}

/// Gives the messages as a file holds them: texts in normal form, messages without text left out,
/// one message for each value. Of messages in normal form it changes nothing.
pub(super) fn normalised(messages: &[Message]) -> Vec<Message> {
    let mut all = Vec::with_capacity(messages.len());
    for message in messages {
        let with = |content: String| Message {
            role: message.role,
            content,
            origin: message.origin.clone(),
        };
        match Shape::of(message.role) {
            Shape::Text => {
                let content = normal(&message.content);
                if !content.is_empty() {
                    all.push(with(content));
                }
            }
            Shape::Whole => all.push(with(normal(&message.content))),
            Shape::Lines => {
                let mut values = message
                    .content
                    .split('\n')
                    .map(value_of)
                    .filter(|value| !value.is_empty())
                    .peekable();
                if values.peek().is_none() {
                    all.push(with(String::new()));
                }
                all.extend(values.map(|value| with(value.to_owned())));
            }
        }
    }
    all
}

/// Appends whole lines to a content, each with LF behind it, and gives where in `lines` the
/// content starts that was added. Blank lines do not start a content; `base` counts for nothing
/// but the place that is given back.
pub(super) fn push_lines(content: &mut String, lines: &str, base: usize) -> Option<usize> {
    let mut at = 0;
    if content.is_empty() {
        while at < lines.len() {
            let (end, next) = line_at(lines, at);
            if !is_blank(&lines[at..end]) {
                break;
            }
            at = next;
        }
    }
    if at == lines.len() {
        return None;
    }
    let start = at;
    // Room for the last line end too: a long text would be moved for that one byte.
    content.reserve(lines.len() - at + 1);
    if lines[at..].contains('\r') {
        while at < lines.len() {
            let (end, next) = line_at(lines, at);
            content.push_str(&lines[at..end]);
            content.push('\n');
            at = next;
        }
    } else {
        content.push_str(&lines[at..]);
        if !content.ends_with('\n') {
            content.push('\n');
        }
    }
    Some(base + start)
}

/// Takes the blank lines and the last line end from the end of a content made by [`push_lines`].
pub(super) fn trim_end(content: &mut String) {
    let mut end = content.len();
    while let Some(body) = content[..end].strip_suffix('\n') {
        let start = body.rfind('\n').map_or(0, |at| at + 1);
        if is_blank(&body[start..]) {
            end = start;
        } else {
            end = body.len();
            break;
        }
    }
    content.truncate(end);
}

/// Escapes a text as the value of an attribute in double quotes, on one line.
pub fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            other => escaped.push(other),
        }
    }
    escaped
}
