//! What comes in on stdin, without ever waiting in silence.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use super::output::Stream;

/// How long an open stdin may be silent before people are told what is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// The most that is taken.
const MOST: u64 = 100 * 1024 * 1024;

/// Why stdin could not be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StdinError {
    #[error("cannot read stdin: {0}")]
    Read(#[from] io::Error),
    #[error("what came on stdin is not UTF-8: the byte at offset {0} is not part of a character")]
    NotUtf8(usize),
    #[error("more than {} MB came on stdin", MOST / 1024 / 1024)]
    TooMuch,
}

/// Reads stdin to its end. A terminal is not read: it is where the user types the next command.
/// Gives nothing when stdin holds nothing but blanks.
pub(crate) fn read(purpose: &str) -> Result<Option<String>, StdinError> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let (sender, receiver) = mpsc::channel();
    // A thread of its own, since a read of a silent pipe cannot be given up.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = io::stdin()
            .lock()
            .take(MOST + 1)
            .read_to_end(&mut bytes)
            .map(|_| bytes);
        // Nobody listens any more only when the program is about to end.
        drop(sender.send(read));
    });
    let bytes = match receiver.recv_timeout(PATIENCE) {
        Ok(read) => read?,
        Err(mpsc::RecvTimeoutError::Disconnected) => Vec::new(),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            Stream::stderr().own(&format!(
                "waiting for {purpose} on stdin, which is open; end it with Ctrl-D, or start with `< /dev/null`\n"
            ));
            receiver.recv().unwrap_or_else(|_| Ok(Vec::new()))?
        }
    };
    if bytes.len() as u64 > MOST {
        return Err(StdinError::TooMuch);
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| StdinError::NotUtf8(error.utf8_error().valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok((!text.trim().is_empty()).then(|| text.to_owned()))
}
