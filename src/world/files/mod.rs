//! Files and folders: bounded reads, atomic writes, what a path is. Every call passes the seam.

mod beneath;
mod text;
mod write;

#[cfg(test)]
mod tests;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::seam::{self, Step};

pub use beneath::read_beneath;
pub use text::{TextFault, escaped, exact_text_of, text_of};
pub use write::{Access, create_folder, remove, write_atomically};

/// Why a file was not read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("`{}` is not there", .path.display())]
    Missing { path: PathBuf },
    #[error("`{}` may not be read: permission denied", .path.display())]
    Denied { path: PathBuf },
    #[error("`{}` is a folder, and a file is wanted", .path.display())]
    IsFolder { path: PathBuf },
    #[error("`{}` is {kind}, and a regular file is wanted", .path.display())]
    Special { path: PathBuf, kind: &'static str },
    #[error("`{}` has {size} bytes, and {limit} are the most", .path.display())]
    TooLarge {
        path: PathBuf,
        size: u64,
        limit: u64,
    },
    #[error("`{}` {fault}", .path.display())]
    Text { path: PathBuf, fault: TextFault },
    #[error("`{}` lies outside of `{}`", .path.display(), .folder.display())]
    Outside { path: PathBuf, folder: PathBuf },
    #[error("`{}`: {source}", .path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl FileError {
    /// Sorts an error of the system by what people can do about it.
    pub fn of(path: &Path, source: io::Error) -> FileError {
        let path = path.to_owned();
        if source.kind() == io::ErrorKind::NotFound || source.kind() == io::ErrorKind::NotADirectory
        {
            FileError::Missing { path }
        } else if source.kind() == io::ErrorKind::PermissionDenied {
            FileError::Denied { path }
        } else {
            FileError::Io { path, source }
        }
    }

    /// Tells whether the file is simply not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, FileError::Missing { .. })
    }
}

/// What a path leads to, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A pipe, a socket or a device.
    Special(&'static str),
}

/// What is known of a path without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    pub kind: Kind,
    /// The user id of its owner.
    pub owner: u32,
    /// The permission bits.
    pub mode: u32,
    pub size: u64,
}

impl Status {
    fn of(metadata: &Metadata) -> Status {
        let kind = metadata.file_type();
        let kind = if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else if kind.is_fifo() {
            Kind::Special("a pipe")
        } else if kind.is_socket() {
            Kind::Special("a socket")
        } else {
            Kind::Special("a device")
        };
        Status {
            kind,
            owner: metadata.uid(),
            mode: metadata.mode() & 0o7777,
            size: metadata.len(),
        }
    }

    /// Tells whether any user of the machine may write it.
    pub fn world_writable(&self) -> bool {
        self.mode & 0o002 != 0
    }
}

/// Does a call again for as long as a signal interrupts it.
pub(crate) fn unbroken<T>(step: Step, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match seam::pass(step).and_then(|_| call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Gives the user id that this process acts with.
pub fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Looks at a path, links followed.
#[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
pub fn status(path: &Path) -> Result<Status, FileError> {
    unbroken(Step::Inspect, || std::fs::metadata(path))
        .map(|found| Status::of(&found))
        .map_err(|error| FileError::of(path, error))
}

/// Tells what a path leads to, or nothing when it cannot be looked at.
pub fn kind(path: &Path) -> Option<Kind> {
    status(path).ok().map(|found| found.kind)
}

/// Gives the real path: absolute, links followed, so that the same file has one.
#[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
pub fn real_path(path: &Path) -> Result<PathBuf, FileError> {
    unbroken(Step::Inspect, || std::fs::canonicalize(path))
        .map_err(|error| FileError::of(path, error))
}

/// Gives the names in a folder, sorted.
#[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
pub fn names_in(folder: &Path) -> Result<Vec<std::ffi::OsString>, FileError> {
    let listed = unbroken(Step::Read, || {
        std::fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<Vec<_>>>()
    });
    let mut names = listed.map_err(|error| FileError::of(folder, error))?;
    names.sort();
    Ok(names)
}

/// Reads a regular file of at most `limit` bytes. Pipes, sockets and devices are refused without
/// being opened, and without waiting for anyone.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read_with_status(path, limit).map(|(bytes, _)| bytes)
}

/// Reads a regular file, and tells what is known of the very file that was read.
pub fn read_with_status(path: &Path, limit: u64) -> Result<(Vec<u8>, Status), FileError> {
    // Opening a device can do something, so it is looked at first; what is opened is looked at
    // again, because it may have been swapped in between.
    refuse_unless_file(path, status(path)?)?;
    #[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
    let opened = unbroken(Step::Read, || {
        OpenOptions::new()
            .read(true)
            .custom_flags(never_waiting())
            .open(path)
    });
    let file = opened.map_err(|error| FileError::of(path, error))?;
    read_open(path, file, limit)
}

/// Reads a text: UTF-8 only, the byte order mark dropped, line ends made LF.
pub fn read_text(path: &Path, limit: u64) -> Result<String, FileError> {
    text_of(read(path, limit)?).map_err(|fault| FileError::Text {
        path: path.to_owned(),
        fault,
    })
}

fn refuse_unless_file(path: &Path, found: Status) -> Result<(), FileError> {
    let path = path.to_owned();
    match found.kind {
        Kind::File => Ok(()),
        Kind::Folder => Err(FileError::IsFolder { path }),
        Kind::Special(kind) => Err(FileError::Special { path, kind }),
    }
}

/// Flags with which opening never waits for the other end of a pipe and takes no terminal.
fn never_waiting() -> i32 {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    i32::try_from(flags.bits()).expect("the flags of open fit its parameter")
}

fn read_open(path: &Path, mut file: File, limit: u64) -> Result<(Vec<u8>, Status), FileError> {
    let failed = |error| FileError::of(path, error);
    let found = Status::of(&unbroken(Step::Inspect, || file.metadata()).map_err(failed)?);
    refuse_unless_file(path, found)?;
    let too_large = |size| FileError::TooLarge {
        path: path.to_owned(),
        size,
        limit,
    };
    if found.size > limit {
        return Err(too_large(found.size));
    }
    let mut bytes = Vec::new();
    // One byte more than allowed shows a file that grew, or one whose size is not told (`/proc`).
    unbroken(Step::Read, || {
        (&mut file).take(limit + 1).read_to_end(&mut bytes)
    })
    .map_err(failed)?;
    let size = bytes.len() as u64;
    if size > limit {
        return Err(too_large(size));
    }
    Ok((bytes, found))
}
