//! Where a key goes, seen on the wire.

use super::Place;
use crate::fakellm::{FakeLlm, Play};

const CANARY: &str = "sk-canary-4711-do-not-leak";

/// Everything that a server was sent, as one text.
fn sent(llm: &FakeLlm) -> String {
    format!("{:?}", llm.requests())
}

#[test]
fn a_cloned_project_that_sets_its_own_url_finds_no_key() {
    for (file, text, arguments) in [
        (
            "etc/AI/theirs.yaml",
            "backend: openai\nurl: URL\nmodel: m\n",
            vec!["ask", "-e", "theirs", "hi"],
        ),
        (
            ".scout/etc/AI/theirs.yaml",
            "url: URL\nmodel: m\n",
            vec!["ask", "-e", "theirs", "hi"],
        ),
        (
            "etc/AI/openai.yaml",
            "url: URL\nmodel: m\n",
            vec!["ask", "-e", "openai", "hi"],
        ),
        (
            "chat.md",
            "option: url URL\nmodel: m\nuser: hi\n",
            vec!["ask", "chat.md"],
        ),
        (
            "chat.md",
            "---\nendpoint: openai\noption: url URL\n---\nmodel: m\nuser: hi\n",
            vec!["ask", "chat.md"],
        ),
        (
            "chat.md",
            "option: url URL\noption: key env:OPENAI_API_KEY\nmodel: m\nuser: hi\n",
            vec!["ask", "chat.md"],
        ),
    ] {
        let llm = FakeLlm::start(vec![Play::text("Hi!")]);
        let place = Place::new().variable("OPENAI_API_KEY", CANARY);
        place.write(file, &text.replace("URL", &llm.url));
        let ran = place.run(&arguments);
        let case = format!("{file}: {text}");
        assert!(!sent(&llm).contains("canary"), "{case}: {}", sent(&llm));
        assert!(!sent(&llm).contains("authorization"), "{case}");
        assert!(!format!("{ran:?}").contains("canary"), "{case}: {ran:?}");
    }
}

#[test]
fn a_host_of_the_users_own_settings_gets_the_key() {
    let llm = FakeLlm::start(vec![Play::text("Hi!")]);
    let place = Place::new().variable("OPENAI_API_KEY", CANARY);
    place.config(&format!(
        "[endpoints.own]\nbackend = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\nkey = \"env:OPENAI_API_KEY\"\n",
        llm.url
    ));
    let ran = place.run(&["ask", "-v", "-e", "own", "hi"]);
    assert_eq!(ran.stdout, "Hi!\n");
    assert_eq!(
        llm.only_request().header("authorization"),
        Some(format!("Bearer {CANARY}").as_str())
    );
    assert!(!format!("{ran:?}").contains("canary"), "{ran:?}");
}

#[test]
fn no_redirect_carries_a_key_away() {
    let elsewhere = FakeLlm::start(vec![Play::text("Hi!")]);
    let target = format!("{}/chat/completions", elsewhere.url);
    let llm = FakeLlm::start(vec![
        Play::body(307, "text/plain", "").header("location", &target),
    ]);
    let place = Place::new().variable("OPENAI_API_KEY", CANARY);
    place.config(&format!(
        "[endpoints.own]\nbackend = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\nkey = \"env:OPENAI_API_KEY\"\n",
        llm.url
    ));
    let ran = place.run(&["ask", "-e", "own", "hi"]);
    assert_eq!(
        (ran.exit, elsewhere.requests().len()),
        (Some(1), 0),
        "{ran:?}"
    );
}

#[test]
fn started_programs_see_no_key() {
    let llm = FakeLlm::start(vec![Play::text("Hi!")]);
    let place = Place::asking(&llm)
        .variable("OPENAI_API_KEY", CANARY)
        .variable("AWS_SECRET_ACCESS_KEY", CANARY)
        .variable("LANG", "C.UTF-8");
    place.write("chat.md", "user: Look.\n\ncmd: env\n");
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    let body = llm.only_request().body;
    assert!(body.contains("LANG=C.UTF-8"), "{body}");
    assert!(!body.contains("canary"), "{body}");
}

#[test]
fn an_error_of_the_server_that_repeats_the_key_is_masked() {
    let echo = format!("Incorrect API key provided: {CANARY}");
    let llm = FakeLlm::start(vec![Play::error(401, "invalid_api_key", &echo)]);
    let place = Place::new().variable("OPENAI_API_KEY", CANARY);
    place.config(&format!(
        "[endpoints.own]\nbackend = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\nkey = \"env:OPENAI_API_KEY\"\n",
        llm.url
    ));
    let ran = place.run(&["ask", "-e", "own", "hi"]);
    assert_eq!((ran.exit, llm.requests().len()), (Some(1), 1), "{ran:?}");
    assert!(!format!("{ran:?}").contains("canary"), "{ran:?}");
}
