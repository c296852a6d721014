//! Writing at once: whatever goes wrong, a path leads to the whole old or the whole new bytes.

use std::path::{Path, PathBuf};
use std::process::Command;

use scoutai::world::files::{Access, write_atomically};

const OLD: &str = "old bytes";
const NEW: &str = "new and longer bytes";

/// Where the child writes; set only when the test runs as the child of another.
const TARGET: &str = "SCOUTAI_TEST_TARGET";

#[test]
fn child_that_writes() {
    let Some(path) = std::env::var_os(TARGET) else {
        return;
    };
    write_atomically(Path::new(&path), NEW.as_bytes(), Access::Private).unwrap();
}

/// Writes in a process of its own in which a fault strikes; tells whether it went well.
fn write_with(fault: &str, path: &Path) -> bool {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "atomic::child_that_writes"])
        .env(TARGET, path)
        .env("SCOUTAI_FAULT", fault)
        .output()
        .unwrap()
        .status
        .success()
}

/// How many calls one write makes.
fn calls() -> usize {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let fault = format!("count:{}", count.display());
    assert!(write_with(&fault, &folder.path().join("a")));
    std::fs::read_to_string(count).unwrap().lines().count()
}

fn fresh() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, OLD).unwrap();
    (folder, path)
}

#[test]
fn a_write_that_fails_or_is_killed_leaves_whole_bytes() {
    let calls = calls();
    assert!(calls >= 5, "{calls}");
    for at in 1..=calls {
        for code in [
            "kill", "ENOSPC", "EIO", "EACCES", "EDQUOT", "EINTR", "short",
        ] {
            let (folder, path) = fresh();
            let went_well = write_with(&format!("{code}:{at}"), &path);
            let found = std::fs::read_to_string(&path).unwrap();
            assert!(found == OLD || found == NEW, "{code} at {at}: {found}");
            if went_well {
                assert_eq!(found, NEW, "{code} at {at}");
            }
            if code != "kill" {
                // Nothing is left over.
                let names = std::fs::read_dir(folder.path()).unwrap().count();
                assert_eq!(names, 1, "{code} at {at}");
            }
        }
        let (_folder, path) = fresh();
        let interrupted = write_with(&format!("EINTR:{at}"), &path);
        assert!(interrupted, "an interrupted call is made again (call {at})");
    }
}
