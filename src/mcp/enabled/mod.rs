//! The MCP client: a program is started, greeted and asked for its tools.

mod connection;

mod handshake;
mod listing;

mod call;
mod result;

mod clean;
mod process;
mod transport;
mod wire;

pub use connection::{Connection, close_all, connect, connect_all};
