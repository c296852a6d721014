//! The chat file on the disk: opened, locked, read, appended to.
//!
//! The lock is an advisory lock on the file itself: there is no lock file that could be left
//! behind, and the lock of a process ends with it. Nothing here ever changes a byte that was there
//! before: an append that fails half way is taken back.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::clock;
use super::seam::{self, Pass, Step};

/// A chat file that this process holds: open for appending, and locked.
#[derive(Debug)]
pub struct ChatFile {
    file: File,
    path: PathBuf,
}

/// What tells cheaply whether a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub device: u64,
    pub inode: u64,
    pub size: u64,
    /// Seconds and nanoseconds of the last change of the bytes.
    pub modified: (i64, i64),
    /// Seconds and nanoseconds of the last change of the file, its name included.
    pub changed: (i64, i64),
}

/// Why a chat file cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("it is in use by another run")]
    InUse,
    #[error("it is a folder, and a chat file was wanted")]
    Folder,
    #[error("it is no regular file")]
    Special,
    #[error("it is a link to something that is not there")]
    LooseLink,
    #[error("the folder `{0}` is not there")]
    NoFolder(PathBuf),
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// How often a file that is replaced while it is being opened is opened again.
const ATTEMPTS: u32 = 20;

impl ChatFile {
    /// Opens a chat file and locks it, and makes it first when it is not there.
    pub fn open(path: &Path) -> Result<ChatFile, OpenError> {
        for _ in 0..ATTEMPTS {
            if let Some(file) = ChatFile::open_there(path)? {
                return Ok(file);
            }
            match create(path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if is_link(path)? {
                        return Err(OpenError::LooseLink);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    return Err(OpenError::NoFolder(folder_of(path)));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(OpenError::Io(io::Error::other(
            "it is replaced again and again while it is being opened",
        )))
    }

    /// Opens a chat file and locks it, when it is there.
    pub fn open_there(path: &Path) -> Result<Option<ChatFile>, OpenError> {
        for _ in 0..ATTEMPTS {
            // Told before it is opened: opening a device can have effects.
            match retried(Step::Inspect, || inspect(path)) {
                Ok(Kind::Regular) => {}
                Ok(Kind::Folder) => return Err(OpenError::Folder),
                Ok(Kind::Special) => return Err(OpenError::Special),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            let mut options = OpenOptions::new();
            options
                .read(true)
                .append(true)
                // A pipe put in the place of the file meanwhile must not block.
                .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
            let file = match retried(Step::Read, || open(&options, path)) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error.into()),
            };
            let file = ChatFile {
                file,
                path: path.to_owned(),
            };
            file.lock()?;
            // An editor or another run may have put a new file there between the two calls: the
            // lock counts only when it is on the file that the path names.
            if file.stamp_at_path()?.is_some() {
                return Ok(Some(file));
            }
        }
        Err(OpenError::Io(io::Error::other(
            "it is replaced again and again while it is being opened",
        )))
    }

    fn lock(&self) -> Result<(), OpenError> {
        let locked = retried(Step::Lock, || match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        })?;
        if locked {
            Ok(())
        } else {
            Err(OpenError::InUse)
        }
    }

    /// Gives the stamp of the file, or nothing when the path names another one by now, or none.
    pub fn stamp_at_path(&self) -> io::Result<Option<Stamp>> {
        let own = self.stamp()?;
        let there = match retried(Step::Inspect, || metadata(&self.path)) {
            Ok(meta) => Stamp::of(&meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let same = (there.device, there.inode) == (own.device, own.inode);
        Ok(same.then_some(own))
    }

    /// Gives what tells whether the file has changed.
    pub fn stamp(&self) -> io::Result<Stamp> {
        retried(Step::Inspect, || {
            self.file.metadata().map(|meta| Stamp::of(&meta))
        })
    }

    /// Reads the bytes from an offset to the end.
    pub fn read_from(&mut self, offset: u64) -> io::Result<Vec<u8>> {
        retried(Step::Read, || {
            let mut bytes = Vec::new();
            self.file.seek(SeekFrom::Start(offset))?;
            self.file.read_to_end(&mut bytes)?;
            Ok(bytes)
        })
    }

    /// Appends bytes with one write and makes them durable; `length` is the length before.
    ///
    /// When the write fails half way, what was written is taken back, so that the file holds
    /// whole messages only; unless someone else has written after it meanwhile.
    pub fn append(&mut self, bytes: &[u8], length: u64) -> io::Result<()> {
        let mut written = 0;
        if let Err(error) = self.write_all(bytes, &mut written) {
            let now = self.stamp()?.size;
            if written > 0 && now == length + written {
                retried(Step::Write, || self.file.set_len(length))?;
            }
            return Err(error);
        }
        retried(Step::Sync, || self.file.sync_data())
    }

    /// Writes with one call; a further one is made only after a short write, to learn its reason.
    fn write_all(&mut self, mut bytes: &[u8], written: &mut u64) -> io::Result<()> {
        while !bytes.is_empty() {
            let taken = match seam::pass(Step::Write) {
                Ok(Pass::Whole) => self.file.write(bytes),
                Ok(Pass::Half) => {
                    let half = &bytes[..bytes.len() / 2];
                    self.file.write_all(half)?;
                    *written += half.len() as u64;
                    return Err(rustix::io::Errno::NOSPC.into());
                }
                Err(error) => Err(error),
            };
            match taken {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => {
                    *written += taken as u64;
                    bytes = &bytes[taken..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Stamp {
    fn of(meta: &std::fs::Metadata) -> Stamp {
        Stamp {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Tells whether the file was changed so shortly ago that a further change could have left
    /// the same stamp: the clocks of file systems tick slowly.
    pub fn is_fresh(&self, within: Duration) -> bool {
        let (seconds, nanos) = self.changed;
        let changed = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        let age = clock::nanoseconds() - changed;
        // A time to come, from the clock of another machine, says nothing: it counts as fresh.
        age < i128::try_from(within.as_nanos()).unwrap_or(i128::MAX)
    }
}

/// Passes the seam and makes a call, again and again while a signal interrupts it.
pub(super) fn retried<T>(step: Step, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match seam::pass(step).and_then(|_| call()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Gives the folder that holds a path.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

/// Makes what was put into a folder durable.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    retried(Step::Sync, || {
        open(OpenOptions::new().read(true), folder)?.sync_all()
    })
}

/// What a path names.
enum Kind {
    Regular,
    Folder,
    Special,
}

fn inspect(path: &Path) -> io::Result<Kind> {
    let meta = metadata(path)?;
    Ok(if meta.is_file() {
        Kind::Regular
    } else if meta.is_dir() {
        Kind::Folder
    } else {
        Kind::Special
    })
}

/// Makes an empty file that only its owner may read, and makes its name durable.
fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    retried(Step::Create, || open(&options, path).map(drop))?;
    sync_folder(&folder_of(path))
}

/// Tells whether a path is a link that leads nowhere.
fn is_link(path: &Path) -> io::Result<bool> {
    let leads_nowhere = match retried(Step::Inspect, || metadata(path)) {
        Ok(_) => false,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(error),
    };
    Ok(leads_nowhere
        && retried(Step::Inspect, || std::fs::symlink_metadata(path))
            .is_ok_and(|meta| meta.is_symlink()))
}

#[expect(clippy::disallowed_methods, reason = "each caller passes the seam")]
fn metadata(path: &Path) -> io::Result<std::fs::Metadata> {
    std::fs::metadata(path)
}

#[expect(clippy::disallowed_methods, reason = "each caller passes the seam")]
pub(super) fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    options.open(path)
}
