//! Runs on chat files: kills, faults, locks and editors.

mod child;
mod stage;

mod editors;
mod faults;
mod files;
mod kills;
mod locks;
