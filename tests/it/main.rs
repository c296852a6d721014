//! The one test binary: a module for each kind of test.

#![expect(clippy::disallowed_methods, reason = "tests arrange the world by hand")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

mod backends;
mod checks;
mod compat;
mod fakellm;
mod format;
mod laws;
mod layers;
mod tidy;
mod writing;
