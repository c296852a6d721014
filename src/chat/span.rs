//! Places in a file.

use std::path::Path;
use std::sync::Arc;

/// A range of bytes in the bytes of a file, BOM and shebang included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// Where something came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Origin {
    /// It stands in a file.
    File { path: Arc<Path>, span: Span },
    /// The running program made it: a flag, stdin, a reply.
    Run,
}
