//! What was said, typed: the conversation and its records, directives resolved.

use super::Media;
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
    Output(Box<Returned>),
    Reasoning(Box<Reasoning>),
    Meta(Meta),
}

/// What a tool gave back, with its media at hand.
#[derive(Debug, Clone)]
pub struct Returned {
    pub output: ToolOutput,
    /// The media that the output names and a model can be shown, in order.
    pub media: Vec<Media>,
}

impl From<ToolOutput> for Returned {
    fn from(output: ToolOutput) -> Returned {
        Returned {
            output,
            media: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Saying;
    use crate::plan::Media;

    #[test]
    fn a_text_takes_no_room_for_what_it_is_not() {
        assert!(size_of::<Saying>() <= size_of::<Media>());
    }
}
