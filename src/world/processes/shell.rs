//! Shell commands, run to their end.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{GroupSignal, prepare, signal_group, start};

/// How long a command may take and how much of what it prints is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShellLimits {
    pub timeout: Duration,
    /// Bytes kept of each of its two outputs; the rest is read and dropped.
    pub max_output: usize,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellOutcome {
    pub stdout: Captured,
    pub stderr: Captured,
    pub status: ShellStatus,
}

/// The text of one output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// Bytes that are no UTF-8 are shown as U+FFFD.
    pub text: String,
    /// How many bytes at its end were left out.
    pub left_out: u64,
    /// How many pieces were not UTF-8.
    pub undecodable: usize,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellStatus {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It took longer than it may, and was ended.
    TimedOut(Duration),
    /// The run was cancelled.
    Cancelled,
}

/// How long a group has between being asked to end and being ended.
const MERCY: Duration = Duration::from_secs(2);

/// How long what a command left behind may go on printing after the shell has ended.
const AFTERMATH: Duration = Duration::from_secs(1);

/// Runs a command with `/bin/sh -c`, with nothing on its stdin, and gives what it printed.
///
/// All that it started ends with it: on time-out and cancellation its group is asked to end, then
/// ended; after the shell has ended by itself, what it left in the background is ended too. A
/// program that left the group and holds the output open is not waited for.
pub async fn run_shell(
    command: &str,
    folder: &Path,
    environment: impl IntoIterator<Item = (String, String)>,
    limits: ShellLimits,
    cancel: &CancellationToken,
) -> io::Result<ShellOutcome> {
    let mut prepared = prepare("/bin/sh", ["-c", command], folder, environment);
    prepared
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = start(&mut prepared)?;
    let group = Group { leader: child.id() };
    let mut stdout = Reading::new(child.stdout.take(), limits.max_output);
    let mut stderr = Reading::new(child.stderr.take(), limits.max_output);

    let status = {
        // Both outputs are read while it runs: a full pipe would hold it up for ever.
        let reading = async { tokio::join!(stdout.fill(), stderr.fill()) };
        tokio::pin!(reading);
        let late = tokio::time::sleep(limits.timeout);
        tokio::pin!(late);
        let mut read = false;
        let ended = loop {
            tokio::select! {
                status = child.wait() => break status.map(status_of)?,
                _ = &mut reading, if !read => read = true,
                () = &mut late => break ShellStatus::TimedOut(limits.timeout),
                () = cancel.cancelled() => break ShellStatus::Cancelled,
            }
        };
        match ended {
            ShellStatus::Exited(_) | ShellStatus::Signalled(_) => {
                if !read {
                    read = timeout(AFTERMATH, &mut reading).await.is_ok();
                }
            }
            ShellStatus::TimedOut(_) | ShellStatus::Cancelled => {
                group.signal(GroupSignal::Terminate);
                let over = async {
                    if !read {
                        reading.as_mut().await;
                    }
                    child.wait().await
                };
                read = timeout(MERCY, over).await.is_ok();
            }
        }
        group.signal(GroupSignal::Kill);
        child.wait().await?;
        if !read {
            // What is left in the pipe comes at once; who still holds it open is not waited for.
            let _ = timeout(AFTERMATH, &mut reading).await;
        }
        ended
    };
    Ok(ShellOutcome {
        stdout: stdout.captured()?,
        stderr: stderr.captured()?,
        status,
    })
}

/// The group of a running command: dropped when the caller gives up, it takes all of it along.
struct Group {
    leader: Option<u32>,
}

impl Group {
    fn signal(&self, signal: GroupSignal) {
        if let Some(leader) = self.leader {
            signal_group(leader, signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(GroupSignal::Kill);
    }
}

fn status_of(status: ExitStatus) -> ShellStatus {
    match (status.code(), status.signal()) {
        (Some(code), _) => ShellStatus::Exited(code),
        (None, Some(signal)) => ShellStatus::Signalled(signal),
        (None, None) => ShellStatus::Exited(-1),
    }
}

/// An output while it is read.
struct Reading<R> {
    from: Option<R>,
    kept: Vec<u8>,
    limit: usize,
    left_out: u64,
    failed: Option<io::Error>,
}

impl<R: AsyncRead + Unpin> Reading<R> {
    fn new(from: Option<R>, limit: usize) -> Reading<R> {
        Reading {
            from,
            kept: Vec::new(),
            limit,
            left_out: 0,
            failed: None,
        }
    }

    /// Reads to the end. Dropped on the way, it has kept all that it read.
    async fn fill(&mut self) {
        let Some(from) = self.from.as_mut() else {
            return;
        };
        let mut piece = vec![0; 16 * 1024];
        loop {
            match from.read(&mut piece).await {
                Ok(0) => return,
                Ok(count) => {
                    let room = self.limit.saturating_sub(self.kept.len()).min(count);
                    self.kept.extend_from_slice(&piece[..room]);
                    self.left_out += (count - room) as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failed = Some(error);
                    return;
                }
            }
        }
    }

    fn captured(self) -> io::Result<Captured> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(captured(self.kept, self.left_out)),
        }
    }
}

/// Decodes what was kept. A character that the limit cut in two is left out whole.
fn captured(mut kept: Vec<u8>, mut left_out: u64) -> Captured {
    if left_out > 0
        && let Some(last) = kept.utf8_chunks().last()
        && let Err(error) = std::str::from_utf8(last.invalid())
        && error.error_len().is_none()
    {
        let cut = last.invalid().len();
        left_out += cut as u64;
        kept.truncate(kept.len() - cut);
    }
    let undecodable = kept
        .utf8_chunks()
        .filter(|chunk| !chunk.invalid().is_empty())
        .count();
    Captured {
        text: String::from_utf8_lossy(&kept).into_owned(),
        left_out,
        undecodable,
    }
}
