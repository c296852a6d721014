//! Pictures and documents in the shapes that protocols want.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Note;
use crate::plan::{Media, MediaKind, MediaSource};

/// Types of pictures that models are commonly shown.
pub(super) const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// How a medium can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sent<'a> {
    Bytes {
        mime: &'a str,
        base64: String,
    },
    /// The provider fetches it.
    Url(&'a str),
}

/// Gives the bytes of a medium where they are at hand, as they are in a `data:` URL too.
pub(super) fn sent(media: &Media) -> Sent<'_> {
    match &media.source {
        MediaSource::Bytes { mime, bytes } => Sent::Bytes {
            mime,
            base64: STANDARD.encode(bytes),
        },
        MediaSource::Url(url) => match data_url(url) {
            Some((mime, base64)) => Sent::Bytes {
                mime,
                base64: base64.to_owned(),
            },
            None => Sent::Url(url),
        },
    }
}

/// Gives a URL for a medium: its own, or one that holds its bytes.
pub(super) fn url(media: &Media) -> String {
    match sent(media) {
        Sent::Bytes { mime, base64 } => format!("data:{mime};base64,{base64}"),
        Sent::Url(url) => url.to_owned(),
    }
}

fn data_url(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let rest = scheme.eq_ignore_ascii_case("data").then_some(rest)?;
    let (head, base64) = rest.split_once(',')?;
    Some((head.strip_suffix(";base64")?, base64))
}

/// Gives the name of a document without its folders; it always has one.
pub(super) fn file_name(media: &Media) -> &str {
    let name = media.name.rsplit('/').next().unwrap_or_default();
    if name.is_empty() || data_url(&media.name).is_some() {
        match media.kind {
            MediaKind::Image => "image",
            MediaKind::Pdf => "document.pdf",
        }
    } else {
        name
    }
}

/// Gives the words that stand for a medium that this protocol cannot carry, and tells people so.
pub(super) fn left_out(media: &Media, why: &str, notes: &mut Vec<Note>) -> String {
    let (kind, name) = (kind(media), shown_name(media));
    notes.push(Note::Warning(format!(
        "the model is not shown the {kind} `{name}`: {why}"
    )));
    format!("({kind} {name}, which cannot be shown here)")
}

/// Gives the word for its kind.
pub(super) fn kind(media: &Media) -> &'static str {
    match media.kind {
        MediaKind::Image => "image",
        MediaKind::Pdf => "PDF",
    }
}

/// Gives a name for people: a `data:` URL is too long to be one.
fn shown_name(media: &Media) -> &str {
    match &media.source {
        MediaSource::Url(url) if data_url(url).is_none() => url,
        MediaSource::Url(_) | MediaSource::Bytes { .. } => file_name(media),
    }
}

#[cfg(test)]
mod tests {
    use super::{Sent, file_name, sent, url};
    use crate::plan::{Media, MediaKind, MediaSource};

    fn at(url: &str) -> Media {
        Media {
            kind: MediaKind::Image,
            name: url.to_owned(),
            source: MediaSource::Url(url.to_owned()),
        }
    }

    #[test]
    fn a_data_url_holds_its_bytes_and_others_are_fetched() {
        let held = at("data:image/png;base64,iVBO");
        assert_eq!(
            sent(&held),
            Sent::Bytes {
                mime: "image/png",
                base64: "iVBO".to_owned()
            }
        );
        assert_eq!(url(&held), "data:image/png;base64,iVBO");
        assert_eq!(file_name(&held), "image");
        for odd in [
            "data:image/png,raw",
            "data:",
            "https://é.example/x.png",
            "é",
        ] {
            assert_eq!(sent(&at(odd)), Sent::Url(odd));
        }
        assert_eq!(file_name(&at("https://h/a/b.png")), "b.png");
    }
}
