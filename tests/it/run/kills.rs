//! A run that is killed at any call to the world goes on when it is started again.

use scoutai::chat::Role;

use super::child::{ANSWER, Tools};
use super::stage::{Ending, Stage};

#[test]
fn a_run_that_was_killed_anywhere_ends_the_same_when_it_is_run_again() {
    let whole = Stage::whole(Tools::Repeatable);
    let mut kills = 0;
    for call in 1.. {
        let stage = Stage::new(Tools::Repeatable);
        if stage.run(&format!("kill:{call}")) != Ending::Killed {
            break;
        }
        kills += 1;
        let messages = stage.messages();
        assert_eq!(messages, whole[..messages.len()], "killed at call {call}");
        assert_eq!(stage.run("none"), Ending::Answered(ANSWER.to_owned()));
        assert_eq!(stage.messages(), whole, "killed at call {call}");
    }
    // Eleven pieces, each with a write, a sync and a look at the file.
    assert!(kills > 33, "{kills}");
}

#[test]
fn a_call_with_effects_is_made_at_most_once() {
    let whole = Stage::whole(Tools::Ledger);
    let mut interrupted = 0;
    for call in 1.. {
        let stage = Stage::new(Tools::Ledger);
        if stage.run(&format!("kill:{call}")) != Ending::Killed {
            break;
        }
        for _ in 0..3 {
            assert_eq!(stage.run("none"), Ending::Answered(ANSWER.to_owned()));
        }
        let messages = stage.messages();
        let told: Vec<&String> = messages
            .iter()
            .zip(&whole)
            .filter(|(one, whole)| one != whole)
            .map(|((_, content), _)| content)
            .collect();
        interrupted += told.len();
        // A call that the model was told is interrupted may have been made or not; each other one
        // was made once.
        let ledger = stage.ledger();
        for n in ["2", "3", "5"] {
            let made = ledger.lines().filter(|line| *line == n).count();
            let open = format!(
                "{{\"name\":\"bake\",\"content\":\"interrupted\",\"id\":\"call_{n}\",\"error\":true}}"
            );
            let was_told = told.contains(&&open);
            assert!(
                made == 1 || was_told && made == 0,
                "killed at call {call}: {ledger:?} {told:?}"
            );
        }
        let outputs = |messages: &[(Role, String)]| messages.len();
        assert_eq!(outputs(&messages), outputs(&whole), "killed at call {call}");
    }
    assert!(interrupted > 6, "{interrupted}");
}
