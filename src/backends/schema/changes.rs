//! What was rewritten, and what that does to the values that fit.

use std::fmt::{self, Display, Formatter};

/// The most changes that are listed of one schema.
const LISTED: usize = 100;

/// What a change does to the set of values that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::backends) enum Effect {
    /// The same values fit.
    Same,
    /// More values fit: the check of the arguments still uses the schema as it was.
    Looser,
    /// Fewer values fit, since the API has no words for the rest.
    Narrower,
}

/// One place of a schema that was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::backends) struct Change {
    /// The JSON pointer of the place, in the schema as the walk saw it.
    pub(in crate::backends) at: String,
    /// What was done, in plain words.
    pub(in crate::backends) what: String,
    pub(in crate::backends) effect: Effect,
}

impl Display for Change {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let place = if self.at.is_empty() {
            "its top"
        } else {
            &self.at
        };
        write!(f, "at {place}: {}", self.what)
    }
}

/// The changes so far.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) list: Vec<Change>,
    /// How many places are, or may turn out to be, looser than they were.
    pub(super) inexact: usize,
    /// How many changes were not listed, since there are too many.
    pub(super) unlisted: usize,
}

impl Changes {
    pub(super) fn add(&mut self, at: &str, effect: Effect, what: impl Into<String>) {
        match effect {
            Effect::Same => {}
            Effect::Looser | Effect::Narrower => self.inexact += 1,
        }
        if self.list.len() >= LISTED {
            self.unlisted += 1;
            return;
        }
        self.list.push(Change {
            at: at.to_owned(),
            what: what.into(),
            effect,
        });
    }

    /// Gives the list, which tells at its end how much more there was.
    pub(super) fn listed(mut self) -> Vec<Change> {
        if self.unlisted > 0 {
            self.list.push(Change {
                at: String::new(),
                what: format!("and {} more changes", self.unlisted),
                effect: Effect::Looser,
            });
        }
        self.list
    }
}

/// Runs a step at the place of a keyword or name below `at`.
pub(super) fn below<T>(at: &mut String, name: &str, step: impl FnOnce(&mut String) -> T) -> T {
    let before = at.len();
    at.push('/');
    at.push_str(&name.replace('~', "~0").replace('/', "~1"));
    let given = step(at);
    at.truncate(before);
    given
}
