//! The plan of a chat: each folder of `tests/cases/plan` is a chat and what becomes of it.
//!
//! A case holds `chat.md`, the files that it names, and what is expected: `expected.md` (what the
//! model would get), `options.json` (what else the plan holds) and `stderr` (what people are told).
//! `args` may hold `confined` (the main file is not trusted) and `no-exec`. A folder named `theirs`
//! is not trusted. `UPDATE=1` writes what is expected anew.

mod corpus;
mod draft;
mod imports;
mod laws;
mod shown;
mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scoutai::chat;
use scoutai::plan::{Draft, Exec, Faults, Need, Plan, Rules, Trust, compiled};

/// Drives a draft to its end, answering from the folder of the chat.
pub(crate) fn planned(
    text: &str,
    path: &Path,
    trust: Trust,
    exec: Exec,
) -> (Result<Plan, Faults>, Vec<Need>) {
    let path: Arc<Path> = path.into();
    let chat = chat::parse(text, &path);
    let mut draft = Draft::new(chat, &path, trust, Rules { exec });
    let mut asked = Vec::new();
    loop {
        let needs = draft.needs();
        if needs.is_empty() {
            break;
        }
        for need in needs {
            draft.supply(need.id, world::found(&need));
            asked.push(need);
        }
    }
    (draft.finish(), asked)
}

#[test]
fn cases() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/plan");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&top)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let mut faults = Vec::new();
    for folder in &folders {
        faults.extend(check(folder));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Compares what becomes of the chat of a folder with what the folder says.
fn check(folder: &Path) -> Vec<String> {
    let folder = std::fs::canonicalize(folder).unwrap();
    let path = folder.join("chat.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let args = std::fs::read_to_string(folder.join("args")).unwrap_or_default();
    let trust = if args.contains("confined") {
        Trust::Confined
    } else {
        Trust::Trusted
    };
    let exec = if args.contains("no-exec") {
        Exec::Forbidden
    } else {
        Exec::Allowed
    };
    let (plan, asked) = planned(&text, &path, trust, exec);
    let commands = shown::commands(&asked);
    let (said, options, told) = match plan {
        Ok(plan) => (
            chat::print(&compiled(&plan.said)),
            shown::plan(&plan, &commands),
            shown::diagnostics(&plan.warnings),
        ),
        Err(faults) => {
            assert!(commands.is_empty(), "{}: ran {commands:?}", path.display());
            let told = shown::diagnostics(&faults.diagnostics);
            (
                String::new(),
                String::new(),
                format!("{told}{:?}\n", faults.kind),
            )
        }
    };
    [
        ("expected.md", said),
        ("options.json", options),
        ("stderr", told),
    ]
    .into_iter()
    .filter_map(|(name, found)| {
        let found = found.replace(&format!("{}/", folder.display()), "");
        differs(&folder.join(name), &found)
    })
    .collect()
}

/// Compares a file with what it should hold, or writes it; no file is as good as an empty one.
fn differs(file: &Path, found: &str) -> Option<String> {
    if std::env::var_os("UPDATE").is_some() {
        if found.is_empty() {
            if file.exists() {
                std::fs::remove_file(file).unwrap();
            }
        } else {
            std::fs::write(file, found).unwrap();
        }
        return None;
    }
    let wanted = std::fs::read_to_string(file).unwrap_or_default();
    (wanted != found).then(|| {
        format!(
            "--- {}: wanted\n{wanted}\n--- found\n{found}",
            file.display()
        )
    })
}
