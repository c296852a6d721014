//! Writing: whole or not at all.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{FileError, unbroken};
use crate::world::seam::{self, Pass, Step};

/// Who may read what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// What the user's umask allows.
    Shared,
    /// The user alone: mode 0600, folders 0700.
    Private,
}

/// Makes a folder and those above it where they are not there.
pub fn create_folder(path: &Path, access: Access) -> Result<(), FileError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    match access {
        Access::Shared => {}
        Access::Private => {
            builder.mode(0o700);
        }
    }
    unbroken(Step::Create, || builder.create(path)).map_err(|error| FileError::of(path, error))
}

/// Writes a file so that at every moment its path leads to the whole old or the whole new bytes.
pub fn write_atomically(path: &Path, bytes: &[u8], access: Access) -> Result<(), FileError> {
    let temporary = beside(path);
    let failed = |error| FileError::of(path, error);
    let written = write_new(&temporary, bytes, access).and_then(|()| {
        #[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
        unbroken(Step::Create, || std::fs::rename(&temporary, path))
    });
    if let Err(error) = written {
        // What counts is why the write failed; a file that is left over is only untidy.
        remove(&temporary).ok();
        return Err(failed(error));
    }
    sync_folder(path).map_err(failed)
}

/// Removes a file.
pub fn remove(path: &Path) -> Result<(), FileError> {
    #[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
    unbroken(Step::Create, || std::fs::remove_file(path))
        .map_err(|error| FileError::of(path, error))
}

/// Names a new file in the same folder, so that the rename stays on one file system.
fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", uuid::Uuid::now_v7().simple()));
    path.with_file_name(name)
}

fn write_new(path: &Path, bytes: &[u8], access: Access) -> io::Result<()> {
    let mode = match access {
        Access::Shared => 0o666,
        Access::Private => 0o600,
    };
    #[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
    let mut file = unbroken(Step::Create, || {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode)
            .open(path)
    })?;
    let pass = loop {
        match seam::pass(Step::Write) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            passed => break passed?,
        }
    };
    match pass {
        Pass::Whole => file.write_all(bytes)?,
        Pass::Half => {
            file.write_all(&bytes[..bytes.len() / 2])?;
            return Err(io::Error::from(rustix::io::Errno::NOSPC));
        }
    }
    unbroken(Step::Sync, || file.sync_all())
}

/// Makes the new name itself durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    #[expect(clippy::disallowed_methods, reason = "this is the one place for it")]
    let folder = unbroken(Step::Inspect, || File::open(folder))?;
    unbroken(Step::Sync, || folder.sync_all())
}
