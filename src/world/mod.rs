//! Everything outside the process: files, places, configuration, environment, programs, time.
//! Uses no other room and gives back plain values.
//!
//! Always true here: every call that can fail goes through the one [`seam`], which a test build can
//! make fail, or end the process, at its n-th call.

pub mod seam;

pub mod chat_file;
pub mod chat_folder;

pub mod clock;
pub mod environment;
pub mod processes;
mod secret;

pub use environment::Environment;
pub use secret::Secret;
