//! Rooms depend downwards only: walks the `crate::` paths of every file of `src`.

use std::path::{Path, PathBuf};

/// Which rooms a room may use, besides itself.
const MAY_USE: [(&str, &[&str]); 9] = [
    ("chat", &[]),
    ("world", &[]),
    ("plan", &["chat"]),
    ("tools", &["chat"]),
    ("backends", &["chat", "plan", "tools", "world"]),
    ("mcp", &["chat", "tools", "world"]),
    ("run", &["chat", "plan", "tools", "backends", "world"]),
    (
        "wiring",
        &["chat", "plan", "tools", "backends", "world", "mcp", "run"],
    ),
    (
        "cli",
        &[
            "chat", "plan", "tools", "backends", "world", "mcp", "run", "wiring",
        ],
    ),
];

#[test]
fn rooms_use_only_rooms_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    for file in rust_files(&source) {
        let inside = file.strip_prefix(&source).unwrap();
        let Some(room) = inside.iter().next().and_then(|first| first.to_str()) else {
            continue;
        };
        if inside.components().count() == 1 {
            continue;
        }
        let (_, allowed) = MAY_USE
            .iter()
            .find(|(name, _)| *name == room)
            .unwrap_or_else(|| panic!("`{room}` is a new room: say in this test what it may use"));
        let text = std::fs::read_to_string(&file).unwrap();
        for used in rooms_named(&text) {
            if used != room && !allowed.contains(&used.as_str()) {
                faults.push(format!(
                    "src/{}: `{room}` may not use `{used}`",
                    inside.display()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn grouped_and_nested_paths_are_seen() {
    assert_eq!(
        rooms_named("use crate::{chat::{A, B}, run::C};"),
        ["chat", "run"]
    );
    assert_eq!(rooms_named("let x = crate::world::now();"), ["world"]);
    assert_eq!(
        rooms_named("/// See [`crate::cli`].\nuse crate::chat;"),
        ["chat"]
    );
}

/// Names what follows each `crate::` in code, groups opened.
fn rooms_named(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut item = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => found.push(std::mem::take(&mut item)),
                    _ if depth == 0 => item.push(c),
                    _ => {}
                }
            }
            found.push(item);
        } else {
            found.push(rest.to_owned());
        }
    }
    found
        .iter()
        .map(|path| {
            let path = path.trim_start();
            let end = path
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(path.len());
            path[..end].to_owned()
        })
        .filter(|room| !room.is_empty())
        .collect()
}

/// Every Rust file below a folder.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
