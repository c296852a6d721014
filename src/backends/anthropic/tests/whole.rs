//! Replies in one piece, and what their parts become.

use serde_json::{Value, json};

use super::super::Anthropic;
use crate::backends::Wire;
use crate::backends::trial::{drawn, events};

fn wire() -> Anthropic {
    Anthropic {
        provider: "anthropic".to_owned(),
        version: None,
    }
}

fn told(content: &Value, stop: &str) -> String {
    drawn(&wire().decode(&json!({"type": "message", "content": content, "stop_reason": stop})))
}

#[test]
fn reasons_to_stop_have_one_name_each() {
    let text = json!([{"type": "text", "text": "a"}]);
    for (reason, name) in [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "paused"),
        ("tired", "tired"),
    ] {
        assert_eq!(told(&text, reason), format!("\"a\" {name} -/-/-/-/-/-"));
    }
}

#[test]
fn a_pause_may_hold_only_what_goes_back_and_not_nothing() {
    let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    assert_eq!(
        told(&json!([search]), "pause_turn"),
        format!("~\"web_search\"{search} paused -/-/-/-/-/-")
    );
    assert_eq!(
        told(&json!([]), "pause_turn"),
        "Empty Never: the model gave an empty answer / nothing"
    );
    let call = json!({"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1}});
    assert_eq!(
        told(&json!([call]), "pause_turn"),
        "f({\"x\":1})#t calls -/-/-/-/-/-"
    );
}

#[test]
fn arguments_come_in_many_forms() {
    for (input, expected) in [
        (json!({"x": 1}), "f({\"x\":1})#t calls"),
        (json!({}), "f({})#t calls"),
        (Value::Null, "f({})#t calls"),
        (json!("{\"x\": 1}"), "f({\"x\":1})#t calls"),
        (json!([1]), "f(\"[1]\")#t NotAnObject calls"),
    ] {
        let call = json!([{"type": "tool_use", "id": "t", "name": "f", "input": input}]);
        assert_eq!(told(&call, "tool_use"), format!("{expected} -/-/-/-/-/-"));
    }
}

#[test]
fn text_that_sources_cut_into_blocks_is_one_text() {
    let blocks = json!([
        {"type": "text", "text": "It is "},
        {"type": "text", "text": "7 °C", "citations": [{"url": "https://h"}]},
        {"type": "text", "text": "."},
    ]);
    assert_eq!(told(&blocks, "end_turn"), "\"It is 7 °C.\" end -/-/-/-/-/-");
}

#[test]
fn a_refusal_tells_at_least_its_kind() {
    let refused = |details: Value| {
        let reply = json!({"content": [], "stop_reason": "refusal", "stop_details": details});
        drawn(&wire().decode(&reply))
    };
    assert_eq!(
        refused(json!({"category": "cyber", "explanation": null})),
        "Refused Never: the model refused: cyber / refusal -/-/-/-/-/-"
    );
    assert_eq!(
        refused(Value::Null),
        "Refused Never: the model refused / refusal -/-/-/-/-/-"
    );
}

#[test]
fn a_body_that_is_no_message_is_told() {
    assert_eq!(
        drawn(&wire().decode(&json!({"choices": []}))),
        "Protocol Never: the reply has no `content`: it is not one of Anthropic's Messages / nothing"
    );
    assert_eq!(
        drawn(&wire().decode(&json!({"content": "pear"}))),
        "\"pear\" end -/-/-/-/-/-"
    );
}

#[test]
fn a_whole_message_may_come_as_one_event() {
    let message = json!({"type": "message", "id": "m", "content": [{"type": "text", "text": "a"}],
        "stop_reason": "max_tokens", "usage": {"input_tokens": 1, "output_tokens": 2}});
    assert_eq!(
        drawn(&events(&wire(), std::slice::from_ref(&message))),
        drawn(&wire().decode(&message))
    );
}

#[test]
fn errors_in_a_stream_are_known_by_shape_and_by_name() {
    use crate::backends::{Failure, Frame};
    let read = |name, text: &str| -> Result<(), Failure> {
        wire().stream().event(Frame { name, text }).map(drop)
    };
    let shaped = read(
        None,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Busy"},"request_id":"r1"}"#,
    );
    let flat = read(
        Some("error"),
        r#"{"code":500,"message":"Busy","type":"server_error"}"#,
    );
    for (told, id) in [(shaped, Some("r1")), (flat, None)] {
        let failure = told.unwrap_err();
        assert_eq!(
            (
                failure.error.message.as_str(),
                failure.error.request_id.as_deref()
            ),
            ("the server tells an error inside its reply: Busy", id)
        );
        assert_ne!(failure.again, crate::backends::Again::Never);
    }
}
