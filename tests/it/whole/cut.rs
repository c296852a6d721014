//! Runs that are cut, and what the next run makes of them.

use std::io::Read;
use std::process::Command;

use super::{Place, Ran, is_alive, wait_until};
use crate::fakellm::{FakeLlm, Gate, Play};

pub(super) fn interrupt(pid: u32, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn an_interrupted_answer_is_kept_marked_and_asked_for_anew() {
    for signal in ["-INT", "-TERM"] {
        let llm = FakeLlm::start(vec![
            Play::text("The capital of Zubrowka").silent_after(3),
            Play::text("The capital of Zubrowka is Lutz."),
        ]);
        let place = Place::asking(&llm);
        place.write("chat.md", "user: Which?\n");
        let mut child = place.start(&["ask", "chat.md"]);
        let mut first = [0; 4];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut first)
            .unwrap();
        interrupt(child.id(), signal);
        let ran = Ran::of(&child.wait_with_output().unwrap());
        assert_eq!(ran.exit, Some(130), "{ran:?}");
        let cut = place.read("chat.md");
        assert!(
            cut.contains("stop=interrupted") && cut.contains("assistant:\n\nThe"),
            "{cut}"
        );

        let again = place.run(&["ask", "chat.md"]);
        assert_eq!(
            (again.exit, again.stdout.as_str()),
            (Some(0), "The capital of Zubrowka is Lutz.\n")
        );
        assert_eq!(
            llm.requests()[1].json()["messages"],
            llm.requests()[0].json()["messages"]
        );
        let whole = place.read("chat.md");
        assert!(whole.starts_with(&cut));
        assert_eq!(whole.matches("is Lutz.").count(), 1);
    }
}

#[test]
fn a_lost_connection_is_no_answer_and_is_not_asked_again_behind_the_users_back() {
    let llm = FakeLlm::start(vec![
        Play::text("The capital of Zubrowka").broken_after(4),
        Play::text("Lutz."),
    ]);
    let place = Place::asking(&llm);
    place.write("chat.md", "user: Which?\n");
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!((ran.exit, llm.requests().len()), (Some(1), 1), "{ran:?}");
    assert!(place.read("chat.md").contains("stop=error"));
    let again = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (again.exit, again.stdout.as_str()),
        (Some(0), "Lutz.\n"),
        "{again:?}"
    );
}

#[test]
fn an_interrupted_tool_loop_leaves_no_server_behind() {
    let llm = FakeLlm::start(vec![
        Play::calls(&[("c1", "no_tool", "{}")]),
        Play::text("x y").silent_after(1),
    ]);
    let place = Place::asking(&llm);
    let server = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/whole/server.py");
    place.write(
        "chat.md",
        &format!(
            "mcp: stdio python3 \"{}\" pid\nuser: Go.\n",
            server.display()
        ),
    );
    let child = place.start(&["ask", "chat.md"]);
    wait_until("the second request", || llm.requests().len() == 2);
    interrupt(child.id(), "-INT");
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, Some(130), "{ran:?}");
    let pid = place.read("pid");
    assert!(!is_alive(&pid), "the server {pid} is still there");
}

#[test]
fn a_second_run_of_a_chat_says_that_it_is_in_use() {
    let gate = Gate::new();
    let llm = FakeLlm::start(vec![Play::text("Hi!").gated(1, &gate)]);
    let place = Place::asking(&llm);
    place.write("chat.md", "user: hi\n");
    let first = place.start(&["ask", "chat.md"]);
    wait_until("the request", || llm.requests().len() == 1);
    let before = place.read("chat.md");
    let second = place.run(&["ask", "chat.md", "me too"]);
    assert_eq!(
        (second.exit, second.stdout.as_str()),
        (Some(6), ""),
        "{second:?}"
    );
    assert_eq!(place.read("chat.md"), before);
    gate.open();
    let first = Ran::of(&first.wait_with_output().unwrap());
    assert_eq!(
        (first.exit, first.stdout.as_str()),
        (Some(0), "Hi!\n"),
        "{first:?}"
    );
}

#[test]
fn a_prompt_that_failed_is_not_said_twice() {
    let llm = FakeLlm::start(vec![
        Play::error(400, "invalid_request_error", "no"),
        Play::text("Hi!"),
    ]);
    let place = Place::asking(&llm);
    let failed = place.run(&["ask", "chat.md", "hello"]);
    assert_eq!(failed.exit, Some(1), "{failed:?}");
    assert_eq!(place.read("chat.md"), "user:\n\nhello\n");
    let ran = place.run(&["ask", "chat.md", "hello"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Hi!\n"),
        "{ran:?}"
    );
    assert_eq!(place.read("chat.md").matches("hello").count(), 1);
}

#[test]
fn the_answer_is_there_before_the_reply_is_whole() {
    let gate = Gate::new();
    let llm = FakeLlm::start(vec![Play::text("One two").gated(2, &gate)]);
    let place = Place::asking(&llm);
    place.write("chat.md", "user: hi\n");
    let mut child = place.start(&["ask", "chat.md"]);
    let mut first = [0; 4];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    assert_eq!(&first, b"One ");
    gate.open();
    let rest = Ran::of(&child.wait_with_output().unwrap());
    assert_eq!(
        (rest.exit, rest.stdout.as_str()),
        (Some(0), "two\n"),
        "{rest:?}"
    );
}
