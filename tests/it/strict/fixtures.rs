//! The rules themselves, held to requests that are known to be right or wrong.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Api;

fn wire() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wire")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    found
}

fn name(path: &Path) -> &str {
    path.file_stem().unwrap().to_str().unwrap()
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Gives each request of a folder of folders, with the rules that it is held to.
fn requests(kind: &str) -> Vec<(PathBuf, Api, Value)> {
    let mut found = Vec::new();
    for folder in entries(&wire().join(kind)) {
        let api = Api::from_name(name(&folder)).expect("a folder is named like an API");
        for path in entries(&folder) {
            let request = read(&path);
            found.push((path, api, request));
        }
    }
    found
}

#[test]
fn good_requests_pass() {
    let mut told = Vec::new();
    for (path, api, request) in requests("good") {
        for fault in api.faults(&request) {
            told.push(format!("{}: {fault}", path.display()));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

/// A bad request is wrong in one way, so that each rule is seen to work by itself.
#[test]
fn each_bad_request_is_refused_for_its_reason_alone() {
    let mut told = Vec::new();
    let bad = requests("bad");
    for (path, api, case) in &bad {
        let why = case["why"].as_str().expect("a bad request says why");
        let faults = api.faults(&case["request"]);
        let for_it = faults.iter().all(|fault| fault.contains(why));
        if faults.is_empty() || !for_it {
            told.push(format!("{}: {why:?}, not {faults:?}", path.display()));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
    assert!(bad.len() >= 60, "only {} bad requests", bad.len());
}

/// The golden case whose chat sets parameters that not every provider has: they are sent as they
/// were set, and the provider says what is wrong with them.
const SENT_AS_SET: &str = "parameters";

#[test]
fn golden_requests_pass() {
    let mut told = Vec::new();
    for folder in entries(&wire().join("golden")) {
        let api = Api::from_name(name(&folder)).expect("a folder is named like an API");
        for case in entries(&folder) {
            if name(&case) == SENT_AS_SET {
                continue;
            }
            let request = read(&case.join("request.json"));
            for fault in api.faults(&request) {
                told.push(format!("{}: {fault}", case.display()));
            }
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}
