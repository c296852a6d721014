//! What Bedrock's events can be.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Bedrock;
use crate::backends::frames::event_stream::EXCEPTION;
use crate::backends::trial::{draw, drawn};
use crate::backends::{Delta, Frame, Question, Wire};
use crate::plan::Prompt;

fn wire() -> Bedrock {
    Bedrock {
        provider: "bedrock".to_owned(),
    }
}

/// Reads events by name; gives the reply on one line.
fn told(events: &[(&str, Value)]) -> String {
    let mut decoder = wire().stream();
    for (name, event) in events {
        let text = event.to_string();
        let frame = Frame {
            name: Some(name),
            text: &text,
        };
        if let Err(failure) = decoder.event(frame) {
            return drawn(&Err(failure));
        }
    }
    drawn(&decoder.finish())
}

fn delta(index: u64, delta: &Value) -> (&'static str, Value) {
    let event = json!({"contentBlockIndex": index, "delta": delta});
    ("contentBlockDelta", event)
}

fn stop(reason: &str) -> (&'static str, Value) {
    ("messageStop", json!({"stopReason": reason}))
}

#[test]
fn only_the_stop_of_the_message_proves_the_end_and_counts_may_follow() {
    let said = [
        delta(0, &json!({"text": "pear"})),
        ("contentBlockStop", json!({"contentBlockIndex": 0})),
    ];
    assert_eq!(
        told(&said),
        "Cut After(0ns): the reply broke off before its end / \"pear\" error -/-/-/-/-/-"
    );
    let stopped = [&said[..], &[stop("end_turn")]].concat();
    assert_eq!(told(&stopped), "\"pear\" end -/-/-/-/-/-");
    let usage = json!({"usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5,
        "cacheReadInputTokens": 90, "cacheWriteInputTokens": 7}});
    let counted = [&stopped[..], &[("metadata", usage)]].concat();
    assert_eq!(told(&counted), "\"pear\" end 100/2/102/90/7/-");
}

#[test]
fn blocks_keep_the_order_in_which_they_began() {
    let mixed = [
        delta(0, &json!({"reasoningContent": {"text": "hm"}})),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t", "name": "add"}}}),
        ),
        delta(1, &json!({"toolUse": {"input": "{\"x\":"}})),
        delta(0, &json!({"reasoningContent": {"signature": "E"}})),
        delta(2, &json!({"text": "so"})),
        delta(0, &json!({"reasoningContent": {"signature": "q"}})),
        delta(1, &json!({"toolUse": {"input": "1}"}})),
        stop("end_turn"),
    ];
    assert_eq!(
        told(&mixed),
        "~\"hm\"{\"reasoningContent\":{\"reasoningText\":{\"signature\":\"Eq\"}}} \
         add({\"x\":1})#t \"so\" calls -/-/-/-/-/-"
    );
}

#[test]
fn hidden_thoughts_come_in_pieces_of_bytes() {
    let pieces = [
        delta(0, &json!({"reasoningContent": {"redactedContent": "AA=="}})),
        delta(0, &json!({"reasoningContent": {"redactedContent": "AQI="}})),
        delta(1, &json!({"text": "a"})),
        stop("end_turn"),
    ];
    assert_eq!(
        told(&pieces),
        "~\"\"{\"reasoningContent\":{\"redactedContent\":\"AAEC\"}} \"a\" end -/-/-/-/-/-"
    );
}

#[test]
fn odd_events_do_no_harm() {
    let odd = [
        ("messageStart", Value::Null),
        ("unheard", json!([1])),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": "x", "start": null}),
        ),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 0, "start": {}}),
        ),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 9, "start": {"toolUse": null}}),
        ),
        delta(0, &json!({"text": "a"})),
        delta(0, &json!({"text": null})),
        delta(0, &json!({"toolUse": {"input": "lost"}})),
        delta(3, &json!({"unheard": {}})),
        delta(0, &json!({"reasoningContent": {"text": 7}})),
        ("contentBlockStop", json!({"contentBlockIndex": 77})),
        ("contentBlockDelta", json!({"delta": null})),
        ("messageStop", json!({"stopReason": null})),
        ("metadata", json!({"usage": null})),
        ("metadata", json!({"usage": {"inputTokens": "many"}})),
    ];
    assert_eq!(told(&odd), "\"a\" end -/-/-/-/-/-");
}

#[test]
fn a_call_without_a_beginning_is_not_made() {
    let lost = [
        delta(0, &json!({"toolUse": {"input": "{}"}})),
        stop("tool_use"),
    ];
    assert_eq!(told(&lost), "(\"{}\")# NoName calls -/-/-/-/-/-");
}

#[test]
fn exceptions_inside_a_stream_mean_what_their_names_say() {
    let kinds = [
        ("throttlingException", "RateLimit After(0ns)"),
        ("modelStreamErrorException", "Server After(0ns)"),
        ("internalServerException", "Server After(0ns)"),
        ("serviceUnavailableException", "Server After(0ns)"),
        ("modelTimeoutException", "Server After(0ns)"),
        ("validationException", "Request Never"),
        ("accessDeniedException", "Authentication Never"),
        ("resourceNotFoundException", "NotFound Never"),
        ("unheardException", "Server After(0ns)"),
    ];
    for (name, kind) in kinds {
        let event = (EXCEPTION, json!({"__type": name, "message": "m"}));
        let expected = format!("{kind}: the server tells an error inside its reply: m / nothing");
        assert_eq!(told(&[event]), expected, "{name}");
    }
}

#[test]
fn pieces_are_shown_as_they_come() {
    let mut decoder = wire().stream();
    let mut shown = Vec::new();
    for (name, event) in [
        delta(0, &json!({"text": ""})),
        delta(0, &json!({"reasoningContent": {"text": "no text"}})),
        delta(1, &json!({"reasoningContent": {"text": "hm"}})),
        delta(1, &json!({"reasoningContent": {"signature": "E"}})),
        delta(2, &json!({"text": "a"})),
    ] {
        let text = event.to_string();
        let name = Some(name);
        shown.extend(decoder.event(Frame { name, text: &text }).unwrap());
    }
    assert_eq!(
        shown,
        [
            Delta::Reasoning("hm".to_owned()),
            Delta::Text("a".to_owned())
        ]
    );
}

#[test]
fn the_family_is_noted_at_what_the_model_wants_back() {
    let whole = json!({"stopReason": "end_turn", "output": {"message": {"content": [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "E"}}},
        {"text": "a"},
    ]}}});
    let (prompt, parameters) = (Prompt::default(), serde_json::Map::new());
    let cancel = CancellationToken::new();
    let model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    let question = Question::plain(&prompt, model, &parameters, &cancel);
    let reply = wire().settled(&question, wire().decode(&whole).unwrap());
    assert_eq!(
        draw(&reply),
        "~\"hm\"{\"reasoningContent\":{\"reasoningText\":{\"signature\":\"E\"}},\
         \"family\":\"claude\"} \"a\" end -/-/-/-/-/-"
    );
}

#[test]
fn what_is_no_reply_is_told() {
    for (body, expected) in [
        (
            json!({"Output": {}}),
            "Protocol Never: the reply is JSON, but holds no `output` / nothing",
        ),
        (
            json!({"__type": "com.amazon.coral#ThrottlingException:", "message": "slow"}),
            "RateLimit After(0ns): the server tells an error inside its reply: slow / nothing",
        ),
        (
            json!({"output": {"message": {"content": [null, {}, {"text": null}]}}}),
            "Empty Never: the model gave an empty answer / nothing",
        ),
    ] {
        assert_eq!(drawn(&wire().decode(&body)), expected, "{body}");
    }
}
