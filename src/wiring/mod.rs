//! The one place that chooses adapters: settings to an endpoint, an endpoint to a backend, needs to
//! the world, tool sources to executors. Uses every room below.
//!
//! Always true here: the environment and the settings are read once; a key goes only where its
//! owner's own settings, or its provider, say.

pub mod settings;
pub mod trust;

pub mod chats;
pub mod kept;
pub mod needs;

pub mod endpoints;

pub mod models;

pub mod backend;
pub mod tools;

pub use settings::Settings;
