//! Ctrl-C at moments in which no request is on its way: nothing waits, and nothing is left behind.

use std::io::Read;
use std::process::{Child, Stdio};

use super::cut::interrupt;
use super::{Place, Ran, is_alive, wait_until};
use crate::fakellm::{FakeLlm, Play};

/// Reads what a child says on stderr up to these words.
fn wait_for_words(child: &mut Child, words: &str) {
    let stderr = child.stderr.as_mut().unwrap();
    let mut said = String::new();
    let mut one = [0];
    while !said.contains(words) {
        assert_eq!(stderr.read(&mut one).unwrap(), 1, "it ended after {said:?}");
        said.push(char::from(one[0]));
    }
}

#[test]
fn a_wait_for_stdin_can_be_interrupted() {
    for arguments in [["ask", "chat.md"], ["add", "chat.md"]] {
        let place = Place::new();
        place.write("chat.md", "user: hi\n");
        let mut child = place
            .command(&arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for_words(&mut child, "waiting for");
        let stdin = child.stdin.take();
        interrupt(child.id(), "-INT");
        let ran = Ran::of(&child.wait_with_output().unwrap());
        drop(stdin);
        assert_eq!(ran.exit, Some(130), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains("error: interrupted"), "{ran:?}");
        assert_eq!(place.read("chat.md"), "user: hi\n");
    }
}

#[test]
fn a_second_interrupt_takes_stubborn_programs_along() {
    let place = Place::new();
    place.write(
        "chat.md",
        "cmd: trap '' INT; trap 'echo > told' TERM; echo $$ > pid; while true; do sleep 0.1; done\nuser: hi\n",
    );
    let child = place.start(&["ask", "chat.md"]);
    let pid = || std::fs::read_to_string(place.work().join("pid")).unwrap_or_default();
    wait_until("the command", || pid().ends_with('\n'));
    interrupt(child.id(), "-INT");
    wait_until("the word to the command", || {
        place.work().join("told").exists()
    });
    interrupt(child.id(), "-INT");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, Some(130), "{ran:?}");
    wait_until("the end of the command", || !is_alive(&pid()));
}

#[test]
fn an_interrupted_call_and_an_interrupted_test_say_so_with_their_exit_code() {
    let llm = FakeLlm::start(vec![Play::text("Hi!").silent_after(1)]);
    let place = Place::asking(&llm);
    let child = place.start(&["endpoints", "test", "fake"]);
    wait_until("the request", || llm.requests().len() == 1);
    interrupt(child.id(), "-INT");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, Some(130), "{ran:?}");

    place.write(
        "server.py",
        &include_str!("server.py").replace(
            "    text = called(",
            "    open(\"called\", \"w\").close()\n    sys.stdin.read()\n    text = called(",
        ),
    );
    place.write("chat.md", "mcp: stdio python3 server.py pid\nuser: Go.\n");
    let child = place.start(&["call", "chat.md", "look"]);
    wait_until("the call", || place.work().join("called").exists());
    interrupt(child.id(), "-INT");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, Some(130), "{ran:?}");
    let pid = place.read("pid");
    assert!(!is_alive(&pid), "the server {pid} is still there");
}

#[test]
fn programs_that_read_events_hear_of_the_end_too() {
    let llm = FakeLlm::start(vec![Play::text("One two").silent_after(1)]);
    let place = Place::asking(&llm);
    place.write("chat.md", "user: hi\n");
    let mut child = place.start(&["ask", "--json", "chat.md"]);
    let mut first = [0; 10];
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_exact(&mut first).unwrap();
    wait_until("the request", || llm.requests().len() == 1);
    interrupt(child.id(), "-INT");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    let last: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(
        last,
        serde_json::json!({
            "event": "failed", "exit": 130, "message": "interrupted",
            "hint": "run the chat again to go on", "found": [],
        })
    );
}
