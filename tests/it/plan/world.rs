//! A small world for plans: names are looked up in folders, commands are told and not run.

use std::path::{Path, PathBuf};

use scoutai::plan::{Found, FoundFile, Media, MediaSource, Need, Trust, Want};

/// Answers one need.
pub(crate) fn found(need: &Need) -> Found {
    let path = |name: &str| need.base.folder.join(name);
    match &need.want {
        Want::Chat { name } => chat(need, &path(name), name),
        Want::File { pattern } => match text(&path(pattern), pattern) {
            Ok(file) => Found::Files {
                files: vec![file],
                skipped: Vec::new(),
            },
            Err(failed) => failed,
        },
        Want::Directory { name } => {
            let mut files = Vec::new();
            let mut skipped = Vec::new();
            for file in below(&path(name)) {
                let shown = file.strip_prefix(&need.base.folder).unwrap();
                let shown = shown.display().to_string();
                match text(&file, &shown) {
                    Ok(file) => files.push(file),
                    Err(_) => skipped.push((shown, "it is not text".to_owned())),
                }
            }
            Found::Files { files, skipped }
        }
        Want::Media { name, kind } => {
            let read = std::fs::read(path(name)).ok();
            let held = read.and_then(|bytes| Media::of_bytes(name.clone(), bytes));
            Found::Media(held.unwrap_or_else(|| Media {
                kind: *kind,
                name: name.clone(),
                source: MediaSource::Url(name.clone()),
            }))
        }
        Want::Schema { name } => match text(&path(name), name) {
            Ok(file) => Found::Schema(serde_json::from_str(&file.text).unwrap()),
            Err(failed) => failed,
        },
        Want::Command {
            command,
            ordinal,
            settled,
        } => Found::Command {
            output: format!("output of `{command}` number {ordinal}, settled: {settled}\n"),
        },
    }
}

fn chat(need: &Need, path: &Path, name: &str) -> Found {
    let Ok(real) = std::fs::canonicalize(path) else {
        return missing(name);
    };
    let folder = std::fs::canonicalize(&need.base.folder).unwrap();
    if need.base.trust == Trust::Confined && !real.starts_with(folder) {
        return Found::Refused {
            message: format!("`{name}` lies outside the folder of a file that is not trusted"),
            hint: Some("run with `--trust`".to_owned()),
        };
    }
    let theirs = real.components().any(|part| part.as_os_str() == "theirs");
    Found::Chat {
        text: std::fs::read_to_string(&real).unwrap(),
        path: real,
        trust: if theirs {
            Trust::Confined
        } else {
            Trust::Trusted
        },
    }
}

fn text(path: &Path, name: &str) -> Result<FoundFile, Found> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(FoundFile {
            name: name.to_owned(),
            text,
        }),
        Err(_) => Err(missing(name)),
    }
}

fn missing(name: &str) -> Found {
    Found::Failed {
        message: format!("`{name}` is not there"),
        hint: None,
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
