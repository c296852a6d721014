//! What was said, typed: the conversation and its records, directives resolved.

use std::sync::Arc;

use crate::chat::{Meta, Origin, Reasoning, Role, ToolCall, ToolOutput};

/// Something said, with its place.
#[derive(Debug, Clone)]
pub struct Said {
    pub what: Saying,
    pub origin: Origin,
}

/// What can be said.
#[derive(Debug, Clone)]
pub enum Saying {
    /// A text of a conversational role.
    Text {
        role: Role,
        text: String,
    },
    Media(Media),
    // Kept apart, since most of what is said are texts and a long chat holds millions of them.
    Call(Box<ToolCall>),
    Output(Box<ToolOutput>),
    Reasoning(Box<Reasoning>),
    Meta(Meta),
}

/// A picture or a document.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
pub enum MediaSource {
    Url(String),
    Bytes {
        /// Told from the content, such as `image/png`.
        mime: String,
        bytes: Arc<[u8]>,
    },
}

#[cfg(test)]
mod tests {
    use super::{Media, Saying};

    #[test]
    fn a_text_takes_no_room_for_what_it_is_not() {
        assert!(size_of::<Saying>() <= size_of::<Media>());
    }
}
