//! Blocks of a message: media, and what the API wants back as it came.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::family::Family;
use crate::backends::gather::Thought;
use crate::backends::media::{self, Sent};
use crate::backends::{Note, Reply};
use crate::chat::Reasoning;
use crate::plan::{Item, Media, MediaKind};

/// Types of pictures with the names of their formats.
const PICTURES: [(&str, &str); 4] = [
    ("image/png", "png"),
    ("image/jpeg", "jpeg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
];

/// The field of a record that names the family of the model; it is not sent.
const FAMILY: &str = "family";

/// Names of documents, of which no two in a request may be the same.
#[derive(Debug, Default)]
pub(super) struct DocumentNames(HashSet<String>);

/// Gives the block of a picture or a document; a text where it cannot be sent.
pub(super) fn of_media(media: &Media, names: &mut DocumentNames, notes: &mut Vec<Note>) -> Value {
    let mut left_out = |why: &str| json!({"text": media::left_out(media, why, notes)});
    let sent = media::sent(media);
    let source = match &sent {
        Sent::Bytes { base64, .. } if base64.is_empty() => return left_out("it is empty"),
        Sent::Bytes { base64, .. } => json!({"bytes": base64}),
        Sent::Url(url) if url.starts_with("s3://") => json!({"s3Location": {"uri": url}}),
        Sent::Url(_) => return left_out("Bedrock fetches nothing from the web"),
    };
    match media.kind {
        MediaKind::Image => {
            let format = match &sent {
                Sent::Bytes { mime, .. } => PICTURES.iter().find(|(known, _)| known == mime),
                Sent::Url(url) => PICTURES
                    .iter()
                    .find(|(_, format)| ending(url) == *format)
                    .or(PICTURES
                        .iter()
                        .find(|_| ending(url) == "jpg")
                        .map(|_| &PICTURES[1])),
            };
            match (format, &sent) {
                (Some((_, format)), _) => {
                    json!({"image": {"format": format, "source": source}})
                }
                (None, Sent::Bytes { mime, .. }) => left_out(&format!("Bedrock takes no {mime}")),
                (None, Sent::Url(_)) => left_out("its name does not tell its format"),
            }
        }
        MediaKind::Pdf => {
            let name = names.name_for(media::file_name(media));
            json!({"document": {"format": "pdf", "name": name, "source": source}})
        }
    }
}

fn ending(url: &str) -> String {
    url.rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

impl DocumentNames {
    /// Makes a name of the few characters that the API takes, which no other document has.
    fn name_for(&mut self, file: &str) -> String {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let mut name = String::new();
        for c in stem.chars().take(LONGEST_NAME) {
            let kept = match c {
                c if c.is_ascii_alphanumeric() || "()[]-".contains(c) => c,
                c if c.is_whitespace() => ' ',
                _ => '-',
            };
            // Of blanks there may be one at a time.
            if kept != ' ' || !name.ends_with(' ') {
                name.push(kept);
            }
        }
        let name = match name.trim() {
            "" => "document",
            name => name,
        };
        let mut unique = name.to_owned();
        let mut count = 1;
        while !self.0.insert(unique.clone()) {
            count += 1;
            unique = format!("{name} ({count})");
        }
        unique
    }
}

/// Names may be longer; what matters of one stands at its beginning.
const LONGEST_NAME: usize = 100;

/// Keeps a block that the API wants back. The text of a thought is for people too, so it stands
/// apart from the rest of its block.
pub(super) fn kept(block: &Map<String, Value>) -> Thought {
    let mut data = Value::Object(block.clone());
    let Some(Value::Object(thought)) = data.pointer_mut("/reasoningContent/reasoningText") else {
        return Thought {
            text: String::new(),
            data: Some(data),
        };
    };
    let text = match thought.shift_remove("text") {
        Some(Value::String(text)) => text,
        Some(_) | None => String::new(),
    };
    let signed = thought
        .get("signature")
        .and_then(Value::as_str)
        .is_some_and(|signature| !signature.is_empty());
    Thought {
        text,
        // A thought without a signature is refused when it is given back.
        data: signed.then_some(data),
    }
}

/// Gives the block of a thought that is hidden from people.
pub(super) fn redacted(bytes: &[u8]) -> Thought {
    Thought {
        text: String::new(),
        data: Some(json!({"reasoningContent": {"redactedContent": STANDARD.encode(bytes)}})),
    }
}

/// Gives the thought that was kept, when a model of this family had it. What the provider's own
/// tools did stays in the record alone: nobody asks for it back.
pub(super) fn of_thought(reasoning: &Reasoning, family: Family) -> Option<Value> {
    let record = reasoning.data.as_ref()?;
    let made_by = record.get(FAMILY).and_then(Value::as_str);
    if made_by.is_some_and(|made_by| made_by != family.name()) {
        return None;
    }
    let thought = record.get("reasoningContent")?;
    let told = |key: &str| thought.pointer(key).filter(|value| value.is_string());
    let thought = match (told("/reasoningText/signature"), told("/redactedContent")) {
        (Some(signature), _) => {
            let text = reasoning.text.as_deref().unwrap_or_default();
            json!({"reasoningText": {"text": text, "signature": signature}})
        }
        (None, Some(hidden)) => json!({"redactedContent": hidden}),
        (None, None) => return None,
    };
    Some(json!({"reasoningContent": thought}))
}

/// Notes the family of the model at what it wants back.
pub(super) fn mark_family(reply: &mut Reply, family: Family) {
    for item in &mut reply.items {
        match item {
            Item::Reasoning(Reasoning {
                data: Some(Value::Object(block)),
                ..
            }) => drop(block.insert(FAMILY.into(), family.name().into())),
            Item::Reasoning(_) | Item::Text(_) | Item::Call(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DocumentNames;

    #[test]
    fn names_of_documents_are_plain_and_unique() {
        let mut names = DocumentNames::default();
        let made = [
            "a_b.v2.pdf",
            "a-b-v2.pdf",
            "là  bas.pdf",
            ".pdf",
            "x (1) [y].pdf",
        ]
        .map(|file| names.name_for(file));
        assert_eq!(
            made,
            ["a-b-v2", "a-b-v2 (2)", "l- bas", "document", "x (1) [y]"]
        );
    }
}
