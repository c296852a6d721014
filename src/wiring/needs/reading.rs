//! Chats, texts, folders and schemas.

use std::path::Path;

use serde_json::Value;

use super::lookup::{Sought, leaves, lies_below, outside};
use super::{Answerer, failed};
use crate::plan::{Base, Found, FoundFile, Need, Trust, Want};
use crate::world::files::{self, FileError, Status};
use crate::world::walk::{self, GlobFault, Reach, Walked};

impl Answerer {
    /// Answers a need that only reads.
    pub(super) fn read(&self, need: &Need) -> Found {
        let base = &need.base;
        let found = match &need.want {
            Want::Chat { name } => self.chat(name, base),
            Want::File { pattern } => self.file(pattern, base),
            Want::Directory { name } => self.directory(name, base),
            Want::Media { name, kind } => self.media(name, *kind, base),
            Want::Schema { name } => self.schema(name, base),
            Want::Command { command, .. } => Err(failed(&format!("`{command}` is no file"))),
        };
        found.unwrap_or_else(|failure| failure)
    }

    fn chat(&self, name: &str, base: &Base) -> Result<Found, Found> {
        let path = self.look_up(name, base, Sought::Chat)?;
        let real = files::real_path(&path).map_err(|error| failed(&error))?;
        let (bytes, status) = bytes_of(name, &real, base, self.read_limits.text)?;
        let text =
            files::exact_text_of(bytes).map_err(|fault| failed(&format!("`{name}` {fault}")))?;
        let trust = self.standing.of_import(&real, status.owner, base.trust);
        Ok(Found::Chat {
            path: real,
            text,
            trust,
        })
    }

    fn file(&self, pattern: &str, base: &Base) -> Result<Found, Found> {
        // A file whose name looks like a pattern is meant when it is there.
        let failure = match self.look_up(pattern, base, Sought::File) {
            Ok(path) => {
                let (bytes, _) = bytes_of(pattern, &path, base, self.read_limits.text)?;
                let text = files::text_of(bytes)
                    .map_err(|fault| failed(&format!("`{pattern}` {fault}")))?;
                let name = files::escaped(pattern.as_ref());
                return Ok(found(Walked {
                    files: vec![walk::TextFile { path, name, text }],
                    skipped: Vec::new(),
                }));
            }
            Err(failure) => failure,
        };
        if walk::is_pattern(pattern) {
            self.glob(pattern, base)
        } else {
            Err(failure)
        }
    }

    fn glob(&self, pattern: &str, base: &Base) -> Result<Found, Found> {
        let opened = self.places.opened(pattern);
        if reach(base) == Reach::Below {
            let start = walk::glob_start(&base.folder, &opened.to_string_lossy());
            let is_there = files::kind(&start).is_some();
            if leaves(&opened) || (is_there && !lies_below(&start, &base.folder)) {
                return Err(outside(pattern));
            }
        }
        for folder in self.folders(pattern, &opened, base) {
            let fitting = walk::glob(&folder, &opened.to_string_lossy(), self.scope(base));
            match fitting {
                Ok(walked) => return Ok(found(walked)),
                Err(GlobFault::NoneFits { .. }) => {}
                Err(fault @ (GlobFault::Invalid { .. } | GlobFault::Walk(_))) => {
                    return Err(failed(&fault));
                }
            }
        }
        Err(failed(&format!("no file fits `{pattern}`")))
    }

    fn scope(&self, base: &Base) -> walk::Scope<'_> {
        walk::Scope {
            reach: reach(base),
            limits: self.read_limits.walk,
            cancel: &self.cancel,
        }
    }

    fn directory(&self, name: &str, base: &Base) -> Result<Found, Found> {
        let path = self.look_up(name, base, Sought::Folder)?;
        walk::directory(&path, name, self.scope(base))
            .map(found)
            .map_err(|error| failed(&error))
    }

    fn schema(&self, name: &str, base: &Base) -> Result<Found, Found> {
        let path = self.look_up(name, base, Sought::File)?;
        let (bytes, _) = bytes_of(name, &path, base, self.read_limits.text)?;
        let text = files::text_of(bytes).map_err(|fault| failed(&format!("`{name}` {fault}")))?;
        let schema: Value = serde_json::from_str(&text)
            .map_err(|error| failed(&format!("`{name}` is no valid JSON: {error}")))?;
        if schema.is_object() {
            Ok(Found::Schema(schema))
        } else {
            Err(failed(&format!(
                "`{name}` is no JSON schema: it is no object"
            )))
        }
    }
}

/// Reads a file that was looked up, and for a confined chat once more makes sure that it lies
/// below its folder.
pub(super) fn bytes_of(
    name: &str,
    path: &Path,
    base: &Base,
    limit: u64,
) -> Result<(Vec<u8>, Status), Found> {
    let read = match reach(base) {
        Reach::Anywhere => files::read_with_status(path, limit),
        Reach::Below => files::read_beneath(&base.folder, path, limit),
    };
    read.map_err(|error| match error {
        FileError::Outside { .. } => outside(name),
        FileError::Missing { .. }
        | FileError::Denied { .. }
        | FileError::IsFolder { .. }
        | FileError::Special { .. }
        | FileError::TooLarge { .. }
        | FileError::Text { .. }
        | FileError::Io { .. } => failed(&error),
    })
}

fn reach(base: &Base) -> Reach {
    match base.trust {
        Trust::Trusted => Reach::Anywhere,
        Trust::Confined => Reach::Below,
    }
}

fn found(walked: Walked) -> Found {
    Found::Files {
        files: walked
            .files
            .into_iter()
            .map(|file| FoundFile {
                name: file.name,
                text: file.text,
            })
            .collect(),
        skipped: walked.skipped,
    }
}
