//! Where a run writes what happened.

use std::path::PathBuf;

use crate::chat::Message;

/// A record that only grows.
pub trait Transcript: Send {
    /// Appends messages, whole and durable, or says why not.
    fn append(&mut self, messages: &[Message]) -> Result<(), TranscriptError>;
}

/// Why something was not appended.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    #[error("cannot write `{path}`: {source}")]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
        /// Where the text was put instead.
        rescued: Option<PathBuf>,
    },
    #[error("`{path}` is in use by another run")]
    InUse { path: PathBuf },
    #[error(
        "`{path}` was edited meanwhile, and what was to be appended would read differently there"
    )]
    Edited {
        path: PathBuf,
        rescued: Option<PathBuf>,
    },
}
