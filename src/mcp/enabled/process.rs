//! The program of a server: started in a group of its own, listened to, and ended with all that it
//! started.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::clean;
use crate::mcp::StdioServer;
use crate::world::processes::{self, GroupSignal};

/// How long a program may take to end by itself once its stdin is closed.
const AFTER_CLOSE: Duration = Duration::from_millis(1500);

/// How long it may take once it was told to terminate.
const AFTER_TERMINATE: Duration = Duration::from_secs(1);

/// How long the last of stderr is waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// How much of stderr is kept.
const KEPT: usize = 4096;

/// How many lines of it are told, and how long each may be.
const LINES_TOLD: usize = 3;
const LINE_TOLD: usize = 300;

/// A started program. Dropping it kills the group at once.
pub(super) struct Process {
    group: Hold,
    stderr: Arc<Tail>,
    stop: CancellationToken,
    ending: watch::Receiver<Option<Ending>>,
}

/// The ends of the pipes that the protocol runs through.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ending {
    /// The status in words.
    pub(super) status: String,
    pub(super) success: bool,
}

impl Process {
    /// Starts the program of a server.
    pub(super) fn start(server: &StdioServer) -> io::Result<(Process, Pipes)> {
        let (program, arguments) = server
            .command
            .split_first()
            .ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = processes::prepare(
            program,
            arguments,
            &server.folder,
            server.environment.iter().map(|(name, value)| (name, value)),
        );
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = processes::start(&mut command)?;
        let leader = child.id().ok_or(io::ErrorKind::NotFound)?;
        // From here on the group ends, whatever happens.
        let group = Hold(Arc::new(Group {
            leader,
            over: AtomicBool::new(false),
        }));
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let tail = Arc::new(Tail::default());
        let reader = tokio::spawn(Arc::clone(&tail).fill(stderr));
        let stop = CancellationToken::new();
        let (tell, ending) = watch::channel(None);
        tokio::spawn(keep(
            child,
            Hold(Arc::clone(&group.0)),
            stop.clone(),
            reader,
            tell,
        ));
        let process = Process {
            group,
            stderr: tail,
            stop,
            ending,
        };
        Ok((process, Pipes { stdin, stdout }))
    }

    /// Ends the program: time to end by itself, then a signal, then force. Its stdin has to be
    /// closed by then.
    pub(super) async fn end(&self) {
        self.stop.cancel();
        self.wait().await;
    }

    /// Kills the program and all that it started.
    pub(super) fn kill(&self) {
        self.group.0.kill();
    }

    /// Tells how the program ended, when it has.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.ending.borrow().clone()
    }

    /// Waits for the end of the program, for so long.
    pub(super) async fn ending_within(&self, limit: Duration) -> Option<Ending> {
        timeout(limit, self.wait()).await.ok().flatten()
    }

    /// Gives the last lines of stderr, or nothing where there are none.
    pub(super) fn last_words(&self) -> Option<String> {
        self.stderr.lines()
    }

    async fn wait(&self) -> Option<Ending> {
        let mut ending = self.ending.clone();
        // The sender is gone only with the runtime, and then nobody waits.
        let ended = ending.wait_for(Option::is_some).await.ok()?;
        ended.clone()
    }
}

/// Waits for the end of the program, or brings it about, and ends what it left behind.
async fn keep(
    mut child: Child,
    group: Hold,
    stop: CancellationToken,
    stderr: JoinHandle<()>,
    tell: watch::Sender<Option<Ending>>,
) {
    let status = tokio::select! {
        status = child.wait() => status,
        () = stop.cancelled() => end(&mut child, &group.0).await,
    };
    group.0.kill();
    // A process that left the group may hold stderr open for as long as it likes.
    let _late = timeout(LAST_WORDS, stderr).await;
    tell.send_replace(Some(Ending::of(&status)));
}

async fn end(child: &mut Child, group: &Group) -> io::Result<ExitStatus> {
    if let Ok(status) = timeout(AFTER_CLOSE, child.wait()).await {
        return status;
    }
    group.terminate();
    if let Ok(status) = timeout(AFTER_TERMINATE, child.wait()).await {
        return status;
    }
    group.kill();
    child.wait().await
}

impl Ending {
    fn of(status: &io::Result<ExitStatus>) -> Ending {
        match status {
            // `exit status: 3`, or `signal: 9 (SIGKILL)`
            Ok(status) => Ending {
                status: status.to_string(),
                success: status.success(),
            },
            Err(error) => Ending {
                status: format!("its exit status is not known: {error}"),
                success: false,
            },
        }
    }
}

/// The process group of a server.
struct Group {
    leader: u32,
    /// Set once the group was killed: its number may belong to another from then on.
    over: AtomicBool,
}

impl Group {
    fn terminate(&self) {
        if !self.over.load(Ordering::SeqCst) {
            processes::signal_group(self.leader, GroupSignal::Terminate);
        }
    }

    fn kill(&self) {
        if !self.over.swap(true, Ordering::SeqCst) {
            processes::signal_group(self.leader, GroupSignal::Kill);
        }
    }
}

/// A hold on a group that ends it when it is let go, whoever else has one: the connection may go
/// first, or the runtime with the task that waits for the program.
struct Hold(Arc<Group>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.kill();
    }
}

/// The last of stderr, as bytes: one that is not UTF-8 must not stop the reading, because a full
/// pipe stops the server.
#[derive(Default)]
struct Tail(Mutex<Vec<u8>>);

impl Tail {
    async fn fill(self: Arc<Self>, mut stderr: ChildStderr) {
        let mut piece = vec![0; 16 * 1024];
        loop {
            match stderr.read(&mut piece).await {
                Ok(0) | Err(_) => return,
                Ok(count) => self.push(&piece[..count]),
            }
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(bytes);
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
    }

    fn lines(&self) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let lines: Vec<String> = text
            .lines()
            .map(|line| clean::line(line, LINE_TOLD))
            .filter(|line| !line.is_empty())
            .collect();
        let last = &lines[lines.len().saturating_sub(LINES_TOLD)..];
        (!last.is_empty()).then(|| last.join(" / "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept() {
        let tail = Tail::default();
        assert_eq!(tail.lines(), None);
        for number in 0..5000 {
            tail.push(format!("line {number}\r\n\n").as_bytes());
        }
        tail.push(b"\xff\x1b[1mend");
        assert_eq!(
            tail.lines(),
            Some("line 4998 / line 4999 / \u{fffd}[1mend".to_owned())
        );
        assert!(tail.0.lock().unwrap().len() <= KEPT);
    }
}
