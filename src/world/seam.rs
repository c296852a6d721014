//! The seam between this program and the world: each call that can fail passes here first.
//!
//! In a build with debug assertions, `SCOUTAI_FAULT` chooses what happens at the n-th call, counted
//! from 1: `kill:N` ends the process at once, as `kill -9` would; `CODE:N` (`ENOSPC`, `EIO`,
//! `EACCES`, `EDQUOT`, `EINTR`) makes that call fail; `short:N` makes a write take half of its
//! bytes and then fail with `ENOSPC`. `count:FILE` appends a line per call to FILE and lets it pass.
//! A release build has none of this.

#[cfg(not(debug_assertions))]
use std::io;

/// What is about to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Read,
    Write,
    Sync,
    Lock,
    Inspect,
    Create,
    Start,
}

/// What the seam lets a call do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    Whole,
    /// A write: only this share of the bytes, in halves; then the disk is full.
    Half,
}

/// Passes the seam: called once before each call to the world.
#[cfg(not(debug_assertions))]
#[inline]
pub fn pass(_step: Step) -> io::Result<Pass> {
    Ok(Pass::Whole)
}

#[cfg(debug_assertions)]
pub use faults::pass;

#[cfg(debug_assertions)]
mod faults {
    use std::io::{self, Write};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{Pass, Step};

    enum Fault {
        None,
        Kill(u64),
        Fail(rustix::io::Errno, u64),
        Short(u64),
        Count(std::path::PathBuf),
    }

    static FAULT: OnceLock<Fault> = OnceLock::new();
    static CALLS: AtomicU64 = AtomicU64::new(0);

    /// Passes the seam: called once before each call to the world.
    pub fn pass(step: Step) -> io::Result<Pass> {
        let call = CALLS.fetch_add(1, Ordering::SeqCst) + 1;
        match FAULT.get_or_init(chosen) {
            Fault::Kill(at) if *at == call => {
                let own = rustix::process::getpid();
                rustix::process::kill_process(own, rustix::process::Signal::KILL)?;
                Ok(Pass::Whole)
            }
            Fault::Fail(errno, at) if *at == call => Err(io::Error::from(*errno)),
            Fault::Short(at) if *at == call && step == Step::Write => Ok(Pass::Half),
            Fault::None | Fault::Kill(_) | Fault::Fail(..) | Fault::Short(_) => Ok(Pass::Whole),
            Fault::Count(file) => {
                #[expect(clippy::disallowed_methods, reason = "the count must not count itself")]
                let mut out = std::fs::OpenOptions::new()
                    .append(true)
                    .create(true)
                    .open(file)?;
                writeln!(out, "{step:?}")?;
                Ok(Pass::Whole)
            }
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "tests steer the seam before anything is read"
    )]
    fn chosen() -> Fault {
        let Ok(text) = std::env::var("SCOUTAI_FAULT") else {
            return Fault::None;
        };
        let Some((what, at)) = text.split_once(':') else {
            return Fault::None;
        };
        if what == "count" {
            return Fault::Count(at.into());
        }
        let at = at.parse().unwrap_or(0);
        match what {
            "kill" => Fault::Kill(at),
            "short" => Fault::Short(at),
            "ENOSPC" => Fault::Fail(rustix::io::Errno::NOSPC, at),
            "EIO" => Fault::Fail(rustix::io::Errno::IO, at),
            "EACCES" => Fault::Fail(rustix::io::Errno::ACCESS, at),
            "EDQUOT" => Fault::Fail(rustix::io::Errno::DQUOT, at),
            "EINTR" => Fault::Fail(rustix::io::Errno::INTR, at),
            _ => Fault::None,
        }
    }
}
