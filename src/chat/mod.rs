//! The format: text to messages and back. Pure; uses no other room.
//!
//! Always true here: `parse(print(m))` gives `m` back for every list in normal form, what is
//! appended never changes how the text before it reads, and no text of a message can become a
//! header. `docs/FORMAT.md` is the contract in words, `grammar/chat.pest` its lexical half.

mod message;
mod role;

mod diagnostic;
mod span;

mod parse;
mod print;

mod append;
mod lint;

mod grammar;
mod lines;
mod normal;
mod reading;
mod regions;
mod start;
mod tags;

mod meta;
mod record;
mod values;

pub use append::{AppendRefused, appendix};
pub use diagnostic::{Diagnostic, Severity};
pub use lint::{lint, lint_last_segment};
pub use message::{Chat, LineEnd, Message};
pub use meta::{Meta, MetaValue};
pub use normal::{attribute, normal};
pub use parse::{decode, parse};
pub use print::{last_segment, print};
pub use record::{CallId, Reasoning, RecordError, ToolCall, ToolName, ToolOutput};
pub use role::{Keyword, Role};
pub use span::{Origin, Span, position};
pub use values::{ValueError, Word, key_value, literal, words};
