//! Messages through the pipes of a program, one a line.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use super::clean;
use super::process::Pipes;
use super::wire::{self, Form, Line};

/// The longest line that is read. A longer one is dropped, so that a server cannot fill the memory.
const LONGEST_LINE: u64 = 128 * 1024 * 1024;

/// A buffer that grew beyond this is given back after its line.
const KEPT_BUFFER: usize = 1024 * 1024;

/// How many lines of noise are remembered, and how much of each.
const NOISE_LINES: usize = 3;
const NOISE_LENGTH: usize = 200;

/// The pipes of a server, as the SDK wants them.
pub(super) struct StdioTransport {
    stdin: Arc<tokio::sync::Mutex<Option<ChildStdin>>>,
    incoming: mpsc::Receiver<ServerJsonRpcMessage>,
    raw: Arc<Raw>,
}

/// What a server wrote on stdout that was no message: how many lines, and the first of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Noise(Arc<Mutex<NoiseLines>>);

#[derive(Debug, Default)]
struct NoiseLines {
    count: usize,
    first: Vec<String>,
}

impl StdioTransport {
    /// Takes the pipes over and starts to read.
    pub(super) fn new(pipes: Pipes, noise: Noise) -> StdioTransport {
        let raw = Arc::new(Raw::default());
        let (sender, incoming) = mpsc::channel(16);
        tokio::spawn(read_all(pipes.stdout, Arc::clone(&raw), noise, sender));
        StdioTransport {
            stdin: Arc::new(tokio::sync::Mutex::new(Some(pipes.stdin))),
            incoming,
            raw,
        }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.raw.note(&message);
        let stdin = Arc::clone(&self.stdin);
        let line = serde_json::to_vec(&message);
        async move {
            let mut line = line?;
            line.push(b'\n');
            let mut stdin = stdin.lock().await;
            let pipe = stdin.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            pipe.write_all(&line).await?;
            pipe.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        // A write that hangs holds the lock; the server is then ended by a signal.
        if let Ok(mut stdin) = self.stdin.try_lock() {
            drop(stdin.take());
        }
        Ok(())
    }
}

impl Noise {
    /// Tells of the noise, when there was any.
    pub(super) fn told(&self) -> Option<String> {
        let lines = self.lock();
        (lines.count > 0).then(|| {
            format!(
                "{} that are no messages on stdout were skipped: {}",
                match lines.count {
                    1 => "1 line".to_owned(),
                    count => format!("{count} lines"),
                },
                lines.first.join(" / ")
            )
        })
    }

    /// Gives the first lines of the noise.
    pub(super) fn first(&self) -> Option<String> {
        let lines = self.lock();
        (lines.count > 0).then(|| lines.first.join(" / "))
    }

    fn note(&self, line: &str) {
        let mut lines = self.lock();
        lines.count += 1;
        if lines.first.len() < NOISE_LINES {
            lines.first.push(line.to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, NoiseLines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The open requests whose results are read as they are.
#[derive(Default)]
struct Raw(Mutex<HashSet<RequestId>>);

impl Raw {
    fn note(&self, message: &ClientJsonRpcMessage) {
        match message {
            JsonRpcMessage::Request(request) => {
                if matches!(
                    request.request,
                    ClientRequest::CallToolRequest(_) | ClientRequest::ListToolsRequest(_)
                ) {
                    self.lock().insert(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.lock().remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    fn take(&self, id: &RequestId) -> Form {
        if self.lock().remove(id) {
            Form::Raw
        } else {
            Form::Typed
        }
    }

    /// Gives the open request, when there is exactly one.
    fn only(&self) -> Option<RequestId> {
        let mut open = self.lock();
        if open.len() == 1 {
            open.drain().next()
        } else {
            None
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads messages until the server closes its stdout or nobody listens any more.
async fn read_all(
    stdout: ChildStdout,
    raw: Arc<Raw>,
    noise: Noise,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
) {
    let mut stdout = BufReader::with_capacity(64 * 1024, stdout);
    let mut line = Vec::new();
    loop {
        line.clear();
        line.shrink_to(KEPT_BUFFER);
        let read = (&mut stdout)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .await;
        if !matches!(read, Ok(count) if count > 0) {
            return;
        }
        let message = if line.ends_with(b"\n") {
            match wire::read(&line, |id| raw.take(id)) {
                Line::Message(message) => Some(*message),
                Line::Blank => None,
                Line::Noise => {
                    let start = &line[..line.len().min(4 * NOISE_LENGTH)];
                    noise.note(&clean::line(&String::from_utf8_lossy(start), NOISE_LENGTH));
                    None
                }
            }
        } else if line.len() as u64 >= LONGEST_LINE {
            let told = format!(
                "the answer is longer than {} MB",
                LONGEST_LINE / (1024 * 1024)
            );
            noise.note(&told);
            if !skip_line(&mut stdout).await {
                return;
            }
            // Which request it answered stands somewhere in it; with one open it can be no other.
            raw.only()
                .map(|id| JsonRpcMessage::error(ErrorData::internal_error(told, None), Some(id)))
        } else {
            // The server ended within a line.
            return;
        };
        if let Some(message) = message
            && sender.send(message).await.is_err()
        {
            return;
        }
    }
}

/// Drops the rest of a line; gives false when there is no more after it.
async fn skip_line(stdout: &mut BufReader<ChildStdout>) -> bool {
    loop {
        let (used, found) = match stdout.fill_buf().await {
            Ok([]) | Err(_) => return false,
            Ok(bytes) => match bytes.iter().position(|&byte| byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
        };
        stdout.consume(used);
        if found {
            return true;
        }
    }
}
