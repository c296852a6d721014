//! One registry of tools, whatever their source: `name -> (definition, executor)`, and one way to
//! call them. Uses `chat`.
//!
//! Always true here: arguments are checked against the definition before an executor sees them;
//! names fit every provider and are unique; an executor that panics fails its call and no more.
//! Outputs are whole: who stores one cuts it with [`OutputLimit`].

mod definition;
mod executor;

mod registry;

mod arguments;
mod findings;
mod naming;

mod function;
mod limit;

pub use definition::{Declaration, Tool, ToolDefinition};
pub use executor::{CallContext, Effects, Executor, Output, OutputMedia, ToolError};
pub use function::{async_function, function};
pub use limit::{Cut, OutputLimit};
pub use registry::ToolRegistry;
