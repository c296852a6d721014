//! Retries: when, how long, how often.

use std::time::Duration;

use scoutai::backends::{Delta, ErrorKind};

use super::asking::{ask, ask_at, ask_play, endpoint};
use crate::fakellm::{FakeLlm, Play};

fn limited(kind: &str) -> Play {
    Play::error(429, kind, "slow down")
}

#[test]
fn passing_failures_are_tried_again_and_told() {
    let server = FakeLlm::start(vec![
        Play::error(529, "overloaded", "busy"),
        Play::error(503, "server_error", "loading"),
        Play::error(408, "timeout", "late"),
        Play::text("done"),
    ]);
    let asked = ask(&server);
    assert_eq!(asked.text(), "[2][3][4]done");
    let reason = asked.told.iter().find_map(|delta| match delta {
        Delta::Retrying { reason, .. } => Some(reason.clone()),
        Delta::Text(_) | Delta::Reasoning(_) | Delta::Noted(_) => None,
    });
    assert_eq!(
        reason,
        Some(format!(
            "`{}/chat/completions` answers 529: busy",
            server.url
        ))
    );
}

#[test]
fn tries_are_counted() {
    let server = FakeLlm::start(vec![Play::error(500, "server_error", "x"); 9]);
    let asked = ask(&server);
    assert_eq!(server.requests().len(), 4);
    assert_eq!(
        asked.failed(),
        format!(
            "Server: `{}/chat/completions` answers 500 (Internal Server Error): x (tried 4 times) \
             / nothing",
            server.url
        )
    );
}

#[test]
fn a_server_is_waited_for_as_long_as_it_asks() {
    let server = FakeLlm::start(vec![
        limited("rate_limit_exceeded").header("retry-after-ms", "300"),
        limited("rate_limit_exceeded").header("retry-after", "0.2"),
        Play::text("done"),
    ]);
    let asked = ask(&server);
    assert_eq!(asked.text(), "[2][3]done");
    let at: Vec<_> = server.requests().iter().map(|seen| seen.at).collect();
    assert!(at[1] - at[0] >= Duration::from_millis(300));
    assert!(at[2] - at[1] >= Duration::from_millis(200));
}

#[test]
fn what_does_not_pass_fails_at_once() {
    let day = limited("rate_limit_exceeded").header("retry-after", "86400");
    let told_not_to = Play::error(500, "x", "no").header("x-should-retry", "false");
    for (play, kind, hint) in [
        (day, ErrorKind::RateLimit, "86400 seconds"),
        (told_not_to, ErrorKind::Server, "ask again"),
        (
            limited("insufficient_quota"),
            ErrorKind::RateLimit,
            "balance",
        ),
        (
            Play::error(400, "bad_request", "no"),
            ErrorKind::Request,
            "options",
        ),
        (
            Play::error(401, "invalid_api_key", "no"),
            ErrorKind::Authentication,
            "the variable `TEST_KEY`",
        ),
        (
            Play::error(403, "x", "no"),
            ErrorKind::Authentication,
            "TEST_KEY",
        ),
        (
            Play::error(404, "x", "Not Found"),
            ErrorKind::NotFound,
            "`/v1`",
        ),
        (
            Play::error(404, "model_not_found", "no model `m`"),
            ErrorKind::NotFound,
            "name of the model",
        ),
        (Play::error(413, "x", "big"), ErrorKind::TooLong, "clear:"),
    ] {
        let server = FakeLlm::start(vec![play, Play::text("never asked for")]);
        let asked = ask(&server);
        assert_eq!(
            (asked.failure().error.kind, server.requests().len()),
            (kind, 1),
            "{}",
            asked.failed()
        );
        assert!(asked.hint().contains(hint), "{}", asked.hint());
    }
}

#[test]
fn a_dead_port_is_told_at_once() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let asked = ask_at(endpoint(&format!("http://{address}/v1")));
    assert_eq!(asked.text(), "");
    assert_eq!(
        asked.failed(),
        format!(
            "Connection: cannot connect to `{address}`: Connection refused (os error 111) / nothing"
        )
    );
    assert!(asked.hint().contains("is the server running?"));
}

#[test]
fn answers_of_other_kinds_are_named() {
    let page = "\n<!doctype html><title>x</title>";
    for (play, words, hint) in [
        (
            Play::body(200, "text/html", page),
            "answers with a web page instead of JSON",
            "`/v1`",
        ),
        (
            Play::body(404, "text/html", page),
            "answers 404 (Not Found) with a web page",
            "`/v1`",
        ),
        (
            Play::body(200, "text/plain", "Ollama is running"),
            "answers with neither JSON nor a stream of events: Ollama is running",
            "URL",
        ),
        (
            Play::body(200, "application/json", "{\"choices\": ["),
            "the reply begins as JSON and is none: EOF",
            "ask again",
        ),
        (
            Play::body(200, "text/event-stream", "\u{feff}{\"odd\": 1}"),
            "holds no `choices`",
            "Chat Completions",
        ),
        (
            Play::body(400, "application/json", "那".repeat(5000)).header("x-request-id", "req_1"),
            "那那…",
            "options",
        ),
    ] {
        let asked = ask_play(play);
        assert!(asked.failed().contains(words), "{}", asked.failed());
        assert!(asked.hint().contains(hint), "{}", asked.hint());
    }
}

#[test]
fn a_whole_reply_to_a_question_for_a_stream_is_taken() {
    let body = serde_json::json!({"choices": [{"finish_reason": "stop",
        "message": {"content": "pear", "reasoning": "hm"}}]});
    let asked = ask_play(Play::json(200, &body));
    assert_eq!(
        (asked.answer(), asked.text()),
        ("~hmpear".into(), "~hmpear".into())
    );
}
