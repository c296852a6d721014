//! What comes in on stdin, without ever waiting in silence.

use std::io::{self, IsTerminal, Read};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

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
    #[error("interrupted while waiting for {0} on stdin")]
    Interrupted(&'static str),
}

/// Reads stdin to its end. A terminal is not read: it is where the user types the next command.
/// Gives nothing when stdin holds nothing but blanks.
pub(crate) async fn read(
    purpose: &'static str,
    cancel: &CancellationToken,
) -> Result<Option<String>, StdinError> {
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let (sender, mut receiver) = oneshot::channel();
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
    let patience = tokio::time::sleep(PATIENCE);
    tokio::pin!(patience);
    let mut told = false;
    let bytes = loop {
        tokio::select! {
            // A reader that is gone has read nothing.
            read = &mut receiver => break read.unwrap_or_else(|_| Ok(Vec::new()))?,
            () = cancel.cancelled() => return Err(StdinError::Interrupted(purpose)),
            () = &mut patience, if !told => {
                told = true;
                Stream::stderr().own(&format!(
                    "waiting for {purpose} on stdin, which is open; end it with Ctrl-D, or start with `< /dev/null`\n"
                ));
            }
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
