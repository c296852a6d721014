//! What a chat asks for: directives typed, imports and files asked for, the past edited, options
//! and tools worked out, and what the model is to see. Pure: it asks ([`Need`]) and others answer
//! ([`Found`]). Uses `chat`.
//!
//! Always true here: nothing is read, run or connected to; every finding has a place.

mod need;
mod said;

mod prompt;
mod sources;

pub use need::{Base, Found, FoundFile, Need, NeedId, Trust, Want};
pub use prompt::{Item, Part, Prompt, Turn};
pub use said::{Media, MediaKind, MediaSource, Said, Saying};
pub use sources::{Declared, ToolSource};
