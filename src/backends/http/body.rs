//! The bytes of an answer, as they come: with a limit on silence, and a look at their beginning.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::Response;

/// The most bytes of an answer in one piece.
const LONGEST: usize = 64 * 1024 * 1024;

/// The bytes of an answer.
pub(super) type Chunks = BoxStream<'static, Result<Bytes, Loss>>;

/// Why no more bytes come.
#[derive(Debug, thiserror::Error)]
pub(super) enum Loss {
    #[error("{0}")]
    Connection(#[source] reqwest::Error),
    #[error("nothing came for {} seconds", .0.as_secs_f64())]
    Silence(Duration),
    #[error("it is longer than {} MiB", LONGEST / (1024 * 1024))]
    TooLong,
}

/// What an answer is, told from its first character: types that servers declare are often wrong.
pub(super) enum Kind {
    Nothing,
    Json,
    Page,
    /// Events, or text that is something else altogether.
    Events {
        /// How it begins.
        beginning: String,
    },
}

/// Gives the bytes of an answer; silence longer than `idle` ends them with an error.
pub(super) fn chunks(response: Response, idle: Duration) -> Chunks {
    stream::unfold(Some(response), move |response| async move {
        let mut response = response?;
        match tokio::time::timeout(idle, response.chunk()).await {
            Ok(Ok(Some(chunk))) => Some((Ok(chunk), Some(response))),
            Ok(Ok(None)) => None,
            Ok(Err(error)) => Some((Err(Loss::Connection(error)), None)),
            Err(_) => Some((Err(Loss::Silence(idle)), None)),
        }
    })
    .boxed()
}

/// Looks at how the bytes begin, and gives all of them back.
pub(super) async fn look(mut chunks: Chunks) -> Result<(Kind, Chunks), Loss> {
    let mut head = BytesMut::new();
    let first = loop {
        let begins_bom = head.len() < BOM.len() && BOM.starts_with(&head);
        let begun = without_bom(&head);
        if let Some(first) = begun.iter().find(|byte| !byte.is_ascii_whitespace())
            && !begins_bom
        {
            break Some(*first);
        }
        if head.len() > LONGEST {
            return Err(Loss::TooLong);
        }
        match chunks.next().await {
            Some(chunk) => head.extend_from_slice(&chunk?),
            None => break None,
        }
    };
    let kind = match first {
        None => Kind::Nothing,
        Some(b'{' | b'[') => Kind::Json,
        Some(b'<') => Kind::Page,
        Some(_) => Kind::Events {
            beginning: String::from_utf8_lossy(&head).into_owned(),
        },
    };
    let rest = stream::once(std::future::ready(Ok(head.freeze()))).chain(chunks);
    Ok((kind, rest.boxed()))
}

/// Tells whether text begins as a stream of events does, as far as it goes.
pub(super) fn begins_events(text: &str) -> bool {
    let text = text.trim_start_matches(['\u{feff}', '\r', '\n']);
    [":", "data:", "event:", "id:", "retry:"]
        .iter()
        .any(|field| text.starts_with(field) || field.starts_with(text))
}

/// The mark that some servers put before everything.
const BOM: &[u8] = b"\xEF\xBB\xBF";

pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BOM).unwrap_or(bytes)
}

/// Collects an answer in one piece.
pub(super) async fn whole(mut chunks: Chunks) -> Result<Bytes, Loss> {
    let mut whole = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        if whole.len() + chunk.len() > LONGEST {
            return Err(Loss::TooLong);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

/// Collects the beginning of an answer that only its words are wanted of, as far as it comes.
pub(super) async fn beginning(mut chunks: Chunks, most: usize) -> String {
    let mut begun = BytesMut::new();
    while begun.len() < most {
        match chunks.next().await {
            Some(Ok(chunk)) => begun.extend_from_slice(&chunk),
            // The status has told the failure; that its words are cut changes nothing.
            Some(Err(_)) | None => break,
        }
    }
    begun.truncate(most);
    String::from_utf8_lossy(&begun).into_owned()
}
