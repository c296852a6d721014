//! What the program does with terminals, pipes that close, and no terminal at all.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::cases::steady;

/// A folder with a chat and a script whose one answer is `answer`, one character a delta.
fn folder(answer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("chat.md"), "user: Hello\n").unwrap();
    let script = format!("meta: inference_id=a model=tiny-7 chunk=7\n\nassistant:\n\n{answer}\n");
    fs::write(folder.path().join("script.md"), script).unwrap();
    folder
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoutai"));
    surround(&mut command, folder);
    command
}

fn surround(command: &mut Command, folder: &Path) {
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::null());
}

const ASK: [&str; 4] = ["ask", "chat.md", "--replay", "script.md"];

/// Runs the program on a pseudo-terminal of so many columns.
fn on_a_terminal(folder: &Path, columns: &str, variables: &[(&str, &str)]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/on_terminal.py");
    // The interpreter keeps the surroundings that it was installed in; the program gets its own.
    Command::new("python3")
        .arg(script)
        .args([columns, "env", "-i", "TERM=xterm-256color"])
        .arg(format!("HOME={}", folder.display()))
        .args(
            variables
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        )
        .arg(env!("CARGO_BIN_EXE_scoutai"))
        .args(ASK)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

const HOSTILE: &str = "a\u{1b}]52;c;eA==\u{7}b\u{1b}]0;x\u{7}c\u{1b}]8;;http://x\u{1b}\\d\u{1b}[2Je\u{1b}[10Af\u{1b}cg\u{8}h\ri";

#[test]
fn a_terminal_gets_nothing_that_drives_it_and_a_pipe_gets_the_bytes() {
    let place = folder(HOSTILE);
    let seen = on_a_terminal(place.path(), "80", &[("NO_COLOR", "1")]);
    let text = String::from_utf8(seen.stdout).unwrap();
    let answer = text.lines().find(|line| line.contains("52;c")).unwrap();
    for harmful in [
        "\u{1b}]",
        "\u{7}",
        "\u{1b}[2J",
        "\u{1b}[10A",
        "\u{1b}c",
        "\u{8}",
    ] {
        assert!(!answer.contains(harmful), "{answer:?} holds {harmful:?}");
    }
    assert!(answer.contains('\u{241b}'), "{answer:?} shows no mark");
    let place = folder(HOSTILE);
    let piped = program(place.path()).args(ASK).output().unwrap();
    assert_eq!(
        String::from_utf8(piped.stdout).unwrap(),
        format!("{HOSTILE}\n")
    );
}

#[test]
fn a_terminal_of_one_column_does_no_harm() {
    let place = folder("Hi!");
    let seen = on_a_terminal(place.path(), "1", &[]);
    assert_eq!(seen.status.code(), Some(0));
    assert!(String::from_utf8(seen.stdout).unwrap().contains("Hi!"));
}

#[test]
fn without_a_terminal_there_is_the_answer_and_plain_progress() {
    let place = folder("Hi!");
    let out = Command::new("setsid")
        .arg("--wait")
        .arg(env!("CARGO_BIN_EXE_scoutai"))
        .args(ASK)
        .current_dir(place.path())
        .env_clear()
        .env("HOME", place.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap(), "Hi!\n");
    assert_eq!(
        steady(&String::from_utf8(out.stderr).unwrap()),
        "[replay, N s]\n"
    );
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn an_answer_whose_reader_has_gone_is_recorded_whole() {
    let long = "All work and no play. ".repeat(20_000);
    let long = long.trim();
    let place = folder(long);
    let mut child = program(place.path())
        .args(ASK)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&out.stderr).contains("panic"));
    let after = fs::read_to_string(place.path().join("chat.md")).unwrap();
    assert!(after.contains(long));
}

#[test]
fn closed_streams_are_no_reason_to_fail() {
    for closed in [">&-", "2>&-", ">&- 2>&-", "< /dev/null > /dev/full"] {
        let place = folder("Hi!");
        let line = format!("\"$0\" ask chat.md --replay script.md {closed}");
        let mut command = Command::new("sh");
        surround(&mut command, place.path());
        let out = command
            .args(["-c", &line, env!("CARGO_BIN_EXE_scoutai")])
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(0), "{closed}");
        let after = fs::read_to_string(place.path().join("chat.md")).unwrap();
        assert!(after.contains("assistant:\n\nHi!"), "{closed}: {after}");
    }
}

#[test]
fn a_silent_stdin_is_named() {
    let place = folder("Hi!");
    let mut command = program(place.path());
    let mut child = command
        .args(ASK)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut said = [0; 11];
    stderr.read_exact(&mut said).unwrap();
    assert_eq!(String::from_utf8_lossy(&said), "waiting for");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
