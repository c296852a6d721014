//! The one test binary: a module for each kind of test.

#![expect(clippy::disallowed_methods, reason = "tests arrange the world by hand")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod atomic;
mod backends;
mod cases;
mod checks;
mod compat;
mod docs;
mod endpoints;
mod fakellm;
mod format;
mod keys;
mod laws;
mod layers;
mod mcp;
mod peers;
mod plan;
mod run;
mod settings;
mod strict;
mod terminal;
mod tidy;
mod tools;
mod whole;
mod world;
mod writing;
