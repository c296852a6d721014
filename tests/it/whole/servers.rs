//! Servers of tools that are noisy, slow, dead or too curious.

use std::path::Path;

use super::Place;
use crate::fakellm::{FakeLlm, Play};

/// The line that declares the scripted server of the tests of `mcp`.
fn scripted(modes: &str, only: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/fakemcp.py");
    format!(
        "mcp: stdio \"python3 '{}' log {modes}\" {only}\n",
        script.display()
    )
}

fn hurried(place: &Place, llm: &FakeLlm) {
    place.config(&format!(
        "[defaults]\nendpoint = \"fake\"\n[endpoints.fake]\nbackend = \"openai\"\nurl = \"{}\"\nmodel = \"tiny-7\"\n[limits]\nstartup_timeout = 3\n",
        llm.url
    ));
}

#[test]
fn noise_on_the_output_of_a_server_spoils_no_call() {
    let llm = FakeLlm::start(vec![
        Play::calls(&[("c", "echo", r#"{"text": "heard"}"#)]),
        Play::text("Done."),
    ]);
    let place = Place::asking(&llm);
    place.write("chat.md", &format!("{}user: Go.\n", scripted("noise", "")));
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Done.\n"),
        "{ran:?}"
    );
    assert_eq!(llm.requests()[1].json()["messages"][2]["content"], "heard");
    assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn dead_servers_are_named_and_a_good_one_is_used() {
    let llm = FakeLlm::start(vec![
        Play::calls(&[("c", "echo", r#"{"text": "heard"}"#)]),
        Play::text("Done."),
    ]);
    let place = Place::new();
    hurried(&place, &llm);
    let dead = "mcp: stdio sleep 1000\nmcp: stdio no-such-program-here\n";
    place.write("chat.md", &format!("{dead}{}user: Go.\n", scripted("", "")));
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Done.\n"),
        "{ran:?}"
    );
    for told in ["chat.md:1:1", "chat.md:2:1", "no-such-program-here"] {
        assert!(ran.stderr.contains(told), "{told}: {ran:?}");
    }
}

#[test]
fn a_dead_server_whose_tool_was_asked_for_by_name_ends_the_run_before_it_costs() {
    for line in [
        "mcp: stdio \"no-such-program-here\" look\n".to_owned(),
        scripted("", "no_such_tool"),
    ] {
        let llm = FakeLlm::start(vec![]);
        let place = Place::new();
        hurried(&place, &llm);
        let chat = format!("{line}user: Go.\n");
        place.write("chat.md", &chat);
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!((ran.exit, llm.requests().len()), (Some(1), 0), "{ran:?}");
        assert!(ran.stderr.contains("chat.md:1:1"), "{ran:?}");
        assert_eq!(place.read("chat.md"), chat);
    }
}
