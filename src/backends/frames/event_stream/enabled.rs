//! The frames, read. Checksums and headers are the SDK's; here are the limit, what an event is
//! called, and what stands for an error.

use aws_smithy_eventstream::frame::read_message_from;
use aws_smithy_types::event_stream::Message;
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt};
use serde_json::{Value, json};

use super::super::{FrameError, LONGEST_EVENT, OwnedFrame};
use super::EXCEPTION;
use crate::backends::fault::one_line;

/// What is read, and what of it is not given out yet.
struct Reading<S> {
    bytes: S,
    buffer: BytesMut,
    ended: bool,
}

/// Gives the name and the JSON text of each event. An error that the server tells is an event by
/// the name of [`EXCEPTION`], whose `__type` says which. A frame that is cut at the end is no event.
pub(in crate::backends::frames) fn events<S, E>(
    bytes: S,
) -> impl Stream<Item = Result<OwnedFrame, FrameError<E>>> + Send
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let reading = Reading {
        bytes: bytes.boxed(),
        buffer: BytesMut::new(),
        ended: false,
    };
    stream::unfold(reading, |mut reading| async move {
        loop {
            match whole_frame(&mut reading) {
                Err(error) => return Some((Err(error), reading.over())),
                Ok(Some(frame)) => match event(&frame) {
                    Ok(event) => return Some((Ok(event), reading)),
                    Err(error) => return Some((Err(error), reading.over())),
                },
                Ok(None) if reading.ended => return None,
                Ok(None) => match reading.bytes.next().await {
                    Some(Ok(chunk)) => reading.buffer.extend_from_slice(&chunk),
                    Some(Err(error)) => {
                        return Some((Err(FrameError::Bytes(error)), reading.over()));
                    }
                    None => reading.ended = true,
                },
            }
        }
    })
}

impl<S> Reading<S> {
    /// Nothing follows an error.
    fn over(mut self) -> Reading<S> {
        self.buffer.clear();
        self.ended = true;
        self
    }
}

/// Takes the first frame out of the buffer when all of it is there. Its length stands first.
fn whole_frame<S, E: std::error::Error>(
    reading: &mut Reading<S>,
) -> Result<Option<Bytes>, FrameError<E>> {
    let buffer = &mut reading.buffer;
    let Some(length) = buffer.first_chunk::<4>() else {
        return Ok(None);
    };
    // The first byte of a length that may be is 0: a letter there begins some text.
    if length[0].is_ascii_graphic() {
        if buffer.len() < SHOWN && !reading.ended {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&buffer[..buffer.len().min(SHOWN)]);
        return Err(FrameError::Unreadable(format!(
            "it is text and not of frames: {}",
            one_line(&text)
        )));
    }
    let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
    if length > LONGEST_EVENT {
        return Err(FrameError::TooLong);
    }
    if length < LEAST_FRAME {
        return Err(FrameError::Unreadable(format!(
            "a frame has {length} bytes"
        )));
    }
    Ok((buffer.len() >= length).then(|| buffer.split_to(length).freeze()))
}

/// The most bytes of such a text that are shown.
const SHOWN: usize = 200;

/// The bytes of a frame that holds nothing: two lengths and two checksums.
const LEAST_FRAME: usize = 16;

fn event<E: std::error::Error>(frame: &Bytes) -> Result<OwnedFrame, FrameError<E>> {
    let message = read_message_from(frame.clone())
        .map_err(|error| FrameError::Unreadable(error.to_string()))?;
    let payload = std::str::from_utf8(message.payload()).map_err(|_| FrameError::NotUtf8)?;
    let header = |name| text(&message, name);
    match header(":message-type") {
        Some("exception") => {
            let kind = header(":exception-type").unwrap_or_default();
            Ok(exception(kind, payload))
        }
        Some("error") => {
            let code = header(":error-code").unwrap_or_default();
            Ok(exception(
                code,
                header(":error-message").unwrap_or_default(),
            ))
        }
        Some(_) | None => Ok(OwnedFrame {
            name: header(":event-type").map(str::to_owned),
            text: if payload.trim().is_empty() {
                "{}".to_owned()
            } else {
                payload.to_owned()
            },
        }),
    }
}

fn text<'a>(message: &'a Message, name: &str) -> Option<&'a str> {
    let header = message
        .headers()
        .iter()
        .find(|header| header.name().as_str() == name)?;
    let text = header.value().as_string().ok()?;
    Some(text.as_str())
}

/// Puts the kind of an error beside its words, which are JSON or plain.
fn exception(kind: &str, words: &str) -> OwnedFrame {
    let mut body = match serde_json::from_str(words) {
        Ok(Value::Object(fields)) => Value::Object(fields),
        Ok(_) | Err(_) => json!({"message": words}),
    };
    body["__type"] = kind.into();
    OwnedFrame {
        name: Some(EXCEPTION.to_owned()),
        text: body.to_string(),
    }
}
