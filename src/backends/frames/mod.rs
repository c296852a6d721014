//! Events out of chunks of bytes, cut anywhere, for each framing.

pub(super) mod event_stream;
mod lines;
mod sse;

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};

use super::wire::{Failure, Frame, Framing, Wire};
use super::{ErrorKind, Reply};

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
    #[error("the stream cannot be read: {0}")]
    Unreadable(String),
}

impl OwnedFrame {
    pub(super) fn as_frame(&self) -> Frame<'_> {
        Frame {
            name: self.name.as_deref(),
            text: &self.text,
        }
    }
}

/// Reads a streamed reply whose bytes are at hand, such as a recorded one, as the sender reads one
/// that comes over the network.
pub fn read_stream(wire: &dyn Wire, chunks: &[&[u8]]) -> Result<Reply, Failure> {
    let chunks: Vec<_> = chunks
        .iter()
        .map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)))
        .collect();
    let mut events = events(wire.framing(), stream::iter(chunks));
    let mut decoder = wire.stream();
    // Bytes that are at hand are never waited for.
    while let Some(Some(event)) = events.next().now_or_never() {
        match event {
            Ok(event) => drop(decoder.event(event.as_frame())?),
            Err(error) => {
                let partial = decoder.finish().err().and_then(|cut| cut.partial);
                return Err(Failure::new(ErrorKind::Protocol, error.to_string())
                    .with_partial(partial.map(|partial| *partial)));
            }
        }
    }
    decoder.finish()
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
        Framing::EventStream => event_stream::events(bytes).boxed(),
    }
}
