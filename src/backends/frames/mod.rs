//! Events out of chunks of bytes, cut anywhere, for each framing.

mod lines;
mod sse;

use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt};

use super::wire::{Frame, Framing};

/// The most bytes that one event may take.
const LONGEST_EVENT: usize = 16 * 1024 * 1024;

/// One event, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnedFrame {
    pub(super) name: Option<String>,
    pub(super) text: String,
}

/// Why a stream of events ends early.
#[derive(Debug, thiserror::Error)]
pub(super) enum FrameError<E: std::error::Error + 'static> {
    /// The bytes ended with an error.
    #[error("{0}")]
    Bytes(#[source] E),
    #[error("an event of the stream is longer than {} MiB", LONGEST_EVENT / (1024 * 1024))]
    TooLong,
    #[error("the stream is not UTF-8")]
    NotUtf8,
}

impl OwnedFrame {
    pub(super) fn as_frame(&self) -> Frame<'_> {
        Frame {
            name: self.name.as_deref(),
            text: &self.text,
        }
    }
}

/// Gives the events that the bytes hold.
pub(super) fn events<S, E>(
    framing: Framing,
    bytes: S,
) -> BoxStream<'static, Result<OwnedFrame, FrameError<E>>>
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    match framing {
        Framing::Sse => sse::events(bytes).boxed(),
        Framing::Lines => lines::events(bytes).boxed(),
    }
}
