//! Blocks of a message: media, and what the API wants back as it came.

use serde_json::{Map, Value, json};

use crate::backends::Note;
use crate::backends::gather::Thought;
use crate::backends::media::{self, Sent};
use crate::chat::Reasoning;
use crate::plan::{Media, MediaKind};

/// Types of pictures that the API takes.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Gives the block of a picture or a document.
pub(super) fn of_media(media: &Media, notes: &mut Vec<Note>) -> Value {
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Pdf => "document",
    };
    let source = match media::sent(media) {
        Sent::Bytes { mime, .. } if kind == "image" && !PICTURES.contains(&mime) => {
            let text = media::left_out(media, &format!("Anthropic takes no {mime}"), notes);
            return json!({"type": "text", "text": text});
        }
        Sent::Bytes { mime, base64 } => {
            json!({"type": "base64", "media_type": mime, "data": base64})
        }
        Sent::Url(url) => json!({"type": "url", "url": url}),
    };
    let mut block = json!({"type": kind, "source": source});
    if media.kind == MediaKind::Pdf {
        block["title"] = media::file_name(media).into();
    }
    block
}

/// Keeps a block that the API wants back. The text of a thought is for people too, so it stands
/// apart from the rest of its block.
pub(super) fn kept(block: &Map<String, Value>) -> Thought {
    let mut data = block.clone();
    let text = match data.shift_remove("thinking") {
        Some(Value::String(text)) => text,
        Some(_) | None => String::new(),
    };
    let is_thought = block.get("type").and_then(Value::as_str) == Some("thinking");
    let signed = data
        .get("signature")
        .and_then(Value::as_str)
        .is_some_and(|signature| !signature.is_empty());
    Thought {
        text,
        // A thought without a signature is refused when it is given back.
        data: (!is_thought || signed).then(|| Value::Object(data)),
    }
}

/// Gives the block that was kept.
pub(super) fn of_thought(reasoning: &Reasoning) -> Option<Value> {
    let mut block = reasoning.data.as_ref()?.as_object()?.clone();
    let kind = block.get("type")?.as_str()?;
    if kind == "thinking" {
        let text = reasoning.text.clone().unwrap_or_default();
        block.insert("thinking".into(), text.into());
    }
    Some(Value::Object(block))
}
