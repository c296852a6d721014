//! Histories that poisoned sessions, sent to servers with strict rules.

use scoutai::backends::{Backend, ErrorKind, HttpBackend, Stop};
use scoutai::chat::{CallId, Origin, Role, ToolCall, ToolName, ToolOutput};
use scoutai::plan::{Returned, Said, Saying};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::asking::{ask_play, ask_with, chat_wire, endpoint, said};
use crate::fakellm::{FakeLlm, Play, Rules, chunk};

pub(super) fn call(id: &str) -> Said {
    Said {
        what: Saying::Call(Box::new(ToolCall {
            id: CallId(id.into()),
            name: ToolName("look".into()),
            arguments: Map::new(),
        })),
        origin: Origin::Run,
    }
}

pub(super) fn output(id: &str, content: &str, error: bool) -> Said {
    Said {
        what: Saying::Output(Box::new(Returned::from(ToolOutput {
            id: CallId(id.into()),
            name: None,
            content: content.into(),
            error,
            media: Vec::new(),
            start_timestamp: None,
            timestamp: None,
            other: Map::new(),
        }))),
        origin: Origin::Run,
    }
}

/// Sends a history to each strict server; gives the messages of `OpenAI`'s, which are the plainest.
fn accepted(history: &[Said]) -> Vec<String> {
    let mut plainest = Vec::new();
    for (preset, rules) in [
        ("mistral", Rules::Mistral),
        ("llamacpp", Rules::Template),
        ("openai", Rules::OpenAi),
    ] {
        let server = FakeLlm::strict(vec![Play::text("fine")], rules);
        let wire = chat_wire(preset);
        let backend = HttpBackend::new(endpoint(&server.url), wire).unwrap();
        let asked = ask_with(&backend, history, &CancellationToken::new(), &mut |_| {});
        assert_eq!(asked.answer(), "fine", "{preset}");
        let request = server.only_request();
        assert_eq!(
            request.header("authorization"),
            Some("Bearer sk-canary-123")
        );
        plainest = drawn(&request.json());
    }
    plainest
}

fn drawn(body: &Value) -> Vec<String> {
    body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
            format!(
                "{} {}{}",
                message["role"].as_str().unwrap(),
                message["content"],
                "()".repeat(calls)
            )
        })
        .collect()
}

#[test]
fn an_interrupted_run_is_taken_up_again() {
    assert_eq!(
        accepted(&[
            said(Role::User, "q"),
            call("a"),
            call("b"),
            output("a", "A", false),
            said(Role::User, "and?"),
        ]),
        [
            r#"user "q""#,
            "assistant null()()",
            r#"tool "A""#,
            r#"tool "interrupted""#,
            r#"user "and?""#
        ]
    );
}

#[test]
fn empty_content_is_never_sent() {
    assert_eq!(
        accepted(&[
            said(Role::User, "q"),
            call("a"),
            output("a", "", false),
            said(Role::Assistant, ""),
            call("b"),
            output("b", "\n", true),
            said(Role::User, "more"),
        ]),
        [
            r#"user "q""#,
            "assistant null()",
            r#"tool "(no output)""#,
            "assistant null()",
            r#"tool "(no output, the tool failed)""#,
            r#"user "more""#
        ]
    );
    let empty = ask_play(Play::text(""));
    assert_eq!(empty.failure().error.kind, ErrorKind::Empty);
}

#[test]
fn roles_in_any_order_are_accepted() {
    assert_eq!(
        accepted(&[
            said(Role::Assistant, "hello"),
            said(Role::User, "a"),
            said(Role::User, "<file name=\"a.txt\">\nx\n</file>"),
            said(Role::User, "b"),
            said(Role::System, "now in French"),
            said(Role::Assistant, "c"),
            said(Role::Assistant, "d"),
            said(Role::User, "e"),
            call("a"),
            output("a", "A", false),
            said(Role::User, "f"),
        ]),
        [
            r#"user "(start of the conversation)""#,
            r#"assistant "hello""#,
            r#"user "a\n\n<file name=\"a.txt\">\nx\n</file>\n\nb""#,
            r#"system "now in French""#,
            r#"assistant "c\n\nd""#,
            r#"user "e""#,
            "assistant null()",
            r#"tool "A""#,
            r#"user "f""#
        ]
    );
}

#[test]
fn the_strict_server_refuses_what_is_wrong() {
    let server = FakeLlm::strict(vec![], Rules::Template);
    let wire = chat_wire("openai");
    let backend = HttpBackend::new(endpoint(&server.url), wire).unwrap();
    let history = [said(Role::User, "a"), said(Role::System, "late")];
    let asked = ask_with(&backend, &history, &CancellationToken::new(), &mut |_| {});
    let failed = asked.failed();
    assert!(
        failed.contains("answers 400 (Bad Request): message 1: system text must come first"),
        "{failed}"
    );
}

#[test]
fn refusals_and_filters_are_told_and_not_tried_again() {
    let filter = Play::events(&[
        chunk(&json!({"content": "I "}), None),
        chunk(&json!({}), Some("content_filter")),
    ]);
    let server = FakeLlm::start(vec![filter, Play::text("never asked for")]);
    let asked = super::asking::ask(&server);
    assert_eq!(
        (asked.failed(), server.requests().len()),
        (
            "Refused: the provider's content filter stopped the answer / I ".into(),
            1
        )
    );
    assert_eq!(asked.failure().partial.as_ref().unwrap().stop, Stop::Filter);
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "No."},
        "finish_reason": "stop"}]});
    assert_eq!(
        ask_play(Play::json(200, &refusal)).failed(),
        "Refused: the model refused: No. / "
    );
}

#[test]
fn a_request_is_shown_as_it_is_sent_without_the_key() {
    let server = FakeLlm::start(vec![Play::text("fine")]);
    let wire = chat_wire("openai");
    let backend = HttpBackend::new(endpoint(&server.url), wire).unwrap();
    let history = [said(Role::User, "q")];
    let asked = ask_with(&backend, &history, &CancellationToken::new(), &mut |_| {});
    assert_eq!(asked.answer(), "fine");
    let prompt = scoutai::plan::Prompt::of(&history);
    let (parameters, cancel) = (Map::new(), CancellationToken::new());
    let question = scoutai::backends::Question::plain(&prompt, "m", &parameters, &cancel);
    let shown = backend.show(&question);
    assert_eq!(
        shown,
        format!(
            "POST {}/chat/completions\nauthorization: Bearer (key from the variable \
             `TEST_KEY`)\ncontent-type: application/json\n\n{}\n",
            server.url,
            server.only_request().body
        )
    );
}
