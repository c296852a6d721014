//! Patterns such as `src/**/*.rs`.

use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use super::{Gathered, Ignored, Reach, Scope, WalkError, Walked, entries};
use crate::world::files::{self, Kind};

/// Why a pattern gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum GlobFault {
    #[error("`{pattern}` is no valid pattern: {why}")]
    Invalid { pattern: String, why: String },
    #[error("no file fits `{pattern}`")]
    NoneFits { pattern: String },
    #[error(transparent)]
    Walk(#[from] WalkError),
}

/// Tells whether a name is meant as a pattern.
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// Gives the folder in which a pattern starts to look.
pub fn glob_start(base: &Path, pattern: &str) -> PathBuf {
    base.join(split(pattern).0)
}

/// Reads each text file that a pattern names, sorted by path. `base` is where a relative pattern
/// starts.
///
/// As in a shell, a name that starts with a dot is found only by a pattern that says so. With
/// `**`, what `.gitignore` files name is left out, as `directory` does.
pub fn glob(base: &Path, pattern: &str, scope: Scope<'_>) -> Result<Walked, GlobFault> {
    let (prefix, rest) = split(pattern);
    let fitting = GlobBuilder::new(&rest)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| GlobFault::Invalid {
            pattern: pattern.to_owned(),
            why: error.kind().to_string(),
        })?
        .compile_matcher();
    let start = base.join(&prefix);
    let none = || GlobFault::NoneFits {
        pattern: pattern.to_owned(),
    };
    if files::kind(&start) != Some(Kind::Folder) {
        return Err(none());
    }
    let deep = rest.contains("**");
    let names_dots = Path::new(&rest)
        .components()
        .any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    let ignored = if deep && !names_dots {
        Ignored::ByGit
    } else {
        Ignored::Nothing
    };
    let depth = if deep {
        usize::MAX
    } else {
        Path::new(&rest).components().count()
    };
    // What a confined chat may read lies below its own folder, wherever the pattern starts.
    let bound = match scope.reach {
        Reach::Anywhere => &start,
        Reach::Below => base,
    };
    let shown = prefix.to_string_lossy();
    let mut gathered = Gathered::new(&start, &shown, scope);
    gathered.bound = bound;
    for entry in entries(&start, ignored, depth) {
        if let Ok(entry) = &entry {
            let inside = entry.path().strip_prefix(&start).unwrap_or(entry.path());
            if !fitting.is_match(inside) || (!names_dots && is_hidden(inside)) {
                continue;
            }
        }
        gathered.take(entry)?;
    }
    let walked = gathered.walked;
    if walked.files.is_empty() && walked.skipped.is_empty() {
        return Err(none());
    }
    Ok(walked)
}

fn is_hidden(inside: &Path) -> bool {
    inside
        .components()
        .any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

/// Parts a pattern into the folders that are named outright and the rest.
fn split(pattern: &str) -> (PathBuf, String) {
    let parts: Vec<Component<'_>> = Path::new(pattern).components().collect();
    let first = parts
        .iter()
        .position(|part| is_pattern(&part.as_os_str().to_string_lossy()))
        .unwrap_or(parts.len().saturating_sub(1));
    let rest: PathBuf = parts[first..].iter().collect();
    (
        parts[..first].iter().collect(),
        rest.to_string_lossy().into_owned(),
    )
}
