//! Pictures and documents: their type is told from their bytes.

use super::lookup::Sought;
use super::reading::bytes_of;
use super::{Answerer, failed};
use crate::plan::{Base, Found, Media, MediaKind, MediaSource};

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

/// Tells the type of bytes by how they begin.
pub(super) fn mime_of(bytes: &[u8]) -> Option<&'static str> {
    let starts = |start: &[u8]| bytes.starts_with(start);
    if starts(b"\x89PNG\r\n\x1A\n") {
        Some("image/png")
    } else if starts(b"\xFF\xD8\xFF") {
        Some("image/jpeg")
    } else if starts(b"GIF87a") || starts(b"GIF89a") {
        Some("image/gif")
    } else if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else if starts(b"%PDF-") {
        Some("application/pdf")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_say_what_they_are() {
        let cases: [(&[u8], Option<&str>); 8] = [
            (b"\x89PNG\r\n\x1A\nrest", Some("image/png")),
            (b"\xFF\xD8\xFF\xE0", Some("image/jpeg")),
            (b"GIF89a..", Some("image/gif")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\0\0\0\0WAVE", None),
            (b"%PDF-1.7", Some("application/pdf")),
            (b"<svg>", None),
            (b"", None),
        ];
        for (bytes, mime) in cases {
            assert_eq!(mime_of(bytes), mime, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn urls_are_told_from_names() {
        assert!(is_url("HTTPS://a.example/x.png") && is_url("data:image/png;base64,AA"));
        assert!(!is_url("http.png") && !is_url("é") && !is_url("file:///etc/passwd"));
    }
}
