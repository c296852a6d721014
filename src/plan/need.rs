//! What a plan needs from the world, and what the world answers.

use std::path::PathBuf;

use serde_json::Value;

use super::{Media, MediaKind};
use crate::chat::Origin;

/// Pairs a need with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NeedId(pub usize);

/// Something that a directive names and that has to be fetched.
#[derive(Debug, Clone)]
pub struct Need {
    pub id: NeedId,
    pub at: Origin,
    pub base: Base,
    pub want: Want,
}

/// From where a name is looked up, and with what trust.
#[derive(Debug, Clone)]
pub struct Base {
    /// The folder of the chat file that holds the directive: the first place to look.
    pub folder: PathBuf,
    pub trust: Trust,
}

/// How far a chat file is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Its directives may do all that directives do.
    Trusted,
    /// It starts nothing, opens no connection, and reads only below its own folder.
    Confined,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub enum Want {
    /// A chat file to be read and processed: `import`, `continue`, `last`.
    Chat { name: String },
    /// The text of a file, or of each file that a glob names.
    File { pattern: String },
    /// The text of every text file below a folder.
    Directory { name: String },
    /// A picture or a document, by path or URL.
    Media { name: String, kind: MediaKind },
    /// A JSON schema in a file: `format: path`.
    Schema { name: String },
    /// The output of a shell command, or its pinned output.
    Command {
        command: String,
        /// Its number among equal commands of the run, from 0: the pin is found by both.
        ordinal: usize,
        /// True when an answer already follows: then a pinned output is used and nothing is run.
        settled: bool,
    },
}

/// One text file that was found.
#[derive(Debug, Clone)]
pub struct FoundFile {
    /// The name that the model is shown, unsafe bytes escaped.
    pub name: String,
    pub text: String,
}

/// The answer to a need.
#[derive(Debug, Clone)]
pub enum Found {
    Chat {
        /// The real path, links followed: the same file has one.
        path: PathBuf,
        text: String,
        trust: Trust,
    },
    Files {
        files: Vec<FoundFile>,
        /// What was passed over, each with its reason.
        skipped: Vec<(String, String)>,
    },
    Media(Media),
    Schema(Value),
    /// What the command printed, with its failure told in it where it failed.
    Command {
        output: String,
    },
    /// It is not there or cannot be read: the message says what and why.
    Failed {
        message: String,
        hint: Option<String>,
    },
    /// Trust forbids it (exit 4).
    Refused {
        message: String,
        hint: Option<String>,
    },
}
