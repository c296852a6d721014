//! Where a run writes what happened.

use std::path::PathBuf;

use crate::chat::{Diagnostic, Message};

/// A record that only grows.
pub trait Transcript: Send {
    /// Appends messages, whole and durable, or says why not.
    fn append(&mut self, messages: &[Message]) -> Result<(), TranscriptError>;

    /// Keeps bytes beside the record, and gives the name under which the record tells of them.
    fn keep(&mut self, kept: Kept<'_>) -> Result<String, TranscriptError>;
}

/// What is kept beside a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept<'a> {
    /// The whole of an output that is too long for the record.
    Output(&'a str),
    /// A picture or other bytes that a tool gave.
    Media { mime: &'a str, bytes: &'a [u8] },
}

impl Kept<'_> {
    /// Gives the bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Kept::Output(text) => text.as_bytes(),
            Kept::Media { bytes, .. } => bytes,
        }
    }

    /// Gives what kind of thing it is, as the start of a name.
    pub fn kind(&self) -> &'static str {
        match self {
            Kept::Output(_) => "output",
            Kept::Media { .. } => "media",
        }
    }

    /// Gives the ending that names of such files have.
    pub fn ending(&self) -> &'static str {
        match self {
            Kept::Output(_) => "txt",
            Kept::Media { mime, .. } => match *mime {
                "image/png" => "png",
                "image/jpeg" => "jpg",
                "image/gif" => "gif",
                "image/webp" => "webp",
                "image/svg+xml" => "svg",
                "application/pdf" => "pdf",
                "audio/wav" => "wav",
                "audio/mpeg" => "mp3",
                "audio/ogg" => "ogg",
                _ => "bin",
            },
        }
    }
}

/// Why something was not appended, or a record cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: std::io::Error,
        /// Where the text was put instead.
        rescued: Option<PathBuf>,
    },
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
        /// Where the text was put that was to be appended.
        rescued: Option<PathBuf>,
    },
    #[error("cannot keep a file in `{}`: {source}", path.display())]
    Keep {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("`{}` is in use by another run", path.display())]
    InUse { path: PathBuf },
    #[error("`{}` is a folder, and a chat file was wanted", path.display())]
    Folder { path: PathBuf },
    #[error("`{}` is no regular file, and a chat file was wanted", path.display())]
    Special { path: PathBuf },
    #[error("`{}` is a link to something that is not there", path.display())]
    LooseLink { path: PathBuf },
    #[error("`{}` cannot be made: the folder `{}` is not there", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("`{}`: {}", path.display(), diagnostic.message)]
    NotText {
        path: PathBuf,
        diagnostic: Box<Diagnostic>,
    },
    /// The file was changed by someone else, so that the text cannot go to its end.
    #[error("`{}` was edited meanwhile: {reason}", path.display())]
    Edited {
        path: PathBuf,
        reason: String,
        rescued: Option<PathBuf>,
    },
    /// The end of the text is unclear, so that nothing can be appended; nothing was.
    #[error("nothing can be appended to `{}`: {reason}", path.display())]
    Unclear {
        path: PathBuf,
        reason: String,
        rescued: Option<PathBuf>,
    },
}

impl TranscriptError {
    /// Says what to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&str> {
        use std::io::ErrorKind::{
            PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        match self {
            TranscriptError::Write { source, .. } | TranscriptError::Keep { source, .. } => {
                let kind = source.kind();
                if matches!(kind, PermissionDenied | ReadOnlyFilesystem) {
                    Some("make the file writable, or run a copy of it")
                } else if matches!(kind, StorageFull | QuotaExceeded) {
                    Some("free some space, and run the chat again")
                } else {
                    None
                }
            }
            TranscriptError::InUse { .. } => Some("wait for the other run, or end it"),
            TranscriptError::NoFolder { .. } => Some("make the folder first"),
            TranscriptError::NotText { diagnostic, .. } => diagnostic.hint.as_deref(),
            TranscriptError::Edited { .. } | TranscriptError::Unclear { .. } => {
                Some("close or escape what is open in the chat, and run it again")
            }
            TranscriptError::Read { .. }
            | TranscriptError::Folder { .. }
            | TranscriptError::Special { .. }
            | TranscriptError::LooseLink { .. } => None,
        }
    }

    /// Gives the file in which the text was put that could not be appended.
    pub fn rescued(&self) -> Option<&std::path::Path> {
        match self {
            TranscriptError::Write { rescued, .. }
            | TranscriptError::Read { rescued, .. }
            | TranscriptError::Edited { rescued, .. }
            | TranscriptError::Unclear { rescued, .. } => rescued.as_deref(),
            TranscriptError::Keep { .. }
            | TranscriptError::InUse { .. }
            | TranscriptError::Folder { .. }
            | TranscriptError::Special { .. }
            | TranscriptError::LooseLink { .. }
            | TranscriptError::NoFolder { .. }
            | TranscriptError::NotText { .. } => None,
        }
    }
}
