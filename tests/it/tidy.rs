//! What a machine can hold of `docs/STYLE.md`.

use std::path::Path;

use crate::layers::rust_files;

#[test]
fn files_are_short_finished_and_well_named() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut faults = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for file in rust_files(&top.join(folder)) {
            let name = file.strip_prefix(top).unwrap().display().to_string();
            let text = std::fs::read_to_string(&file).unwrap();
            let lines = text.lines().count();
            if lines > 500 {
                faults.push(format!("{name}: {lines} lines, and 500 are the most"));
            }
            if !text.starts_with("//!") {
                faults.push(format!("{name}: does not open with what it is (`//!`)"));
            }
            let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
            if BANNED.contains(&stem.as_str()) {
                faults.push(format!("{name}: `{stem}` names nothing"));
            }
            if name != "tests/it/tidy.rs" {
                for word in UNFINISHED {
                    if text.contains(word) {
                        faults.push(format!("{name}: holds `{word}`"));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Words that name nothing.
const BANNED: [&str; 11] = [
    "util",
    "utils",
    "helper",
    "helpers",
    "common",
    "misc",
    "manager",
    "handler",
    "processor",
    "data",
    "info",
];

/// Marks of unfinished work.
const UNFINISHED: [&str; 5] = ["TODO", "FIXME", "XXX", "todo!(", "unimplemented!("];
