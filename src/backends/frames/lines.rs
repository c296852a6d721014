//! Events that stand on a line each.

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt};

use super::{FrameError, LONGEST_EVENT, OwnedFrame};

/// What is read, and what of it is not given out yet.
struct Reading<S> {
    bytes: S,
    buffer: BytesMut,
    /// How much of the buffer holds no end of a line.
    searched: usize,
    ended: bool,
}

/// Gives each line that is not blank; the last one may have no end, since its JSON tells whether it
/// is whole.
pub(super) fn events<S, E>(bytes: S) -> impl Stream<Item = Result<OwnedFrame, FrameError<E>>> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let reading = Reading {
        bytes: bytes.boxed(),
        buffer: BytesMut::new(),
        searched: 0,
        ended: false,
    };
    stream::unfold(reading, |mut reading| async move {
        loop {
            let found = reading.buffer[reading.searched..]
                .iter()
                .position(|byte| *byte == b'\n')
                .map(|at| reading.searched + at + 1);
            let line = match found {
                Some(end) => reading.buffer.split_to(end),
                None if reading.ended && reading.buffer.is_empty() => return None,
                None if reading.ended => reading.buffer.split(),
                None => {
                    reading.searched = reading.buffer.len();
                    match reading.bytes.next().await {
                        _ if reading.searched > LONGEST_EVENT => {
                            return Some((Err(FrameError::TooLong), reading.over()));
                        }
                        Some(Ok(chunk)) => reading.buffer.extend_from_slice(&chunk),
                        Some(Err(error)) => {
                            return Some((Err(FrameError::Bytes(error)), reading.over()));
                        }
                        None => reading.ended = true,
                    }
                    continue;
                }
            };
            reading.searched = 0;
            let text = match std::str::from_utf8(&line) {
                Ok(text) => text,
                // The stream broke off inside a character: what it ends in is no whole line.
                Err(cut) if reading.ended && cut.error_len().is_none() => return None,
                Err(_) => return Some((Err(FrameError::NotUtf8), reading.over())),
            };
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                let frame = OwnedFrame {
                    name: None,
                    text: text.to_owned(),
                };
                return Some((Ok(frame), reading));
            }
        }
    })
}

impl<S> Reading<S> {
    /// Nothing follows an error.
    fn over(mut self) -> Reading<S> {
        self.buffer.clear();
        self.searched = 0;
        self.ended = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use futures_util::{StreamExt, stream};

    use super::events;

    fn parsed(chunks: Vec<Vec<u8>>) -> Vec<String> {
        let chunks = chunks
            .into_iter()
            .map(|chunk| Ok::<_, Infallible>(Bytes::from(chunk)));
        futures_util::FutureExt::now_or_never(
            events(stream::iter(chunks))
                .map(|event| match event {
                    Ok(frame) => frame.text,
                    Err(error) => format!("error: {error}"),
                })
                .collect(),
        )
        .expect("nothing waits here")
    }

    #[test]
    fn every_way_to_cut_the_bytes_gives_the_same_lines() {
        let bytes = "\u{feff}{\"a\":1}\r\n\n {\"b\":\"那\"}\n{\"c\"".as_bytes();
        let whole = ["{\"a\":1}", "{\"b\":\"那\"}", "{\"c\""];
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
    fn bad_utf8_and_endless_lines_are_errors_and_end_the_stream() {
        assert_eq!(
            parsed(vec![b"{}\n\xe9\x82\n{}\n".to_vec()]),
            ["{}", "error: the stream is not UTF-8"]
        );
        let mib = vec![b'x'; 1024 * 1024];
        assert_eq!(
            parsed(vec![mib; 18]),
            ["error: an event of the stream is longer than 16 MiB"]
        );
    }
}
