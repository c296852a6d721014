//! Where a setting comes from, which says how far it is trusted.

use std::fmt;
use std::path::PathBuf;

use crate::world::places::{Owner, Placed};

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A flag.
    CommandLine,
    /// A directive or front matter; the user's own when the chat lies in the user's own folders.
    Chat(Owner),
    /// `config.toml`.
    Config(PathBuf),
    /// An endpoint file or `etc/config`.
    File(Placed),
    /// A variable of the environment.
    Variable(String),
    /// What this program knows by itself.
    BuiltIn,
}

impl Source {
    /// Tells whether it is the user's own word, and not that of a project or a chat.
    pub fn is_own(&self) -> bool {
        match self {
            Source::CommandLine | Source::Config(_) | Source::Variable(_) | Source::BuiltIn => true,
            Source::Chat(owner) => *owner == Owner::User,
            Source::File(placed) => placed.owner == Owner::User,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::CommandLine => f.write_str("the command line"),
            Source::Chat(_) => f.write_str("the chat"),
            Source::Config(path) => write!(f, "`{}`", path.display()),
            Source::File(placed) => write!(f, "`{}`", placed.path.display()),
            Source::Variable(name) => write!(f, "env `{name}`"),
            Source::BuiltIn => f.write_str("the built-in table"),
        }
    }
}

/// A value with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given<T> {
    pub value: T,
    pub source: Source,
}

impl<T> Given<T> {
    pub fn new(value: T, source: Source) -> Given<T> {
        Given { value, source }
    }
}
