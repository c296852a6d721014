//! Runs the commands of a console block and writes the block anew with what they print.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use regex::Regex;

/// The folder in which the blocks of one page run, one after the other.
pub(super) struct Session {
    folder: tempfile::TempDir,
    /// Holds what stands in front of everything else on the search path.
    programs: tempfile::TempDir,
}

/// Where the replies of a model come from, instead of the model that a page is about.
pub(super) struct Replay {
    pub(super) chat: PathBuf,
    /// The endpoint that the page tells of.
    pub(super) endpoint: String,
}

/// The model that the pages tell of.
const MODEL: &str = "smollm2-135m";

/// Sees to it that `ask` gets the model's replies from a chat, when one is named.
const ASK_OR_REPLAY: &str = r#"#!/bin/sh
if [ "$1" = ask ] && [ -n "$REPLAY" ]; then
  shift
  exec "$SCOUTAI" ask --replay "$REPLAY" "$@"
fi
exec "$SCOUTAI" "$@"
"#;

impl Session {
    pub(super) fn new() -> Session {
        let session = Session {
            folder: tempfile::tempdir().unwrap(),
            programs: tempfile::tempdir().unwrap(),
        };
        let program = session.programs.path().join("scoutai");
        std::fs::write(&program, ASK_OR_REPLAY).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        session
    }

    /// Puts a file into the folder.
    pub(super) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.folder.path().join(name), content).unwrap();
    }

    /// Runs the commands of a block (lines that start with `$ `) and gives the block as it should
    /// be: each command with what it printed on both streams, and its exit code when it failed.
    pub(super) fn run(&self, block: &str, replay: Option<&Replay>, programs: &[PathBuf]) -> String {
        let mut printed = String::new();
        let mut lines = block.lines().peekable();
        while let Some(line) = lines.next() {
            let Some(first) = line.strip_prefix("$ ") else {
                continue;
            };
            printed.extend([line, "\n"]);
            let mut command = first.to_owned();
            while command.ends_with('\\') {
                let more = lines.next().expect("a line that ends in `\\` goes on");
                printed.extend([more, "\n"]);
                command = format!("{command}\n{more}");
            }
            printed += &self.command(&command, replay, programs);
        }
        printed
    }

    fn command(&self, command: &str, replay: Option<&Replay>, programs: &[PathBuf]) -> String {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let mut path = vec![self.programs.path().to_owned()];
        path.extend_from_slice(programs);
        path.extend(std::env::split_paths(&inherited));
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", self.folder.path())
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC")
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .env("SCOUTAI", env!("CARGO_BIN_EXE_scoutai"))
            .env(
                "REPLAY",
                replay
                    .map(|replay| replay.chat.as_os_str())
                    .unwrap_or_default(),
            )
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let mut text = String::from_utf8(output.stdout).unwrap();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if !output.status.success() {
            let status = output.status.to_string().replace("exit status:", "exit");
            text.extend([
                "[", &status, "]
",
            ]);
        }
        if let Some(replay) = replay {
            text = text
                .replace("[replay,", &["[", MODEL, ","].concat())
                .replace("endpoint=replay", &["endpoint=", &replay.endpoint].concat());
        }
        // Blanks at the ends of lines are nothing that a page can show.
        text = text
            .lines()
            .flat_map(|line| [line.trim_end(), "\n"])
            .collect();
        text.replace(&self.folder.path().display().to_string(), "~")
    }
}

/// Gives a block without what differs from run to run: times, durations and ids.
pub(super) fn steady(block: &str) -> String {
    static CHANGING: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
        let hex = "[0-9a-f]";
        [
            (
                r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)".to_owned(),
                "TIME",
            ),
            (
                format!("{hex}{{8}}-{hex}{{4}}-{hex}{{4}}-{hex}{{4}}-{hex}{{12}}"),
                "ID",
            ),
            (r"(call|chatcmpl)[-_][0-9A-Za-z]{8,}".to_owned(), "ID"),
            (r"\b[0-9]+(\.[0-9]+)? ?m?s\b".to_owned(), "N s"),
        ]
        .map(|(pattern, name)| (Regex::new(&pattern).unwrap(), name))
    });
    let mut text: String = block
        .lines()
        .flat_map(|line| [line.trim_end(), "\n"])
        .collect();
    for (pattern, name) in &*CHANGING {
        text = pattern.replace_all(&text, *name).into_owned();
    }
    text
}

#[test]
fn a_block_is_written_anew_with_what_its_commands_print() {
    let session = Session::new();
    session.write("a.md", "hello\n");
    let block = "$ cat a.md\nold\n$ printf x \\\n  && false\n$ pwd\n";
    assert_eq!(
        session.run(block, None, &[]),
        "$ cat a.md\nhello\n$ printf x \\\n  && false\nx\n[exit 1]\n$ pwd\n~\n"
    );
}

#[test]
fn times_and_ids_do_not_count() {
    assert_eq!(
        steady("at 2026-11-30T21:20:26.5+09:00 in 1.2 s, call_01890abc \n"),
        "at TIME in N s, ID\n"
    );
}
