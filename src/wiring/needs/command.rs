//! Commands of a chat, and the pins of what they printed.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Answerer, failed};
use crate::plan::Found;
use crate::world::files::{self, Access};
use crate::world::processes::{Captured, ShellOutcome, ShellStatus, run_shell};

/// Whether commands are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commands {
    Run,
    /// They are shown, for checks and dry runs.
    Show,
}

/// Whether commands whose output is settled are run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    Yes,
    No,
}

/// No pin is longer: it holds two outputs that were bounded.
const PIN_LIMIT: u64 = 64 << 20;

impl Answerer {
    pub(super) async fn command(
        &self,
        command: &str,
        ordinal: usize,
        settled: bool,
        folder: &Path,
    ) -> Found {
        let pin = self
            .files
            .as_ref()
            .map(|files| pin(files, command, ordinal));
        let pinned = match (self.commands, self.refresh) {
            (Commands::Show, Refresh::Yes | Refresh::No) => pin.as_deref(),
            (Commands::Run, Refresh::No) if settled => pin.as_deref(),
            (Commands::Run, Refresh::Yes | Refresh::No) => None,
        };
        match pinned.map(|path| files::read_text(path, PIN_LIMIT)) {
            Some(Ok(output)) => return Found::Command { output },
            Some(Err(error)) if !error.is_missing() => return failed(&error),
            Some(Err(_)) | None => {}
        }
        match self.commands {
            Commands::Show => Found::Command {
                output: format!("(would run: {command})"),
            },
            Commands::Run => self
                .run(command, folder, pin.as_deref())
                .await
                .unwrap_or_else(|failure| failure),
        }
    }

    async fn run(&self, command: &str, folder: &Path, pin: Option<&Path>) -> Result<Found, Found> {
        (self.announce)(command);
        let environment = self.environment.iter().cloned();
        let outcome = run_shell(
            command,
            folder,
            environment,
            self.command_limits,
            &self.cancel,
        )
        .await
        .map_err(|error| failed(&format!("`{command}` cannot be started: {error}")))?;
        if outcome.status == ShellStatus::Cancelled {
            return Err(failed(&format!("`{command}` was interrupted")));
        }
        let output = told(&outcome);
        if let Some(pin) = pin {
            let folder = pin.parent().unwrap_or(pin);
            files::create_folder(folder, Access::Private)
                .and_then(|()| files::write_atomically(pin, output.as_bytes(), Access::Private))
                .map_err(|error| {
                    failed(&format!(
                        "the output of `{command}` cannot be kept: {error}"
                    ))
                })?;
        }
        Ok(Found::Command { output })
    }
}

/// Gives where the output of a command is kept: by the command and its number among equal ones.
fn pin(files: &Path, command: &str, ordinal: usize) -> PathBuf {
    let digest = Sha256::digest(command.as_bytes());
    let mut name = String::new();
    for byte in &digest[..8] {
        write!(name, "{byte:02x}").expect("a string takes all");
    }
    files.join("cmd").join(format!("{name}-{ordinal}.txt"))
}

/// Says what came of a command: what it printed, and, where it failed, how and what it complained.
fn told(outcome: &ShellOutcome) -> String {
    let mut text = shown(&outcome.stdout);
    let ending = match outcome.status {
        ShellStatus::Exited(0) => return text,
        ShellStatus::Exited(code) => format!("[exit code {code}]"),
        ShellStatus::Signalled(signal) => format!("[ended by signal {signal}]"),
        ShellStatus::TimedOut(limit) => {
            format!(
                "[ended: it took longer than {} seconds]",
                limit.as_secs_f64()
            )
        }
        ShellStatus::Cancelled => "[interrupted]".to_owned(),
    };
    new_line(&mut text);
    text.push_str(&ending);
    text.push('\n');
    let complaint = shown(&outcome.stderr);
    if !complaint.trim().is_empty() {
        text.push_str("[stderr]\n");
        text.push_str(&complaint);
    }
    text
}

/// Gives an output with notes of what is not as the command printed it.
fn shown(output: &Captured) -> String {
    let mut text = output.text.replace("\r\n", "\n");
    if output.left_out > 0 {
        new_line(&mut text);
        writeln!(text, "[{} more bytes were left out]", output.left_out)
            .expect("a string takes all");
    }
    if output.undecodable > 0 {
        new_line(&mut text);
        text.push_str("[bytes that are not UTF-8 are shown as \u{FFFD}]\n");
    }
    text
}

fn new_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn printed(text: &str) -> Captured {
        Captured {
            text: text.to_owned(),
            ..Captured::default()
        }
    }

    #[test]
    fn a_failure_is_told_in_the_output() {
        let outcome = |stdout, stderr, status| ShellOutcome {
            stdout,
            stderr,
            status,
        };
        let fine = outcome(printed("a\r\n"), printed("noise"), ShellStatus::Exited(0));
        assert_eq!(told(&fine), "a\n");
        let bad = outcome(
            printed("half"),
            printed("no such x\n"),
            ShellStatus::Exited(2),
        );
        assert_eq!(told(&bad), "half\n[exit code 2]\n[stderr]\nno such x\n");
        let late = ShellStatus::TimedOut(Duration::from_millis(1500));
        let late = outcome(printed(""), printed(" \n"), late);
        assert_eq!(told(&late), "[ended: it took longer than 1.5 seconds]\n");
        let cut = Captured {
            text: "ab\u{FFFD}".into(),
            left_out: 7,
            undecodable: 1,
        };
        let cut = outcome(cut, printed(""), ShellStatus::Exited(0));
        assert_eq!(
            told(&cut),
            "ab\u{FFFD}\n[7 more bytes were left out]\n\
             [bytes that are not UTF-8 are shown as \u{FFFD}]\n"
        );
    }

    #[test]
    fn a_pin_is_found_by_the_command_and_its_number() {
        assert_eq!(
            pin(Path::new("c.md.files"), "date", 2),
            Path::new("c.md.files/cmd/0e87632cd46bd490-2.txt")
        );
    }
}
