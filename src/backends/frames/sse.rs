//! Server-sent events: the text of each event out of chunks of bytes, cut anywhere.
//!
//! The parsing is `sse-stream`'s; here are the limit and the names of what can go wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use sse_stream::SseByteStream;

use super::{FrameError, LONGEST_EVENT, OwnedFrame};

/// What travels through the parser as its error.
#[derive(Debug, thiserror::Error)]
enum Inner<E: std::error::Error + 'static> {
    #[error("{0}")]
    Bytes(#[source] E),
    #[error("too long")]
    TooLong,
}

/// Gives the name and the data of each event. Comments and events without data are passed over; an event that
/// has no blank line after it when the bytes end is no event.
pub(super) fn events<S, E>(bytes: S) -> impl Stream<Item = Result<OwnedFrame, FrameError<E>>> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let since_event = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&since_event);
    let limited = bytes.map(move |chunk| {
        let chunk = chunk.map_err(Inner::Bytes)?;
        let before = counted.fetch_add(chunk.len(), Ordering::Relaxed);
        if before > LONGEST_EVENT {
            return Err(Inner::TooLong);
        }
        Ok(chunk)
    });
    SseByteStream::new(limited).filter_map(move |event| {
        since_event.store(0, Ordering::Relaxed);
        std::future::ready(match event {
            Ok(event) => {
                let name = event.event.filter(|name| !name.is_empty());
                let data = event.data.filter(|data| !data.is_empty());
                data.map(|text| Ok(OwnedFrame { name, text }))
            }
            Err(error) => Some(Err(named::<E>(error))),
        })
    })
}

fn named<E: std::error::Error + 'static>(error: sse_stream::Error) -> FrameError<E> {
    if let sse_stream::Error::Body(inner) = error
        && let Ok(inner) = inner.downcast::<Inner<E>>()
    {
        return match *inner {
            Inner::Bytes(error) => FrameError::Bytes(error),
            Inner::TooLong => FrameError::TooLong,
        };
    }
    FrameError::NotUtf8
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use futures_util::{StreamExt, stream};

    use super::events;

    /// Parses chunks; an error ends the list with its words.
    fn parsed(chunks: Vec<Vec<u8>>) -> Vec<String> {
        let chunks = chunks
            .into_iter()
            .map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
        let events = events(stream::iter(chunks)).map(|event| match event {
            Ok(frame) => frame.name.map(|name| name + " ").unwrap_or_default() + &frame.text,
            Err(error) => format!("error: {error}"),
        });
        futures_util::FutureExt::now_or_never(events.collect()).expect("nothing waits here")
    }

    const SAMPLE: &str = "\u{feff}data:one\n\ndata: two\r\ndata:  three\r\n\r\n: ping\n\nid: 7\n\n\
                          event:ping\rdata: {\"p\":\"péra 那 🍐\"}\r\rdata\n\ndata: [DONE]\n\n";

    #[test]
    fn every_way_to_cut_the_bytes_gives_the_same_events() {
        let whole = [
            "one",
            "two\n three",
            "ping {\"p\":\"péra 那 🍐\"}",
            "[DONE]",
        ];
        let bytes = SAMPLE.as_bytes();
        assert_eq!(parsed(vec![bytes.to_vec()]), whole);
        assert_eq!(
            parsed(bytes.iter().map(|byte| vec![*byte]).collect()),
            whole
        );
        for cut in 0..bytes.len() {
            let halves = vec![bytes[..cut].to_vec(), bytes[cut..].to_vec()];
            assert_eq!(parsed(halves), whole, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_cut_at_the_end_is_none_and_bad_utf8_is_an_error() {
        assert_eq!(parsed(vec![b"data: a\n\ndata: b\n".to_vec()]), ["a"]);
        assert_eq!(
            parsed(vec![b"data: a\n\ndata: \xe9\x82\n\n".to_vec()]),
            ["a", "error: the stream is not UTF-8"]
        );
    }

    #[test]
    fn an_endless_event_is_refused_and_many_short_ones_are_not() {
        let mib = vec![b'x'; 1024 * 1024];
        let mut endless = vec![b"data: ".to_vec()];
        endless.extend(std::iter::repeat_n(mib.clone(), 18));
        assert_eq!(
            parsed(endless),
            ["error: an event of the stream is longer than 16 MiB"]
        );
        let mut short = mib;
        short.splice(0..0, *b"data: ");
        short.extend(b"\n\n");
        assert_eq!(parsed(vec![short; 18]).len(), 18);
    }
}
