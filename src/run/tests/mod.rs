//! The loop against a backend that plays set answers.

mod calls;
mod conversation;
mod endings;
mod limits;
mod play;
