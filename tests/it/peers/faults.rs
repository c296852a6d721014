//! Servers that fail in every way, and what llmock, which plays them, says of how we took it.

use super::control::Mock;
use super::*;

/// The endpoints that llmock plays.
const ENDPOINTS: [&str; 4] = [
    "fault-chat",
    "fault-responses",
    "fault-anthropic",
    "fault-gemini",
];

/// Plays a scenario for each endpoint, and gives what it says at the end, with what was asked.
#[expect(
    clippy::print_stderr,
    reason = "what a failing test printed last says with which endpoint it failed"
)]
fn each(behaviors: &Value, check: impl Fn(&Sandbox, &str, &Mock)) {
    let mock = Mock::at("SCOUTAI_LLMOCK_URL");
    for endpoint in ENDPOINTS {
        eprintln!("{behaviors} with {endpoint}");
        mock.post("/_llmock/reset", &json!({}));
        mock.post("/_llmock/scenario", &json!({"behaviors": behaviors}));
        check(&Sandbox::new(), endpoint, &mock);
        let left = mock.get("/_llmock/scenario");
        assert_eq!(left["pending"], json!([]), "some of it was not met: {left}");
    }
    mock.post("/_llmock/reset", &json!({}));
}

fn chat(sandbox: &Sandbox, endpoint: &str) -> PathBuf {
    let tool = "mcp: stdio \"mcp-server-everything\" get-sum\n";
    sandbox.chat(endpoint, tool, "Please tell me the sum of 2 and 40.")
}

/// Sees that the verdict finds nothing, neither errors nor warnings, in so many attempts.
fn clean(mock: &Mock, attempts: u64, asked: &Asked) {
    let verdict = mock.get("/_llmock/verdict");
    let found = (&verdict["findings"], verdict["attempts"].as_u64());
    assert_eq!(
        found,
        (&json!([]), Some(attempts)),
        "{verdict}\n{}",
        asked.stderr
    );
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_run_through_all_passing_faults_ends_well_and_waits_as_it_was_told() {
    let faults = json!([
        {"type": "fail", "status": 429, "retry_after": 1},
        {"type": "fail", "status": 503},
        {"type": "stream_fault", "kind": "disconnect", "after_chunks": 0},
    ]);
    each(&faults, |sandbox, endpoint, mock| {
        let asked = sandbox.ask(&chat(sandbox, endpoint), &[]);
        assert_eq!(asked.exit, 0, "{}", asked.stderr);
        assert_eq!(asked.roles(), ONE_CALL);
        clean(mock, 5, &asked);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_stream_that_ends_too_early_is_asked_for_again() {
    let faults = json!([{"type": "stream_fault", "kind": "truncate", "after_chunks": 0}]);
    each(&faults, |sandbox, endpoint, mock| {
        let asked = sandbox.ask(&chat(sandbox, endpoint), &[]);
        assert_eq!(asked.exit, 0, "{}", asked.stderr);
        assert_eq!(asked.roles(), ONE_CALL);
        clean(mock, 3, &asked);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_stream_that_ends_in_the_middle_is_no_answer() {
    // What was shown already is not asked for again, so llmock cannot know that it is not taken.
    let text = "One two three four five six seven eight nine ten eleven twelve.";
    let faults = json!([
        {"type": "reply", "text": text},
        {"type": "stream_fault", "kind": "truncate", "after_chunks": 8},
    ]);
    each(&faults, |sandbox, endpoint, _| {
        let chat = chat(sandbox, endpoint);
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(asked.exit, 1, "{}{}", asked.stdout, asked.stderr);
        assert!(
            asked.stderr.contains("error: the reply broke off"),
            "{}",
            asked.stderr
        );
        let texts = asked.text(Role::Assistant);
        assert!(
            texts.len() == 1 && text.starts_with(texts[0].trim()),
            "{texts:?}"
        );
        assert!(asked.text(Role::Meta)[0].contains(" stop=error"));
        assert_eq!(sandbox.ask(&chat, &["Go on."]).exit, 0);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn what_no_retry_can_mend_is_asked_once() {
    for status in [400, 401, 403, 404, 422] {
        let faults = json!([{"type": "fail", "status": status}]);
        each(&faults, |sandbox, endpoint, mock| {
            let asked = sandbox.ask(&sandbox.chat(endpoint, "", "Hello."), &[]);
            let told = format!(" answers {status} (");
            assert_eq!((asked.exit, asked.added.as_str()), (1, ""));
            assert!(asked.stderr.contains(&told), "{}", asked.stderr);
            clean(mock, 1, &asked);
        });
    }
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_malformed_event_ends_the_run() {
    let faults = json!([{"type": "stream_fault", "kind": "malformed", "after_chunks": 0}]);
    each(&faults, |sandbox, endpoint, _| {
        let asked = sandbox.ask(&sandbox.chat(endpoint, "", "Hello."), &[]);
        assert_eq!(asked.exit, 1, "{}", asked.stderr);
        let cause = "error: the stream holds an event that is not JSON";
        assert!(asked.stderr.contains(cause), "{}", asked.stderr);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn the_model_hears_of_a_call_that_cannot_be_made() {
    let faults = json!([{"type": "tool_fault", "kind": "unknown_tool"}]);
    each(&faults, |sandbox, endpoint, mock| {
        let asked = sandbox.ask(&chat(sandbox, endpoint), &[]);
        assert_eq!(asked.exit, 0, "{}", asked.stderr);
        let [output] = &asked.outputs()[..] else {
            panic!("not one output: {}", asked.added);
        };
        let said = "there is no tool `llmock_unknown_tool`; there are `get-sum`";
        assert_eq!((output.content.as_str(), output.error), (said, true));
        clean(mock, 2, &asked);
    });
}
