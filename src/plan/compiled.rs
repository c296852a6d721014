//! What the model is to see, as a chat for people to read.

use super::{MediaKind, Said, Saying};
use crate::chat::{Keyword, Message, Role};

/// Gives what the model would get as messages: media by their names, marks left out.
pub fn compiled(said: &[Said]) -> Vec<Message> {
    said.iter()
        .filter_map(|said| {
            let message = match &said.what {
                Saying::Text { role, text } => Message::new(*role, text.clone()),
                Saying::Media(media) => {
                    let keyword = match media.kind {
                        MediaKind::Image => Keyword::Image,
                        MediaKind::Pdf => Keyword::Pdf,
                    };
                    Message::new(Role::Directive(keyword), media.name.clone())
                }
                Saying::Call(call) => call.to_message(),
                Saying::Output(returned) => returned.output.to_message(),
                Saying::Reasoning(reasoning) => reasoning.to_message(),
                Saying::Meta(_) => return None,
            };
            Some(Message {
                origin: said.origin.clone(),
                ..message
            })
        })
        .collect()
}

/// Tells whether the turn that is to be answered has begun: whether a model has already made a
/// call since the last words of a person. Then `tool_choice` is not sent again. An output alone
/// can belong to a call from before these words.
pub fn turn_begun(said: &[Said]) -> bool {
    for said in said.iter().rev() {
        match &said.what {
            Saying::Call(_) => return true,
            Saying::Text {
                role: Role::User, ..
            }
            | Saying::Media(_) => return false,
            Saying::Text { .. } | Saying::Output(_) | Saying::Reasoning(_) | Saying::Meta(_) => {}
        }
    }
    false
}
