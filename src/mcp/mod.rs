//! MCP servers as a source of tools. Uses `chat`, `tools`, `world`; the SDK's types stay inside.
//!
//! Always true here: a server sees only the variables that it was given; its process group ends
//! with its connection, on every way out; one bad tool, or one bad server, takes no other down; a
//! failure names the server, what it was started with and what it said last.

mod error;
mod server;

#[cfg(feature = "mcp")]
mod enabled;
#[cfg(feature = "mcp")]
pub use enabled::{Connection, close_all, connect, connect_all};

#[cfg(not(feature = "mcp"))]
mod disabled;
#[cfg(not(feature = "mcp"))]
pub use disabled::{Connection, close_all, connect, connect_all};

pub use error::McpError;
pub use server::{Annotations, StdioServer, command_line};
