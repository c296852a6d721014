//! Programs: started with a clean environment in a process group of their own, and ended with it.

mod shell;

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::Environment;
use super::seam::{self, Step};

pub use shell::{Captured, ShellLimits, ShellOutcome, ShellStatus, run_shell};

/// Prepares a program: own process group, only the safe and the declared variables, killed when
/// its handle is dropped. The caller sets stdin, stdout and stderr.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that prepares programs"
)]
pub fn prepare<S: AsRef<OsStr>, K: AsRef<OsStr>, V: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = S>,
    folder: &Path,
    variables: impl IntoIterator<Item = (K, V)>,
) -> tokio::process::Command {
    let mut command = tokio::process::Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(variables)
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// Starts a prepared program.
pub fn start(command: &mut tokio::process::Command) -> io::Result<tokio::process::Child> {
    seam::pass(Step::Start)?;
    command.spawn()
}

/// Sends a signal to a process group that [`prepare`] made; a group that is gone is no error.
pub fn signal_group(leader: u32, signal: GroupSignal) {
    let Some(group) = i32::try_from(leader)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
    else {
        return;
    };
    let signal = match signal {
        GroupSignal::Terminate => rustix::process::Signal::TERM,
        GroupSignal::Kill => rustix::process::Signal::KILL,
    };
    // A group that has ended meanwhile is what was wanted.
    let _ = rustix::process::kill_process_group(group, signal);
}

/// How a group is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupSignal {
    Terminate,
    Kill,
}

/// Gives what a started program may see of the environment, as owned pairs.
pub fn child_environment(environment: &Environment, declared: &[String]) -> Vec<(String, String)> {
    environment
        .for_child(declared)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
