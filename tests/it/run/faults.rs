//! A call to the world that fails leaves whole messages, an error, and a chat that runs again.

use super::child::{ANSWER, Tools};
use super::stage::{Ending, Stage};

/// A call that fails ends the run, unless nothing depends on it any more.
const LEAST: usize = 60;

#[test]
fn no_space() {
    let (failed, calls) = fail_each("ENOSPC");
    assert!((LEAST..=calls).contains(&failed), "{failed} of {calls}");
}

#[test]
fn broken_disk() {
    let (failed, calls) = fail_each("EIO");
    assert!((LEAST..=calls).contains(&failed), "{failed} of {calls}");
}

#[test]
fn no_permission() {
    let (failed, calls) = fail_each("EACCES");
    assert!((LEAST..=calls).contains(&failed), "{failed} of {calls}");
}

#[test]
fn no_quota() {
    let (failed, calls) = fail_each("EDQUOT");
    assert!((LEAST..=calls).contains(&failed), "{failed} of {calls}");
}

#[test]
fn signals_are_no_failure() {
    assert_eq!(fail_each("EINTR").0, 0);
}

#[test]
fn short_writes() {
    // Each of the eleven pieces is one write.
    assert_eq!(fail_each("short").0, 11);
}

/// Makes each call of a run fail, one run for each; gives how many runs failed, and of how many.
fn fail_each(fault: &str) -> (usize, usize) {
    let whole = Stage::whole(Tools::Repeatable);
    let calls = Stage::calls(Tools::Repeatable);
    let (mut failed, mut told) = (0, 0);
    for call in 1..=calls {
        let stage = Stage::new(Tools::Repeatable);
        let at = format!("{fault} at call {call}");
        match stage.run(&format!("{fault}:{call}")) {
            Ending::Failed(error) => {
                failed += 1;
                assert!(error.contains("chat.md"), "{at}: {error}");
                let messages = stage.messages();
                assert_eq!(messages, whole[..messages.len()], "{at}");
                // The answer that could not be recorded was told all the same.
                told += usize::from(messages.len() + 2 == whole.len() && error.ends_with(ANSWER));
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
    assert!(told > 0 || fault == "EINTR", "{fault}: {told}");
    (failed, calls)
}
