//! Reading below a folder, so that no link leads out of it, not even one made meanwhile.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags};

use super::{FileError, Kind, Status, read_open, real_path, unbroken};
use crate::world::seam::Step;

/// Reads a regular file whose real path lies below `folder`; any other is refused.
///
/// Links that stay inside are followed. The real path is then walked down folder by folder without
/// following links, so a name that is swapped for a link between the check and the read is an error.
pub fn read_beneath(
    folder: &Path,
    path: &Path,
    limit: u64,
) -> Result<(Vec<u8>, Status), FileError> {
    let root = real_path(folder)?;
    let real = real_path(path)?;
    let outside = || FileError::Outside {
        path: path.to_owned(),
        folder: folder.to_owned(),
    };
    let inside = real.strip_prefix(&root).map_err(|_| outside())?;
    // Opening a device can do something, so it is looked at before.
    if let Some(Kind::Special(kind)) = super::kind(&real) {
        return Err(FileError::Special {
            path: path.to_owned(),
            kind,
        });
    }
    let failed = |error| FileError::of(path, error);
    let mut names = inside.components().peekable();
    let mut at: OwnedFd = unbroken(Step::Read, || {
        Ok(rustix::fs::open(
            &root,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW,
            Mode::empty(),
        )?)
    })
    .map_err(failed)?;
    while let Some(component) = names.next() {
        let Component::Normal(name) = component else {
            return Err(outside());
        };
        let last = names.peek().is_none();
        at = step_down(&at, name, if last { Down::File } else { Down::Folder }).map_err(failed)?;
    }
    read_open(path, File::from(at), limit)
}

#[derive(Clone, Copy)]
enum Down {
    Folder,
    File,
}

fn step_down(at: &OwnedFd, name: &OsStr, what: Down) -> std::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let flags = match what {
        Down::Folder => flags | OFlags::DIRECTORY,
        Down::File => flags | OFlags::NONBLOCK | OFlags::NOCTTY,
    };
    unbroken(Step::Read, || {
        Ok(rustix::fs::openat(at, name, flags, Mode::empty())?)
    })
}
