//! A record in a chat file.
//!
//! Always true here: bytes that someone else wrote are never changed; what is appended reads as
//! the messages that were given and changes nothing before it, or is not appended; what cannot be
//! appended is put into the folder of the chat when that is possible.
//!
//! The cost of an append does not grow with the file: only its last segment is held, and the file
//! is read again only when it shows signs of a change.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::memory::stem;
use super::{Kept, Transcript, TranscriptError};
use crate::chat::{self, LineEnd, Message, Role};
use crate::world::chat_file::{ChatFile, OpenError, Stamp};
use crate::world::chat_folder::{self, NameTaken};
use crate::world::{clock, files};

/// A file that was changed within this time may still be being saved.
const SAVING: Duration = Duration::from_millis(50);

/// How often an append is looked after when others change the file all the time.
const ATTEMPTS: u32 = 5;

/// How long an editor may take to save.
const PATIENCE: Duration = Duration::from_secs(1);

/// A chat file that this run alone appends to.
pub struct FileTranscript {
    file: ChatFile,
    path: PathBuf,
    known: Known,
    /// What this run has appended, piece by piece.
    pieces: Vec<Vec<Message>>,
    /// Whether someone else has changed the file since it was opened.
    edited: Edited,
}

/// What is known of the bytes of the file.
struct Known {
    /// The text from the last record mark on: what is appended can change the reading of no other.
    tail: String,
    length: u64,
    /// Of all bytes, to tell an edit from an addition.
    digest: Sha256,
    line_end: LineEnd,
    /// What the file looked like after the last append; nothing when it has to be read again.
    stamp: Option<Stamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edited {
    No,
    Meanwhile,
}

impl FileTranscript {
    /// Opens a chat file for this run alone and gives its text; makes it when it is not there.
    pub fn open(path: &Path) -> Result<(FileTranscript, String), TranscriptError> {
        let file = ChatFile::open(path).map_err(|error| open_error(path, error))?;
        let mut transcript = FileTranscript {
            file,
            path: path.to_owned(),
            known: Known::of(""),
            pieces: Vec::new(),
            edited: Edited::No,
        };
        let text = transcript.read()?;
        Ok((transcript, text))
    }

    /// Reads the whole file and takes it as what is known.
    fn read(&mut self) -> Result<String, TranscriptError> {
        let read_error = |source| TranscriptError::Read {
            path: self.path.clone(),
            source,
            rescued: None,
        };
        // The stamp is taken first: a change after it shows.
        let stamp = self.file.stamp().map_err(read_error)?;
        let bytes = self.file.read_from(0).map_err(read_error)?;
        let path: Arc<Path> = Arc::from(self.path.as_path());
        let text = chat::decode(bytes, &path).map_err(|diagnostic| TranscriptError::NotText {
            path: self.path.clone(),
            diagnostic,
        })?;
        self.known = Known::of(&text);
        self.known.stamp = Some(stamp);
        Ok(text)
    }

    /// Makes sure that what is known is what is there.
    ///
    /// Gives the messages of this run that are there no longer: an editor has saved its older text
    /// over them.
    fn catch_up(&mut self) -> Result<Vec<Message>, TranscriptError> {
        let read_error = |source| TranscriptError::Read {
            path: self.path.clone(),
            source,
            rescued: None,
        };
        let stamp = self.file.stamp_at_path().map_err(read_error)?;
        if let Some(stamp) = stamp
            && self.known.stamp == Some(stamp)
        {
            // The clocks of file systems tick slowly, so the stamp can miss an edit that leaves the
            // length as it was. One before the last segment changes nothing about what is appended.
            let tail_from = self.known.length - self.known.tail.len() as u64;
            let there = self.file.read_from(tail_from).map_err(read_error)?;
            if there == self.known.tail.as_bytes() {
                return Ok(Vec::new());
            }
        }
        self.edited = Edited::Meanwhile;
        self.wait_for_editor()?;
        let (length, digest) = (self.known.length, self.known.digest.clone());
        let text = match self.read() {
            Err(TranscriptError::NotText { diagnostic, .. }) => {
                return Err(self.edited(&diagnostic.message));
            }
            text => text?,
        };
        let only_longer = usize::try_from(length).is_ok_and(|length| {
            text.as_bytes()
                .get(..length)
                .is_some_and(|before| Sha256::digest(before) == digest.finalize())
        });
        Ok(if only_longer {
            Vec::new()
        } else {
            self.saved_over(&text)
        })
    }

    /// Waits until the path names a file and nobody has changed it for a moment, and takes that
    /// file: editors save in several steps, and some put a new file in the place of the old one.
    fn wait_for_editor(&mut self) -> Result<(), TranscriptError> {
        let read_error = |source| TranscriptError::Read {
            path: self.path.clone(),
            source,
            rescued: None,
        };
        let watch = clock::stopwatch();
        loop {
            let there = self.file.stamp_at_path().map_err(read_error)?;
            let patient = watch.elapsed() < PATIENCE;
            match there {
                Some(stamp) if stamp.is_fresh(SAVING) && patient => {}
                Some(_) => return Ok(()),
                None => match ChatFile::open_there(&self.path) {
                    Ok(Some(file)) => self.file = file,
                    Ok(None) if patient => {}
                    Ok(None) => return Err(self.edited("it is gone")),
                    Err(OpenError::Io(source)) => return Err(read_error(source)),
                    Err(
                        error @ (OpenError::InUse
                        | OpenError::Folder
                        | OpenError::Special
                        | OpenError::LooseLink
                        | OpenError::NoFolder(_)),
                    ) => return Err(self.edited(&error.to_string())),
                },
            }
            clock::pause(Duration::from_millis(10));
        }
    }

    /// Gives the last messages of this run, as far as none of them is in the text. One that is
    /// missing while a later one is there was taken out by the user, and stays out.
    fn saved_over(&mut self, text: &str) -> Vec<Message> {
        let there: HashSet<&str> = text.lines().map(str::trim_end).collect();
        let kept = self
            .pieces
            .iter()
            .rposition(|piece| stands_in(&there, piece))
            .map_or(0, |last| last + 1);
        self.pieces.split_off(kept).concat()
    }

    fn write(&mut self, messages: &[Message]) -> Result<(), TranscriptError> {
        let new =
            chat::appendix(&self.known.tail, messages, self.known.line_end).map_err(|refused| {
                match self.edited {
                    Edited::No => TranscriptError::Unclear {
                        path: self.path.clone(),
                        reason: refused.to_string(),
                        rescued: None,
                    },
                    Edited::Meanwhile => self.edited(&refused.to_string()),
                }
            })?;
        if !new.is_empty() {
            self.known.stamp = None;
            self.file
                .append(new.as_bytes(), self.known.length)
                .map_err(|source| TranscriptError::Write {
                    path: self.path.clone(),
                    source,
                    rescued: None,
                })?;
            self.known.grow(&new);
            // Without a stamp the file is read again: someone has written behind our bytes, or has
            // put another file in the place of the one that has them.
            self.known.stamp = self
                .file
                .stamp_at_path()
                .ok()
                .flatten()
                .filter(|stamp| stamp.size == self.known.length);
        }
        self.pieces.push(messages.to_vec());
        Ok(())
    }

    fn edited(&self, reason: &str) -> TranscriptError {
        TranscriptError::Edited {
            path: self.path.clone(),
            reason: reason.to_owned(),
            rescued: None,
        }
    }

    /// Puts what could not be appended into the folder of the chat, and notes in the error where.
    fn rescue(&self, messages: &[Message], mut error: TranscriptError) -> TranscriptError {
        let text = chat::print(messages);
        if let TranscriptError::Write { rescued, .. }
        | TranscriptError::Edited { rescued, .. }
        | TranscriptError::Unclear { rescued, .. }
        | TranscriptError::Read { rescued, .. } = &mut error
            && !text.trim().is_empty()
        {
            let name = format!("rescued-{}", clock::timestamp().replace(':', "-"));
            // When this fails too there is no place left: the error says where the text is not,
            // and the caller has told it already.
            *rescued =
                chat_folder::keep(&self.path, (&name, "md"), text.as_bytes(), NameTaken::Other)
                    .ok();
        }
        error
    }
}

impl Transcript for FileTranscript {
    fn append(&mut self, messages: &[Message]) -> Result<(), TranscriptError> {
        let mut new = messages.to_vec();
        for _ in 0..ATTEMPTS {
            let mut all = match self.catch_up() {
                Ok(saved_over) => saved_over,
                Err(error) => {
                    let run = [self.pieces.concat(), new].concat();
                    return Err(self.rescue(&run, error));
                }
            };
            all.append(&mut new);
            if !all.is_empty()
                && let Err(error) = self.write(&all)
            {
                return Err(self.rescue(&all, error));
            }
            // The last look has shown that the bytes stand where the path leads.
            if self.known.stamp.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn keep(&mut self, kept: Kept<'_>) -> Result<String, TranscriptError> {
        let stem = stem(kept);
        // Who reads the chat later looks beside the file, wherever the links lead that it was
        // opened by.
        let real = files::real_path(&self.path);
        let chat = real.as_deref().unwrap_or(&self.path);
        chat_folder::keep(chat, (&stem, kept.ending()), kept.bytes(), NameTaken::Same)
            .map(|path| named_from(chat, &path))
            .map_err(|source| TranscriptError::Keep {
                path: chat_folder::folder_of_chat(&self.path),
                source,
            })
    }
}

impl Known {
    fn of(text: &str) -> Known {
        let crlf = text
            .split_once('\n')
            .is_some_and(|(first, _)| first.ends_with('\r'));
        Known {
            tail: text[chat::last_segment(text)..].to_owned(),
            length: text.len() as u64,
            digest: Sha256::new_with_prefix(text),
            line_end: if crlf { LineEnd::CrLf } else { LineEnd::Lf },
            stamp: None,
        }
    }

    fn grow(&mut self, new: &str) {
        self.tail.push_str(new);
        self.tail.drain(..chat::last_segment(&self.tail));
        self.length += new.len() as u64;
        self.digest.update(new);
    }
}

/// Tells whether a piece stands in a text, edited a little perhaps: whether most of its lines do.
/// Headers alone say nothing, as they stand everywhere.
fn stands_in(there: &HashSet<&str>, piece: &[Message]) -> bool {
    let text = chat::print(piece);
    let mut lines = 0;
    let mut found = 0;
    for line in text.lines().map(str::trim_end) {
        let is_header = line
            .strip_suffix(':')
            .is_some_and(|name| Role::from_name(name).is_some());
        if line.is_empty() || is_header {
            continue;
        }
        lines += 1;
        found += usize::from(there.contains(line));
    }
    found * 2 > lines
}

/// Names a file as seen from the folder of the chat, where its paths are looked up.
fn named_from(chat: &Path, path: &Path) -> String {
    let folder = chat.parent().unwrap_or(Path::new(""));
    path.strip_prefix(folder)
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

fn open_error(path: &Path, error: OpenError) -> TranscriptError {
    let path = path.to_owned();
    match error {
        OpenError::InUse => TranscriptError::InUse { path },
        OpenError::Folder => TranscriptError::Folder { path },
        OpenError::Special => TranscriptError::Special { path },
        OpenError::LooseLink => TranscriptError::LooseLink { path },
        OpenError::NoFolder(folder) => TranscriptError::NoFolder { path, folder },
        OpenError::Io(source) => TranscriptError::Write {
            path,
            source,
            rescued: None,
        },
    }
}
