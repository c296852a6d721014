//! Segments and the protected regions inside them, found after the lines are known: one pass from
//! top to bottom with the next closing line of each kind at hand, so that hostile files are read
//! in linear time too.

use std::collections::HashMap;

use super::Span;
use super::lines::{Fence, Form, Line, Mark, line_at};
use super::tags::Tags;

/// A run of lines in which no line is special.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region<'t> {
    pub kind: Kind<'t>,
    pub open: Line<'t>,
    pub close: Close,
}

/// What protects the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    Fence(Fence),
    Element,
    Brackets,
    Output { word: &'t str, command: &'t str },
}

/// Where a region ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// Its closing line, and where the next line starts.
    Line { start: usize, next: usize },
    /// It is left open: the end of the text closes it.
    End { at: usize },
}

/// An open region of which it is not clear what was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclear<'t> {
    pub kind: Kind<'t>,
    pub opener: Span,
    pub reason: Reason,
}

/// Why it is not clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// A header follows in the same segment.
    Header(Span),
    /// A record starts before it is closed.
    Cut(Span),
}

/// Whose regions are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Those that a file may have.
    Reading,
    /// Those that are written as regions: closed fences and elements.
    Writing,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Regions<'t> {
    /// In their order; none lies in another.
    pub regions: Vec<Region<'t>>,
    /// At most one for each segment: what follows the first would be a guess.
    pub unclear: Vec<Unclear<'t>>,
}

impl Region<'_> {
    /// Gives where the next line after the region starts.
    pub(super) fn end(&self) -> usize {
        match self.close {
            Close::Line { next, .. } => next,
            Close::End { at } => at,
        }
    }

    /// Gives the line that would close it, without its line end.
    pub(super) fn closing_line(&self) -> String {
        match self.kind {
            Kind::Fence(fence) => fence.mark.character().repeat(fence.length),
            // An element that is left open is no region.
            Kind::Element => String::new(),
            Kind::Brackets => "]]".to_owned(),
            Kind::Output { word, .. } => format!("{word}:-- }}}}}}"),
        }
    }
}

/// Finds the regions of `text[from..]`, whose special lines are `lines`.
pub(super) fn regions<'t>(
    text: &'t str,
    from: usize,
    lines: &[Line<'t>],
    purpose: Purpose,
) -> Regions<'t> {
    let mut found = Regions::default();
    let mut start = from;
    let mut first = 0;
    loop {
        // A mark belongs to the segment that it starts.
        let mark = lines[first..]
            .iter()
            .position(|line| matches!(line.form, Form::Mark { .. }) && line.start > start)
            .map(|at| (first + at, lines[first + at]));
        let (last, end) = match mark {
            Some((at, line)) => (at, line.start),
            None => (lines.len(), text.len()),
        };
        Segment {
            text: &text[..end],
            start,
            lines: &lines[first..last],
            cut: mark.map(|(_, line)| Span {
                start: line.start,
                end: line.end,
            }),
        }
        .find(purpose, &mut found);
        if mark.is_none() {
            return found;
        }
        (first, start) = (last, end);
    }
}

/// The lines from the start of the file or a mark up to the next mark or the end.
struct Segment<'s, 't> {
    /// The file up to the end of the segment.
    text: &'t str,
    start: usize,
    lines: &'s [Line<'t>],
    /// The mark that ends it.
    cut: Option<Span>,
}

impl<'t> Segment<'_, 't> {
    fn find(&self, purpose: Purpose, found: &mut Regions<'t>) {
        let mut closers = Closers::of(self);
        let mut unclear = false;
        let mut free = self.start;
        for (at, line) in self.lines.iter().enumerate() {
            if line.start < free {
                continue;
            }
            let (kind, close) = match (line.form, purpose) {
                (Form::Fence(fence), _) => (Kind::Fence(fence), closers.fence(at, fence)),
                (Form::Element { .. }, _) => match closers.element(self, line.start) {
                    Some(close) => (Kind::Element, Some(close)),
                    None => continue,
                },
                (Form::BracketsOpen, Purpose::Reading) => (Kind::Brackets, closers.brackets(at)),
                (Form::OutputOpen { word, command }, Purpose::Reading) => {
                    (Kind::Output { word, command }, closers.output(at, word))
                }
                (Form::BracketsOpen | Form::OutputOpen { .. }, Purpose::Writing)
                | (
                    Form::Header { .. }
                    | Form::Mark { .. }
                    | Form::Escape
                    | Form::BracketsClose
                    | Form::OutputClose { .. },
                    _,
                ) => continue,
            };
            let close = match close {
                Some(Closing::At(closer)) => {
                    let line = self.lines[closer];
                    Close::Line {
                        start: line.start,
                        next: line.next,
                    }
                }
                Some(Closing::Tag(tag)) => Close::Line {
                    start: tag,
                    next: line_at(self.text, tag).1,
                },
                None if purpose == Purpose::Writing || unclear => continue,
                None => match self.reason(at) {
                    Some(reason) => {
                        unclear = true;
                        found.unclear.push(Unclear {
                            kind,
                            opener: Span {
                                start: line.start,
                                end: line.end,
                            },
                            reason,
                        });
                        continue;
                    }
                    None => Close::End {
                        at: self.text.len(),
                    },
                },
            };
            let region = Region {
                kind,
                open: *line,
                close,
            };
            free = region.end();
            found.regions.push(region);
        }
    }

    /// Tells why an open region is unclear, if it is.
    fn reason(&self, opener: usize) -> Option<Reason> {
        let header = self.lines[opener..]
            .iter()
            .find(|line| matches!(line.form, Form::Header { .. }))
            .map(|line| {
                Reason::Header(Span {
                    start: line.start,
                    end: line.end,
                })
            });
        header.or(self.cut.map(Reason::Cut))
    }
}

/// What closes a region.
#[derive(Debug, Clone, Copy)]
enum Closing {
    /// The line with this number in the segment.
    At(usize),
    /// The closing tag at this place.
    Tag(usize),
}

/// The closing lines of a segment, by kind.
struct Closers<'t> {
    backticks: Bars,
    tildes: Bars,
    brackets: Vec<usize>,
    outputs: HashMap<&'t str, Vec<usize>>,
    tags: Option<Tags>,
}

impl<'t> Closers<'t> {
    fn of(segment: &Segment<'_, 't>) -> Closers<'t> {
        let mut closers = Closers {
            backticks: Bars::default(),
            tildes: Bars::default(),
            brackets: Vec::new(),
            outputs: HashMap::new(),
            tags: None,
        };
        for (at, line) in segment.lines.iter().enumerate() {
            match line.form {
                Form::Fence(fence) if fence.bare => match fence.mark {
                    Mark::Backtick => closers.backticks.push(at, fence.length),
                    Mark::Tilde => closers.tildes.push(at, fence.length),
                },
                Form::BracketsClose => closers.brackets.push(at),
                Form::OutputClose { word } => closers.outputs.entry(word).or_default().push(at),
                Form::Fence(_)
                | Form::Header { .. }
                | Form::Mark { .. }
                | Form::Escape
                | Form::Element { .. }
                | Form::BracketsOpen
                | Form::OutputOpen { .. } => {}
            }
        }
        closers.backticks.link();
        closers.tildes.link();
        closers
    }

    fn fence(&self, opener: usize, fence: Fence) -> Option<Closing> {
        let bars = match fence.mark {
            Mark::Backtick => &self.backticks,
            Mark::Tilde => &self.tildes,
        };
        bars.next(opener, fence.length).map(Closing::At)
    }

    fn brackets(&self, opener: usize) -> Option<Closing> {
        after(&self.brackets, opener).map(Closing::At)
    }

    fn output(&self, opener: usize, word: &str) -> Option<Closing> {
        after(self.outputs.get(word)?, opener).map(Closing::At)
    }

    /// The tags are read only in segments that have an element.
    fn element(&mut self, segment: &Segment<'_, 't>, opener: usize) -> Option<Closing> {
        self.tags
            .get_or_insert_with(|| {
                let names = segment.lines.iter().filter_map(|line| match line.form {
                    Form::Element { name } => Some(name),
                    Form::Header { .. }
                    | Form::Mark { .. }
                    | Form::Escape
                    | Form::Fence(_)
                    | Form::BracketsOpen
                    | Form::BracketsClose
                    | Form::OutputOpen { .. }
                    | Form::OutputClose { .. } => None,
                });
                Tags::of(segment.text, segment.start, names)
            })
            .close_of(opener)
            .map(Closing::Tag)
    }
}

/// Gives the first of the sorted numbers that is greater.
fn after(numbers: &[usize], than: usize) -> Option<usize> {
    numbers
        .get(numbers.partition_point(|number| *number <= than))
        .copied()
}

/// Bare fence lines of one character, each with the next longer one.
///
/// An opener of n characters passes over fewer than n bars of growing length before it meets one
/// that is long enough, so looking up all openers takes no more steps than they have characters.
#[derive(Default)]
struct Bars {
    bars: Vec<Bar>,
}

struct Bar {
    line: usize,
    length: usize,
    longer: Option<usize>,
}

impl Bars {
    fn push(&mut self, line: usize, length: usize) {
        self.bars.push(Bar {
            line,
            length,
            longer: None,
        });
    }

    fn link(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for at in 0..self.bars.len() {
            while let Some(last) =
                open.pop_if(|last| self.bars[*last].length < self.bars[at].length)
            {
                self.bars[last].longer = Some(at);
            }
            open.push(at);
        }
    }

    fn next(&self, opener: usize, length: usize) -> Option<usize> {
        let first = self.bars.partition_point(|bar| bar.line <= opener);
        let mut bar = self.bars.get(first)?;
        while bar.length < length {
            bar = &self.bars[bar.longer?];
        }
        Some(bar.line)
    }
}
