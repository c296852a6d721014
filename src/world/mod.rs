//! Everything outside the process: files, places, configuration, environment, programs, time.
//! Uses no other room and gives back plain values.
//!
//! Always true here: every call that can fail goes through the one [`seam`], which a test build can
//! make fail, or end the process, at its n-th call.

pub mod seam;

pub mod chat_file;
pub mod chat_folder;

pub mod clock;
pub mod config;
pub mod endpoint_file;
pub mod environment;
pub mod files;
pub mod model_table;
pub mod places;
pub mod processes;
pub mod scout_config;
mod secret;
pub mod walk;

pub use config::Config;
pub use environment::Environment;
pub use places::Places;
pub use secret::Secret;
