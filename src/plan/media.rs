//! Pictures and documents, whose type is told from their bytes.

use std::sync::Arc;

/// A picture or a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    pub kind: MediaKind,
    /// How it was named in the chat.
    pub name: String,
    pub source: MediaSource,
}

/// Which kind of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    Image,
    Pdf,
}

/// Where its bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MediaSource {
    Url(String),
    Bytes {
        /// Told from the content, such as `image/png`.
        mime: String,
        bytes: Arc<[u8]>,
    },
}

impl Media {
    /// Makes a picture or a document of bytes, when they begin as one that models can be shown.
    pub fn of_bytes(name: String, bytes: impl Into<Arc<[u8]>>) -> Option<Media> {
        let bytes = bytes.into();
        let mime = mime_of(&bytes)?;
        Some(Media {
            kind: if mime == "application/pdf" {
                MediaKind::Pdf
            } else {
                MediaKind::Image
            },
            name,
            source: MediaSource::Bytes {
                mime: mime.to_owned(),
                bytes,
            },
        })
    }
}

impl Media {
    /// Makes a picture or a document of bytes that are to be one of this kind. `shown` is what
    /// people are told that it is called.
    pub fn of_kind(
        name: String,
        shown: &str,
        kind: MediaKind,
        bytes: impl Into<Arc<[u8]>>,
    ) -> Result<Media, String> {
        let bytes = bytes.into();
        let wanted = match kind {
            MediaKind::Image => "a PNG, JPEG, GIF or WebP picture",
            MediaKind::Pdf => "a PDF",
        };
        if bytes.is_empty() {
            return Err(format!("{shown} is empty, and {wanted} is wanted"));
        }
        match Media::of_bytes(name, Arc::clone(&bytes)) {
            Some(media) if media.kind == kind => Ok(media),
            Some(media) => {
                let found = match media.kind {
                    MediaKind::Image => mime_of(&bytes).unwrap_or("a picture"),
                    MediaKind::Pdf => "a PDF",
                };
                Err(format!("{shown} is {found}, and {wanted} is wanted"))
            }
            None => Err(format!("{shown} is not {wanted} by its first bytes")),
        }
    }
}

/// Tells the type of bytes by how they begin.
pub fn mime_of(bytes: &[u8]) -> Option<&'static str> {
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
    use super::mime_of;

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
}
