//! Places in a file.

use std::path::Path;
use std::sync::Arc;

/// A range of bytes in the bytes of a file, BOM and shebang included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// Where something came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It stands in a file.
    File { path: Arc<Path>, span: Span },
    /// The running program made it: a flag, stdin, a reply.
    Run,
}

impl Origin {
    /// Gives the range in the file, for what stands in one.
    pub fn span(&self) -> Option<Span> {
        match self {
            Origin::File { span, .. } => Some(*span),
            Origin::Run => None,
        }
    }
}

/// Gives the line and the column of a byte of a text, both from 1; the column counts characters.
/// An offset inside a character counts as its start, one behind the end as the end. A BOM takes
/// no column.
pub fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[start..].trim_start_matches('\u{feff}');
    let column = if start == 0 { column } else { &before[start..] };
    (line, column.chars().count() + 1)
}
