//! Servers that are busy, wrong or not there, and keys that cannot be sent.

use serde_json::json;

use super::{Place, failed_well};
use crate::fakellm::{FakeLlm, Play};

const CHAT: &str = "user: Which?\n";

#[test]
fn busy_servers_are_tried_again_where_the_user_sees_it() {
    let busy = |status| Play::error(status, "overloaded", "busy").header("retry-after-ms", "1");
    let llm = FakeLlm::start(vec![busy(429), busy(529), busy(503), Play::text("Here.")]);
    let place = Place::asking(&llm);
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Here.\n"),
        "{ran:?}"
    );
    assert_eq!(llm.requests().len(), 4);
    for status in ["429", "529", "503"] {
        assert!(ran.stderr.contains(status), "{status}: {ran:?}");
    }
}

#[test]
fn what_does_not_pass_fails_at_once_with_its_cure() {
    for (status, headers, cause) in [
        (429, Some("86400"), "429"),
        (400, None, "400"),
        (401, None, "key"),
        (404, None, "404"),
    ] {
        let mut play = Play::error(status, "some_error", "said so");
        if let Some(wait) = headers {
            play = play.header("retry-after", wait);
        }
        let llm = FakeLlm::start(vec![play, Play::text("Now.")]);
        let place = Place::asking(&llm);
        place.write("chat.md", CHAT);
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!(llm.requests().len(), 1, "{status}");
        assert_eq!(place.read("chat.md"), CHAT, "{status}");
        assert!(ran.stderr.contains("said so"), "{ran:?}");
        assert!(ran.stderr.contains("hint: "), "{ran:?}");
        failed_well(&place, "chat.md", CHAT, &ran, 1, cause);
    }
}

#[test]
fn a_server_that_is_not_there_is_told_with_its_address() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let place = Place::new();
    place.config(&format!(
        "[defaults]\nendpoint = \"own\"\n[endpoints.own]\nbackend = \"llamacpp\"\nurl = \"http://127.0.0.1:{port}/v1\"\nmodel = \"m\"\n"
    ));
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stderr.contains(&format!("127.0.0.1:{port}")), "{ran:?}");
    assert_eq!(place.read("chat.md"), CHAT);
}

/// A place whose endpoint takes this key.
fn keyed(llm: &FakeLlm, key: &str) -> Place {
    let place = Place::new();
    place.config(&format!(
        "[defaults]\nendpoint = \"own\"\n[endpoints.own]\nbackend = \"openai\"\nurl = \"{}\"\nmodel = \"m\"\nkey = {}\n",
        llm.url,
        json!(key)
    ));
    place.write("chat.md", CHAT);
    place
}

#[test]
fn blanks_around_a_key_are_no_part_of_it() {
    for (variable, file) in [("sk-canary-123\r\n", ""), ("", " sk-canary-123\n\n")] {
        let llm = FakeLlm::start(vec![Play::text("Hi!")]);
        let key = if file.is_empty() {
            "env:OWN_KEY"
        } else {
            "file:../key"
        };
        let place = keyed(&llm, key).variable("OWN_KEY", variable);
        let path = place.top.path().join("key");
        std::fs::write(&path, file).unwrap();
        if !file.is_empty() {
            let text = format!("file:{}", path.display());
            let config = place.top.path().join("home/.config/scoutai/config.toml");
            let old = std::fs::read_to_string(&config).unwrap();
            place.config(&old.replace(key, &text));
        }
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!(ran.stdout, "Hi!\n", "{ran:?}");
        let request = llm.only_request();
        assert_eq!(
            request.header("authorization"),
            Some("Bearer sk-canary-123")
        );
    }
}

#[test]
fn keys_that_cannot_be_sent_are_named_without_their_value_before_any_request() {
    for (key, value, named) in [
        ("env:OWN_KEY", Some("sk-canary 123"), "OWN_KEY"),
        ("env:OWN_KEY", Some("sk-canary-é"), "OWN_KEY"),
        ("env:OWN_KEY", Some("  "), "OWN_KEY"),
        ("env:OWN_KEY", None, "OWN_KEY"),
        ("file:/none/here.key", None, "/none/here.key"),
        ("cmd:echo; exit 3", None, "echo"),
    ] {
        let llm = FakeLlm::start(vec![]);
        let mut place = keyed(&llm, key);
        if let Some(value) = value {
            place = place.variable("OWN_KEY", value);
        }
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!(
            (ran.exit, llm.requests().len()),
            (Some(1), 0),
            "{key} {value:?}: {ran:?}"
        );
        assert!(ran.stderr.contains(named), "{key} {value:?}: {ran:?}");
        assert!(!ran.stderr.contains("canary"), "{ran:?}");
        assert_eq!(place.read("chat.md"), CHAT);
    }
}
