//! A call to the world that fails leaves whole messages, an error, and a chat that runs again.

use super::child::{ANSWER, Tools};
use super::stage::{Ending, Stage};

/// A call that fails ends the run, unless nothing depends on it any more.
const LEAST: usize = 50;

#[test]
fn no_space() {
    let seen = fail_each("ENOSPC");
    assert!(seen.failed >= LEAST, "{seen:?}");
}

#[test]
fn broken_disk() {
    let seen = fail_each("EIO");
    assert!(seen.failed >= LEAST, "{seen:?}");
}

#[test]
fn no_permission() {
    let seen = fail_each("EACCES");
    assert!(seen.failed >= LEAST, "{seen:?}");
}

#[test]
fn no_quota() {
    let seen = fail_each("EDQUOT");
    assert!(seen.failed >= LEAST, "{seen:?}");
}

#[test]
fn signals_are_no_failure() {
    assert_eq!(fail_each("EINTR").failed, 0);
}

#[test]
fn short_writes() {
    // Each of the eleven pieces is one write.
    assert_eq!(fail_each("short").failed, 11);
}

/// What was seen while each call failed once.
#[derive(Debug, Default)]
struct Seen {
    /// How many runs failed.
    failed: usize,
    /// In how many of them an answer that was not recorded was told.
    told: usize,
    /// In how many of them the first message that was not recorded lay in the file that the error
    /// names.
    rescued: usize,
}

/// Makes each call of a run fail, one run for each.
fn fail_each(fault: &str) -> Seen {
    let whole = Stage::whole(Tools::Repeatable);
    let calls = Stage::calls(Tools::Repeatable);
    let mut seen = Seen::default();
    for call in 1..=calls {
        let stage = Stage::new(Tools::Repeatable);
        let at = format!("{fault} at call {call}");
        match stage.run(&format!("{fault}:{call}")) {
            Ending::Failed(error) => {
                let messages = stage.messages();
                assert!(error.contains("chat.md"), "{at}: {error}");
                assert_eq!(messages, whole[..messages.len()], "{at}");
                seen.failed += 1;
                // A run that did not get as far as to ask has lost nothing.
                if let Some((rescued, told)) = error.split_once("\ntold: ")
                    && let Some((role, _)) = whole.get(messages.len())
                {
                    seen.rescued += usize::from(rescued.contains(&format!("\n{role}: ")));
                    seen.told += usize::from(told.ends_with(ANSWER));
                }
                assert_eq!(
                    stage.run("none"),
                    Ending::Answered(ANSWER.to_owned()),
                    "{at}"
                );
            }
            Ending::Answered(answer) => assert_eq!(answer, ANSWER, "{at}"),
            ending @ (Ending::InUse | Ending::Killed) => panic!("{at}: {ending:?}"),
        }
        assert_eq!(stage.messages(), whole, "{at}");
    }
    // Ten pieces say something, and each of them is written by a call that failed once.
    if fault != "EINTR" {
        assert!(seen.rescued >= 10 && seen.told > 0, "{fault}: {seen:?}");
    }
    seen
}
