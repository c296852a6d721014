//! The folder of a chat, `CHAT.files`: what belongs to a chat and is too large or too odd for its
//! text.

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::chat_file::{folder_of, open, retried, sync_folder};
use super::seam::{self, Pass, Step};

/// Gives the folder that belongs to a chat file.
pub fn folder_of_chat(chat: &Path) -> PathBuf {
    let mut folder = chat.as_os_str().to_owned();
    folder.push(".files");
    PathBuf::from(folder)
}

/// What happens when a file of the name is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameTaken {
    /// The name tells the content, so the file holds these bytes already.
    Same,
    /// Another name is tried.
    Other,
}

/// Keeps bytes in the folder of a chat, durable, for their owner alone, and gives the path.
pub fn keep(
    chat: &Path,
    (stem, end): (&str, &str),
    bytes: &[u8],
    taken: NameTaken,
) -> io::Result<PathBuf> {
    let folder = folder_of_chat(chat);
    make(&folder)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut path = folder.join(format!("{stem}.{end}"));
    for number in 2.. {
        match retried(Step::Create, || open(&options, &path)) {
            Ok(mut file) => {
                if let Err(error) = write(&mut file, bytes) {
                    // Half a file must not pass for the whole one that its name promises.
                    remove(&path)?;
                    return Err(error);
                }
                sync_folder(&folder)?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match taken {
                NameTaken::Same if is_whole(&path, bytes)? => return Ok(path),
                // A run that was killed has left half of it.
                NameTaken::Same => remove(&path)?,
                NameTaken::Other => path = folder.join(format!("{stem}-{number}.{end}")),
            },
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn make(folder: &Path) -> io::Result<()> {
    let made = retried(Step::Create, || {
        std::fs::DirBuilder::new().mode(0o700).create(folder)
    });
    match made {
        Ok(()) => sync_folder(&folder_of(folder)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

fn write(file: &mut std::fs::File, bytes: &[u8]) -> io::Result<()> {
    loop {
        match seam::pass(Step::Write) {
            Ok(Pass::Whole) => break file.write_all(bytes)?,
            Ok(Pass::Half) => {
                file.write_all(&bytes[..bytes.len() / 2])?;
                return Err(Errno::NOSPC.into());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    retried(Step::Sync, || file.sync_all())
}

/// Tells whether a file holds these very bytes; a link to one elsewhere does not count.
fn is_whole(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    match retried(Step::Read, || open(&options, path)) {
        Ok(mut file) => retried(Step::Read, || {
            let mut there = Vec::new();
            file.rewind()?;
            (&mut file)
                .take(bytes.len() as u64 + 1)
                .read_to_end(&mut there)?;
            Ok(there == bytes)
        }),
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Ok(false),
        Err(error) => Err(error),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    retried(Step::Create, || {
        #[expect(clippy::disallowed_methods, reason = "the seam was passed")]
        std::fs::remove_file(path)
    })
}
