//! Pictures and documents: their type is told from their bytes.

use super::lookup::Sought;
use super::reading::bytes_of;
use super::{Answerer, failed};
use crate::plan::{Base, Found, Media, MediaKind, MediaSource, mime_of};

impl Answerer {
    pub(super) fn media(&self, name: &str, kind: MediaKind, base: &Base) -> Result<Found, Found> {
        let source = if is_url(name) {
            MediaSource::Url(name.to_owned())
        } else {
            let path = self.look_up(name, base, Sought::File)?;
            let (bytes, _) = bytes_of(name, &path, base, self.read_limits.media)?;
            let mime = fitting(name, &bytes, kind).map_err(|error| failed(&error))?;
            MediaSource::Bytes {
                mime: mime.to_owned(),
                bytes: bytes.into(),
            }
        };
        Ok(Found::Media(Media {
            kind,
            name: name.to_owned(),
            source,
        }))
    }
}

fn is_url(name: &str) -> bool {
    ["http://", "https://", "data:"].iter().any(|start| {
        name.get(..start.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    })
}

/// Gives the type when it is one of the wanted kind.
fn fitting(name: &str, bytes: &[u8], kind: MediaKind) -> Result<&'static str, String> {
    let wanted = match kind {
        MediaKind::Image => "a PNG, JPEG, GIF or WebP picture",
        MediaKind::Pdf => "a PDF",
    };
    match (mime_of(bytes), kind) {
        (Some("application/pdf"), MediaKind::Image) => {
            Err(format!("`{name}` is a PDF, and {wanted} is wanted"))
        }
        (Some(mime @ "application/pdf"), MediaKind::Pdf) | (Some(mime), MediaKind::Image) => {
            Ok(mime)
        }
        (Some(mime), MediaKind::Pdf) => Err(format!("`{name}` is {mime}, and {wanted} is wanted")),
        (None, MediaKind::Image | MediaKind::Pdf) if bytes.is_empty() => {
            Err(format!("`{name}` is empty, and {wanted} is wanted"))
        }
        (None, MediaKind::Image | MediaKind::Pdf) => {
            Err(format!("`{name}` is not {wanted} by its first bytes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_names() {
        assert!(is_url("HTTPS://a.example/x.png") && is_url("data:image/png;base64,AA"));
        assert!(!is_url("http.png") && !is_url("é") && !is_url("file:///etc/passwd"));
    }
}
