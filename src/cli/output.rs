//! stdout and stderr, which may be closed at any time.

use std::io::{self, IsTerminal, Write};

use super::terminal::harmless;

/// Writes to one of the two streams. A stream whose reader has gone takes everything in silence, so
/// that a run goes on and its answer is recorded.
pub(crate) struct Stream<W: Write> {
    writer: W,
    is_terminal: bool,
    open: bool,
}

impl Stream<io::Stdout> {
    pub(crate) fn stdout() -> Stream<io::Stdout> {
        let writer = io::stdout();
        Stream {
            is_terminal: writer.is_terminal(),
            writer,
            open: true,
        }
    }
}

impl Stream<io::Stderr> {
    pub(crate) fn stderr() -> Stream<io::Stderr> {
        let writer = io::stderr();
        Stream {
            is_terminal: writer.is_terminal(),
            writer,
            open: true,
        }
    }
}

impl<W: Write> Stream<W> {
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Writes text of others: harmless on a terminal, byte for byte elsewhere.
    pub(crate) fn text(&mut self, text: &str) {
        if self.is_terminal {
            self.own(&harmless(text));
        } else {
            self.own(text);
        }
    }

    /// Writes text of this program, which may hold colours.
    pub(crate) fn own(&mut self, text: &str) {
        if self.open {
            let written = self
                .writer
                .write_all(text.as_bytes())
                .and_then(|()| self.writer.flush());
            self.open = written.is_ok();
        }
    }

    /// Writes one line of text of others.
    pub(crate) fn line(&mut self, text: &str) {
        self.text(text);
        self.own("\n");
    }
}
