//! A chat file is the program and its own record: this library reads one, works out what it asks
//! for, and carries the conversation on.
//!
//! The rooms, from the ground up: [`chat`] is the format; [`world`] is everything outside the
//! process; [`plan`] types what a chat says; [`tools`] is the one registry of tools;
//! [`backends`] speaks to models; [`mcp`] brings in the tools of MCP servers; [`run`] is the loop
//! and the record; [`wiring`] chooses the adapters; [`cli`] is the command line.
//! `docs/ARCHITECTURE.md` draws the flow.

pub mod chat;
pub mod world;

pub mod plan;
pub mod tools;

pub mod backends;
pub mod mcp;

pub mod run;

pub mod wiring;

pub mod cli;
