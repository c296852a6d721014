//! Many files at once: the text files below a folder, and those that a pattern names.

mod glob;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};
use tokio_util::sync::CancellationToken;

use super::files::{self, FileError, Kind, escaped};

pub use glob::{GlobFault, glob, glob_start, is_pattern};

/// How much is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A larger file is passed over.
    pub file_bytes: u64,
    /// More than this in all is an error: the folder is the wrong one.
    pub all_bytes: u64,
    /// More entries than this is an error too.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            file_bytes: 2 << 20,
            all_bytes: 64 << 20,
            entries: 200_000,
        }
    }
}

/// How far links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// A link to a file is followed wherever it leads.
    Anywhere,
    /// Only what really lies below the folder is read.
    Below,
}

/// What a walk goes by.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    pub reach: Reach,
    pub limits: Limits,
    /// Ends the walk: a folder can be as large as the disk.
    pub cancel: &'a CancellationToken,
}

/// A text file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    pub path: PathBuf,
    /// Its name as it is shown: the folder as it was named, unsafe bytes escaped.
    pub name: String,
    pub text: String,
}

/// What was found and what was passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    pub files: Vec<TextFile>,
    /// Shown names, each with its reason.
    pub skipped: Vec<(String, String)>,
}

/// Why a walk ended early.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}` is no folder", .path.display())]
    NoFolder { path: PathBuf },
    #[error("`{}` holds more than {limit} bytes of text", .path.display())]
    TooMuch { path: PathBuf, limit: u64 },
    #[error("`{}` holds more than {limit} files", .path.display())]
    TooMany { path: PathBuf, limit: usize },
    #[error("reading `{}` was interrupted", .path.display())]
    Interrupted { path: PathBuf },
}

/// Reads each text file below a folder, sorted by path.
///
/// Hidden files, version control folders and what `.gitignore` files name are left out quietly;
/// every other file that is not taken is told with its reason. Links to folders are not followed.
pub fn directory(folder: &Path, shown: &str, scope: Scope<'_>) -> Result<Walked, WalkError> {
    if files::status(folder)?.kind != Kind::Folder {
        return Err(WalkError::NoFolder {
            path: folder.to_owned(),
        });
    }
    let mut gathered = Gathered::new(folder, shown, scope);
    for entry in entries(folder, Ignored::ByGit, usize::MAX) {
        gathered.take(entry)?;
    }
    Ok(gathered.walked)
}

/// Which files a walk leaves out quietly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ignored {
    /// Hidden ones and those that `.gitignore` files name.
    ByGit,
    /// None.
    Nothing,
}

fn entries(
    folder: &Path,
    ignored: Ignored,
    depth: usize,
) -> impl Iterator<Item = Result<DirEntry, ignore::Error>> {
    let by_git = ignored == Ignored::ByGit;
    WalkBuilder::new(folder)
        .standard_filters(false)
        .hidden(by_git)
        .git_ignore(by_git)
        .parents(by_git)
        // A project that came as an archive has its `.gitignore` and no `.git`.
        .require_git(false)
        .follow_links(false)
        .max_depth(Some(depth))
        .sort_by_file_path(Path::cmp)
        .filter_entry(move |entry| !by_git || !is_folder(entry) || ignore_file_is_sane(entry))
        .build()
        .filter(|entry| !matches!(entry, Ok(entry) if entry.depth() == 0 || is_folder(entry)))
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Passes a folder by whose `.gitignore` is a pipe or a device: opening it would wait for ever.
fn ignore_file_is_sane(entry: &DirEntry) -> bool {
    !matches!(
        files::kind(&entry.path().join(".gitignore")),
        Some(Kind::Special(_))
    )
}

/// Collects what a walk comes upon.
struct Gathered<'a> {
    folder: &'a Path,
    /// What is read must lie below it when reach ends there.
    bound: &'a Path,
    shown: &'a str,
    scope: Scope<'a>,
    bytes: u64,
    entries: usize,
    walked: Walked,
}

impl<'a> Gathered<'a> {
    fn new(folder: &'a Path, shown: &'a str, scope: Scope<'a>) -> Gathered<'a> {
        Gathered {
            folder,
            bound: folder,
            shown,
            scope,
            bytes: 0,
            entries: 0,
            walked: Walked::default(),
        }
    }

    fn take(&mut self, entry: Result<DirEntry, ignore::Error>) -> Result<(), WalkError> {
        if self.scope.cancel.is_cancelled() {
            return Err(WalkError::Interrupted {
                path: self.folder.to_owned(),
            });
        }
        self.entries += 1;
        if self.entries > self.scope.limits.entries {
            return Err(WalkError::TooMany {
                path: self.folder.to_owned(),
                limit: self.scope.limits.entries,
            });
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let (path, why) = told(&error);
                self.skip(path.as_deref().unwrap_or(self.folder), &why);
                return Ok(());
            }
        };
        if let Some(error) = entry.error() {
            // A line of an ignore file that means nothing is told; the rest of it holds.
            let (path, why) = told(error);
            self.skip(path.as_deref().unwrap_or(entry.path()), &why);
        }
        if entry.path_is_symlink() && files::kind(entry.path()) == Some(Kind::Folder) {
            self.skip(entry.path(), "it is a link to a folder");
            return Ok(());
        }
        self.read(entry.path())
    }

    fn read(&mut self, path: &Path) -> Result<(), WalkError> {
        let text = match read_text(
            self.bound,
            path,
            self.scope.reach,
            self.scope.limits.file_bytes,
        ) {
            Ok(text) => text,
            Err(error) => {
                self.skip(path, &reason(&error));
                return Ok(());
            }
        };
        self.bytes += text.len() as u64;
        if self.bytes > self.scope.limits.all_bytes {
            return Err(WalkError::TooMuch {
                path: self.folder.to_owned(),
                limit: self.scope.limits.all_bytes,
            });
        }
        let name = self.name(path);
        self.walked.files.push(TextFile {
            path: path.to_owned(),
            name,
            text,
        });
        Ok(())
    }

    fn skip(&mut self, path: &Path, why: &str) {
        let name = self.name(path);
        self.walked.skipped.push((name, why.to_owned()));
    }

    fn name(&self, path: &Path) -> String {
        let inside = path.strip_prefix(self.folder).unwrap_or(path);
        joined(self.shown, inside.as_os_str())
    }
}

fn read_text(folder: &Path, path: &Path, reach: Reach, limit: u64) -> Result<String, FileError> {
    let bytes = match reach {
        Reach::Anywhere => files::read(path, limit),
        Reach::Below => files::read_beneath(folder, path, limit).map(|(bytes, _)| bytes),
    }?;
    files::text_of(bytes).map_err(|fault| FileError::Text {
        path: path.to_owned(),
        fault,
    })
}

/// Joins the folder as it was named and what lies in it; a folder that is just here adds nothing.
fn joined(shown: &str, inside: &OsStr) -> String {
    let inside = escaped(inside);
    match shown {
        "" | "." | "./" => inside,
        _ if inside.is_empty() => shown.to_owned(),
        _ if shown.ends_with('/') => format!("{shown}{inside}"),
        _ => format!("{shown}/{inside}"),
    }
}

/// Says why a file was passed over, without its name, which stands beside it.
fn reason(error: &FileError) -> String {
    match error {
        FileError::Missing { .. } => "it is a link that leads nowhere".to_owned(),
        FileError::Denied { .. } => "permission denied".to_owned(),
        FileError::IsFolder { .. } => "it is a folder".to_owned(),
        FileError::Special { kind, .. } => format!("it is {kind}"),
        FileError::TooLarge { size, limit, .. } => {
            format!("it has {size} bytes, and {limit} are the most")
        }
        FileError::Text { fault, .. } => format!("it {fault}"),
        FileError::Outside { .. } => "it is a link that leads out of the folder".to_owned(),
        FileError::Io { source, .. } => source.to_string(),
    }
}

/// Takes the path and the reason out of an error of the walk.
fn told(error: &ignore::Error) -> (Option<PathBuf>, String) {
    match error {
        ignore::Error::WithPath { path, err } => {
            let (_, why) = told(err);
            (Some(path.clone()), why)
        }
        ignore::Error::WithDepth { err, .. } => told(err),
        ignore::Error::WithLineNumber { line, err } => {
            let (path, why) = told(err);
            (path, format!("line {line}: {why}"))
        }
        ignore::Error::Partial(all) => {
            let all: Vec<_> = all.iter().map(told).collect();
            let path = all.iter().find_map(|(path, _)| path.clone());
            let why: Vec<_> = all.into_iter().map(|(_, why)| why).collect();
            (path, why.join("; "))
        }
        ignore::Error::Loop { child, .. } => (Some(child.clone()), "it is a link loop".to_owned()),
        ignore::Error::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            (None, "permission denied".to_owned())
        }
        ignore::Error::Io(_)
        | ignore::Error::Glob { .. }
        | ignore::Error::UnrecognizedFileType(_)
        | ignore::Error::InvalidDefinition => (None, error.to_string()),
    }
}
