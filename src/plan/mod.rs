//! What a chat asks for: directives typed, imports and files asked for, the past edited, options
//! and tools worked out, and what the model is to see. Pure: it asks ([`Need`]) and others answer
//! ([`Found`]). Uses `chat`.
//!
//! Always true here: nothing is read, run or connected to; every finding has a place; a command is
//! asked for only when all else is found and nothing is wrong; what was found is text, and is never
//! read for directives.

mod data_url;
mod draft;
mod kept;
mod media;
mod need;
mod questions;
mod said;

mod directive;
mod format;
mod setting;

mod source;

mod imports;

mod arrange;

mod gate;
mod standing;

mod assemble;
mod bring;
mod options;

mod check;
mod compiled;
mod faults;

mod prompt;
mod sources;

pub use check::check;
pub use compiled::{compiled, turn_begun};
pub use directive::{Access, Clear, ConfigEntry, Directive, Gives, Include, Take};
pub use draft::{Draft, Plan};
pub use faults::{Fault, FaultKind, Faults};
pub use format::Format;
pub use gate::{Exec, Rules};
pub use kept::{KeptFile, KeptFound, Loss};
pub use media::{Media, MediaKind, MediaSource, mime_of};
pub use need::{Base, Found, FoundFile, Need, NeedId, Trust, Want};
pub use options::{CONTROL, Options, Setting};
pub use prompt::{Item, Part, Prompt, Turn};
pub use said::{Returned, Said, Saying};
pub use setting::{Assigned, Assignment, Hold};
pub use source::{is_cut, is_paused};
pub use sources::{Declared, ToolSource};
pub use standing::{Grant, Program};
