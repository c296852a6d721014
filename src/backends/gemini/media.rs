//! Pictures and documents as parts.

use serde_json::{Value, json};

use super::models::{Generation, generation};
use crate::backends::Note;
use crate::backends::media::{self, Sent};
use crate::plan::{Media, MediaKind};

/// Pictures that every model reads; others are refused with the whole request.
const PICTURES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

/// Models before it fetch nothing but what Google itself keeps.
const FETCHING: Generation = Generation(2, 5);

/// Places of Google's own, from which every model takes files.
const OWN: [&str; 4] = [
    "https://generativelanguage.googleapis.com/",
    "gs://",
    "https://www.youtube.com/",
    "https://youtu.be/",
];

/// Gives the part for a medium, a text where it cannot be sent.
pub(super) fn part(media: &Media, model: &str, notes: &mut Vec<Note>) -> Value {
    let mut text = |why: &str| json!({"text": media::left_out(media, why, notes)});
    match media::sent(media) {
        Sent::Bytes {
            mime: "image/gif", ..
        } => text("Gemini reads no GIF; make it a PNG, JPEG or WebP"),
        Sent::Bytes { mime, .. } if media.kind == MediaKind::Image && !PICTURES.contains(&mime) => {
            text(&format!(
                "Gemini reads no {mime}; make it a PNG, JPEG or WebP"
            ))
        }
        Sent::Bytes { mime, base64 } => json!({"inlineData": {"mimeType": mime, "data": base64}}),
        Sent::Url(url) if OWN.iter().any(|own| url.starts_with(own)) => {
            json!({"fileData": {"fileUri": url}})
        }
        Sent::Url(url) if !url.starts_with("https://") => {
            text("Gemini fetches only from `https` URLs; name a file instead")
        }
        Sent::Url(_) if generation(model) < FETCHING => {
            text("this model fetches nothing from the web; name a file instead")
        }
        Sent::Url(url) => json!({"fileData": file_data(media.kind, url)}),
    }
}

/// Tells whether media can stand inside a response: the parts there are bytes and nothing else.
pub(super) fn fits_in_response(part: &Value) -> bool {
    part.get("inlineData").is_some()
}

fn file_data(kind: MediaKind, url: &str) -> Value {
    let mime = match kind {
        MediaKind::Pdf => Some("application/pdf"),
        // Told by the ending alone; without one the provider looks at the file.
        MediaKind::Image => {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            let ending = path.rsplit('.').next().unwrap_or_default();
            let named = match ending.to_ascii_lowercase().as_str() {
                "jpg" => "image/jpeg".to_owned(),
                other => format!("image/{other}"),
            };
            PICTURES.into_iter().find(|picture| *picture == named)
        }
    };
    match mime {
        Some(mime) => json!({"fileUri": url, "mimeType": mime}),
        None => json!({"fileUri": url}),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::part;
    use crate::plan::{Media, MediaKind, MediaSource};

    fn at(url: &str, kind: MediaKind) -> Media {
        Media {
            kind,
            name: url.to_owned(),
            source: MediaSource::Url(url.to_owned()),
        }
    }

    #[test]
    fn urls_are_fetched_where_the_model_can() {
        let mut notes = Vec::new();
        let mut sent = |url, kind, model| part(&at(url, kind), model, &mut notes);
        assert_eq!(
            sent("https://h/a.JPG?x", MediaKind::Image, "gemini-3-pro"),
            json!({"fileData": {"fileUri": "https://h/a.JPG?x", "mimeType": "image/jpeg"}})
        );
        assert_eq!(
            sent("https://h/a", MediaKind::Image, "gemini-2.5-pro"),
            json!({"fileData": {"fileUri": "https://h/a"}})
        );
        assert_eq!(
            sent("https://h/a", MediaKind::Pdf, "x"),
            json!({"fileData": {"fileUri": "https://h/a", "mimeType": "application/pdf"}})
        );
        assert_eq!(
            sent("gs://b/a.png", MediaKind::Image, "gemini-2.0-flash"),
            json!({"fileData": {"fileUri": "gs://b/a.png"}})
        );
        for (url, model) in [
            ("https://h/a.png", "gemini-2.0-flash"),
            ("http://h/a.png", "gemini-3-pro"),
        ] {
            let text = format!("(image {url}, which cannot be shown here)");
            assert_eq!(sent(url, MediaKind::Image, model), json!({"text": text}));
        }
        assert_eq!(notes.len(), 2);
    }

    #[test]
    fn a_moving_picture_is_told_and_not_sent() {
        let gif = Media::of_bytes("a.gif".to_owned(), b"GIF89a".to_vec()).unwrap();
        let mut notes = Vec::new();
        assert_eq!(
            part(&gif, "gemini-3-pro", &mut notes),
            json!({"text": "(image a.gif, which cannot be shown here)"})
        );
        assert_eq!(notes.len(), 1);
    }
}
