//! The tags of elements: which closing tag belongs to the element that a line opens.

use std::collections::HashMap;

/// Closing tags by the place of the opening tag at the start of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tags {
    pairs: HashMap<usize, usize>,
}

/// A tag of one of the wanted names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub at: usize,
    pub name: &'t str,
    pub side: Side,
}

/// Which of the two tags of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Open,
    Close,
}

impl Tags {
    /// Pairs the tags of the given names in `text[from..]`; those of one name nest.
    ///
    /// Which closing tag belongs to an opening tag depends only on the tags between them, so
    /// tags that stay open before it change nothing.
    pub(super) fn of<'t>(text: &'t str, from: usize, names: impl Iterator<Item = &'t str>) -> Tags {
        let mut open: HashMap<&str, Vec<usize>> = names.map(|name| (name, Vec::new())).collect();
        let mut pairs = HashMap::new();
        for tag in tags(text, from) {
            let Some(open) = open.get_mut(tag.name) else {
                continue;
            };
            match tag.side {
                Side::Open => open.push(tag.at),
                Side::Close => {
                    if let Some(opener) = open.pop() {
                        let starts_line =
                            opener == from || text.as_bytes().get(opener - 1) == Some(&b'\n');
                        if starts_line {
                            pairs.insert(opener, tag.at);
                        }
                    }
                }
            }
        }
        Tags { pairs }
    }

    /// Gives the place of the closing tag of the element that is opened at a place.
    pub(super) fn close_of(&self, opener: usize) -> Option<usize> {
        self.pairs.get(&opener).copied()
    }
}

/// Gives, for each name, its first closing tag at or behind the place that stands with it.
pub(super) fn first_closings<'t>(text: &'t str, mut wanted: HashMap<&str, usize>) -> Vec<Tag<'t>> {
    let mut found = Vec::new();
    let Some(from) = wanted.values().min().copied() else {
        return found;
    };
    for tag in tags(text, from) {
        let closes =
            tag.side == Side::Close && wanted.get(tag.name).is_some_and(|from| tag.at >= *from);
        if closes {
            wanted.remove(tag.name);
            found.push(tag);
        }
    }
    found
}

/// Gives each `<name>`, `<name attributes>` and `</name>` of `text[from..]`, wherever it stands in
/// its line. A tag that closes itself, or that goes on in the next line, is none.
fn tags(text: &str, from: usize) -> impl Iterator<Item = Tag<'_>> {
    // The next `>` and the next line end, kept while they lie ahead: looking for them from each
    // `<` anew would take quadratic time on a line of many `<`.
    let mut right = Ahead::new('>');
    let mut line_end = Ahead::new('\n');
    text[from..].match_indices('<').filter_map(move |(at, _)| {
        let at = from + at;
        let after = &text[at + 1..];
        let (side, after) = match after.strip_prefix('/') {
            Some(after) => (Side::Close, after),
            None => (Side::Open, after),
        };
        let name = name_of(after)?;
        let behind = after.as_bytes().get(name.len())?;
        let whole = match side {
            Side::Close => *behind == b'>',
            Side::Open => {
                let right = right.from(text, at);
                matches!(behind, b'>' | b' ' | b'\t')
                    && right < line_end.from(text, at)
                    && text.as_bytes()[right - 1] != b'/'
            }
        };
        whole.then_some(Tag { at, name, side })
    })
}

/// Gives the name that a text starts with.
fn name_of(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    if !(bytes.first()?.is_ascii_alphabetic() || bytes[0] == b'_') {
        return None;
    }
    let length = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(byte))
        .count();
    Some(&text[..length])
}

/// The next place of a character.
struct Ahead {
    character: char,
    /// The place that was found last; the length of the text when there is no further one.
    known: Option<usize>,
}

impl Ahead {
    fn new(character: char) -> Ahead {
        Ahead {
            character,
            known: None,
        }
    }

    /// Gives its first place at or behind `from`, which only grows from call to call, or the
    /// length of the text.
    fn from(&mut self, text: &str, from: usize) -> usize {
        match self.known {
            Some(at) if at >= from => at,
            Some(_) | None => {
                let found = text[from..].find(self.character);
                let at = found.map_or(text.len(), |at| from + at);
                self.known = Some(at);
                at
            }
        }
    }
}
