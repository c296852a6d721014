//! A call to the world that fails leaves whole messages, an error, and a chat that runs again.

use super::child::{ANSWER, Tools};
use super::stage::{Ending, Stage};

#[test]
fn any_call_may_fail_once() {
    let whole = Stage::whole(Tools::Repeatable);
    let calls = Stage::calls(Tools::Repeatable);
    for fault in ["ENOSPC", "EIO", "EACCES", "EDQUOT", "EINTR", "short"] {
        let mut failed = 0;
        for call in 1..=calls {
            let stage = Stage::new(Tools::Repeatable);
            let at = format!("{fault} at call {call}");
            match stage.run(&format!("{fault}:{call}")) {
                Ending::Failed(error) => {
                    failed += 1;
                    assert!(error.contains("chat.md"), "{at}: {error}");
                    let messages = stage.messages();
                    assert_eq!(messages, whole[..messages.len()], "{at}");
                    if messages.len() + 1 == whole.len() {
                        // The answer is what was not recorded: it was told all the same.
                        assert!(error.ends_with(ANSWER), "{at}: {error}");
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
        let (least, most) = match fault {
            // A signal is no failure.
            "EINTR" => (0, 0),
            // Only writes can be short.
            "short" => (11, 11),
            _ => (33, calls),
        };
        assert!(
            (least..=most).contains(&failed),
            "{fault}: {failed} of {calls}"
        );
    }
}
