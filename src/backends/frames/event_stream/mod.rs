//! Frames of AWS event streams: binary, each with two checksums.
//!
//! Without the feature `bedrock` nobody reads them.

#[cfg(feature = "bedrock")]
mod enabled;
#[cfg(feature = "bedrock")]
pub(super) use enabled::events;

#[cfg(not(feature = "bedrock"))]
mod disabled;
#[cfg(not(feature = "bedrock"))]
pub(super) use disabled::events;

/// The name of an event that tells an error; real events have no such name.
pub(in crate::backends) const EXCEPTION: &str = ":exception";
