//! Lines and regions to messages.

use super::lines::{Form, Line, is_blank, line_at, special_lines, value_of};
use super::normal::{Shape, push_lines, trim_end};
use super::regions::{Close, Kind, Purpose, Region, Regions, regions};
use super::start::{Start, start};
use super::{Role, Span, attribute};

/// The form of a text: where its body starts, its special lines and its regions.
#[derive(Debug)]
pub(super) struct Structure<'t> {
    pub text: &'t str,
    pub start: Start,
    pub lines: Vec<Line<'t>>,
    pub found: Regions<'t>,
}

/// A message with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    pub role: Role,
    pub content: String,
    pub span: Span,
}

/// What a text says.
#[derive(Debug)]
pub(super) struct Reading {
    pub messages: Vec<Placed>,
    pub end: End,
}

/// How a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With an empty `user:` block: a place to type.
    Waiting,
    /// With anything else.
    Said,
}

impl<'t> Structure<'t> {
    /// Reads the form of a text.
    pub(super) fn of(text: &'t str) -> Structure<'t> {
        let start = start(text);
        let lines = special_lines(text, start.body);
        let found = regions(text, start.body, &lines, Purpose::Reading);
        Structure {
            text,
            start,
            lines,
            found,
        }
    }

    /// Gives the region that the end of the text closes.
    pub(super) fn open_region(&self) -> Option<&Region<'t>> {
        self.found
            .regions
            .last()
            .filter(|region| matches!(region.close, Close::End { .. }))
    }

    /// Puts the messages together.
    pub(super) fn read(self) -> Reading {
        let mut reader = Reader {
            text: self.text,
            messages: self.start.front_matter.unwrap_or_default(),
            block: Block::text(Role::User),
            context: Role::User,
        };
        let mut regions = self.found.regions.iter().peekable();
        let mut free = self.start.body;
        for line in &self.lines {
            if line.start < free {
                continue;
            }
            reader.text(free, line.start);
            free = line.next;
            match line.form {
                Form::Header { role, value } => reader.header(line, role, value),
                Form::Mark { value } => reader.header(line, Role::Meta, value),
                Form::Escape => reader.line(&self.text[line.start + 1..line.end], line.start),
                Form::Fence(_)
                | Form::Element { .. }
                | Form::BracketsOpen
                | Form::OutputOpen { .. } => {
                    match regions.next_if(|region| region.open.start == line.start) {
                        Some(region) => {
                            reader.region(region);
                            free = region.end();
                        }
                        None => reader.text(line.start, line.next),
                    }
                }
                Form::BracketsClose | Form::OutputClose { .. } => {
                    reader.text(line.start, line.next);
                }
            }
        }
        reader.text(free, self.text.len());
        reader.end()
    }
}

/// Puts messages together, piece by piece.
struct Reader<'t> {
    text: &'t str,
    messages: Vec<Placed>,
    block: Block,
    /// Whose block a directive interrupts.
    context: Role,
}

/// The block that is being read.
struct Block {
    role: Role,
    shape: Shape,
    /// Where its header stands; text after a directive has none.
    header: Option<Span>,
    content: String,
    /// From the first line with text to the end of the last one.
    span: Option<Span>,
    /// True once a region has begun in it, even when nothing of it is text.
    region: bool,
}

impl Block {
    fn text(role: Role) -> Block {
        Block {
            role,
            shape: Shape::Text,
            header: None,
            content: String::new(),
            span: None,
            region: false,
        }
    }

    /// Takes whole lines that stand at a place; `end` is where the last of them with text ends.
    fn push(&mut self, lines: &str, at: usize, end: Option<usize>) {
        if let (Some(start), Some(end)) = (push_lines(&mut self.content, lines, at), end) {
            let start = start.min(end);
            let span = self.span.get_or_insert(Span { start, end });
            span.end = span.end.max(end);
        }
    }
}

impl Reader<'_> {
    fn header(&mut self, line: &Line<'_>, role: Role, value: &str) {
        self.finish();
        let shape = Shape::of(role);
        let end = line.start + value_of(&self.text[line.start..line.end]).len();
        let span = Span {
            start: line.start,
            end,
        };
        let mut block = Block {
            role,
            shape,
            header: Some(span),
            ..Block::text(role)
        };
        match (shape, value) {
            (Shape::Text, _) => {
                self.context = role;
                block.push(value, line.start, Some(end));
            }
            (Shape::Whole, "") => self.context = Role::User,
            (Shape::Lines, "") => {}
            (Shape::Whole | Shape::Lines, value) => {
                self.messages.push(Placed {
                    role,
                    content: value.to_owned(),
                    span,
                });
                block = self.after_directive();
            }
        }
        self.block = block;
    }

    /// Text after a directive belongs to the block that it interrupts, but nobody types the text
    /// of an assistant.
    fn after_directive(&self) -> Block {
        Block::text(match self.context {
            Role::System | Role::Developer => self.context,
            Role::User
            | Role::Assistant
            | Role::FunctionCall
            | Role::FunctionCallOutput
            | Role::Reasoning
            | Role::Meta
            | Role::Directive(_) => Role::User,
        })
    }

    fn region(&mut self, region: &Region<'_>) {
        let (start, next) = (region.open.start, region.open.next);
        self.block.region = true;
        let (inner, end) = match region.close {
            Close::Line { start, next } => (start, next),
            Close::End { at } => (at, at),
        };
        match region.kind {
            Kind::Fence(_) | Kind::Element => self.text(start, end),
            Kind::Brackets => self.text(next, inner),
            Kind::Output { command, .. } => {
                let opener = format!("<cmd_output cmd=\"{}\">", attribute(command));
                self.line(&opener, start);
                self.text(next, inner);
                // A closing line that is not there is what the end of the file stands for.
                self.line("</cmd_output>", inner);
            }
        }
        if let (Kind::Fence(_), Close::End { at }) = (region.kind, region.close) {
            self.line(&region.closing_line(), at);
        }
    }

    /// Takes the lines of the text from one place to another.
    fn text(&mut self, mut from: usize, to: usize) {
        let text = self.text;
        while self.block.shape == Shape::Lines && from < to {
            let (end, next) = line_at(&text[..to], from);
            self.line_of_values(&text[from..end], from);
            from = next;
        }
        if from < to {
            let end = self.end_of_text(from, to);
            self.block.push(&text[from..to], from, end);
        }
    }

    /// Takes one line that reads as something else than what stands at its place.
    fn line(&mut self, line: &str, at: usize) {
        if self.block.shape == Shape::Lines {
            self.line_of_values(line, at);
        } else {
            let end = line_at(self.text, at).0;
            self.block.push(line, at, Some(end));
        }
    }

    /// Takes a line in a block of values: each is one directive, and a blank line after them ends
    /// the block.
    fn line_of_values(&mut self, line: &str, at: usize) {
        let value = value_of(line);
        if !value.is_empty() {
            let (end, _) = line_at(self.text, at);
            let raw = &self.text[at..end];
            let start = at + (raw.len() - raw.trim_start_matches([' ', '\t']).len());
            let end = start + value_of(raw).len();
            self.messages.push(Placed {
                role: self.block.role,
                content: value.to_owned(),
                span: Span { start, end },
            });
            self.block.span = Some(Span { start, end });
        } else if self.block.span.is_some() {
            self.block = self.after_directive();
        }
    }

    /// Gives where the last line with text of a part of the text ends.
    fn end_of_text(&self, from: usize, to: usize) -> Option<usize> {
        let mut end = to;
        while end > from {
            let lines = &self.text[from..end];
            let body = lines.strip_suffix('\n').unwrap_or(lines);
            let start = body.rfind('\n').map_or(0, |at| at + 1);
            let line = body[start..].trim_end_matches('\r');
            if !is_blank(line) {
                return Some(from + start + line.len());
            }
            end = from + start;
        }
        None
    }

    fn finish(&mut self) {
        let mut block = std::mem::replace(&mut self.block, Block::text(Role::User));
        trim_end(&mut block.content);
        let span = match (block.header, block.span) {
            (Some(header), Some(text)) => Span {
                start: header.start,
                end: header.end.max(text.end),
            },
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return,
        };
        let exists = match block.shape {
            Shape::Text => !block.content.is_empty(),
            Shape::Whole => true,
            // Its values stand already; without any it is an empty directive.
            Shape::Lines => block.span.is_none(),
        };
        if exists {
            self.messages.push(Placed {
                role: block.role,
                content: block.content,
                span,
            });
        }
    }

    fn end(mut self) -> Reading {
        let end = match &self.block {
            Block {
                role: Role::User,
                shape: Shape::Text,
                header: Some(_),
                span: None,
                region: false,
                ..
            } => End::Waiting,
            _ => End::Said,
        };
        self.finish();
        Reading {
            messages: self.messages,
            end,
        }
    }
}
