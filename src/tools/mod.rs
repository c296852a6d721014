//! One registry of tools, whatever their source: `name -> (definition, executor)`, and one way to
//! call them. Uses `chat`.
//!
//! Always true here: arguments are checked against the definition before an executor sees them;
//! names fit every provider and are unique; what an executor gives back is bounded.

mod definition;
mod executor;

pub use definition::ToolDefinition;
pub use executor::{CallContext, Effects, Executor, Output, OutputMedia, ToolError};
