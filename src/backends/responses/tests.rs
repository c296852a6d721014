//! What the events and questions of Responses can be.

use serde_json::{Value, json};

use super::Responses;
use crate::backends::Wire;
use crate::backends::trial::{drawn, events};

fn wire() -> Responses {
    Responses {
        provider: "p".to_owned(),
    }
}

fn added(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn done(index: u64, item: &Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn end(kind: &str, response: &Value) -> Value {
    json!({"type": format!("response.{kind}"), "response": response})
}

fn told(begun: &[Value]) -> String {
    let end = end("completed", &json!({"status": "completed"}));
    drawn(&events(&wire(), &[begun, &[end]].concat()))
}

#[test]
fn only_a_last_event_proves_the_end() {
    let text = [
        added(0, &json!({"type": "message", "id": "m"})),
        json!({"type": "response.output_text.delta", "item_id": "m", "delta": "pear"}),
        done(
            0,
            &json!({"type": "message", "content": [{"type": "output_text", "text": "pear"}]}),
        ),
    ];
    assert_eq!(
        drawn(&events(&wire(), &text)),
        "Cut After(0ns): the reply broke off before its end / \"pear\" error -/-/-/-/-/-"
    );
    assert_eq!(told(&text), "\"pear\" end -/-/-/-/-/-");
    let cut = end(
        "incomplete",
        &json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
            "usage": {"input_tokens": 3, "input_tokens_details": {"cached_tokens": 2},
                "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 1},
                "total_tokens": 7}}),
    );
    assert_eq!(
        drawn(&events(&wire(), &[&text[..], &[cut]].concat())),
        "\"pear\" length 3/4/7/2/-/1"
    );
}

#[test]
fn a_filter_is_a_refusal_even_without_any_output() {
    let filtered = json!({"status": "incomplete", "output": [],
        "incomplete_details": {"reason": "content_filter"}});
    assert_eq!(
        drawn(&wire().decode(&filtered)),
        "Refused Never: the provider's content filter stopped the answer / filter -/-/-/-/-/-"
    );
    let refused = json!({"status": "completed", "output": [{"type": "message",
        "content": [{"type": "refusal", "refusal": "No."}]}]});
    assert_eq!(
        drawn(&wire().decode(&refused)),
        "Refused Never: the model refused: No. / refusal -/-/-/-/-/-"
    );
}

#[test]
fn items_without_numbers_and_whole_ones_are_understood() {
    let bare = [
        json!({"type": "response.output_item.added",
            "item": {"type": "function_call", "id": "fc_0", "call_id": "call_0", "name": "add"}}),
        json!({"type": "response.function_call_arguments.delta", "delta": "{\"x\":"}),
        json!({"type": "response.function_call_arguments.delta", "delta": "1}"}),
        json!({"type": "response.output_item.done",
            "item": {"type": "message", "content": [{"type": "output_text", "text": "so"}]}}),
    ];
    assert_eq!(
        told(&bare),
        "add({\"x\":1})#call_0 \"so\" calls -/-/-/-/-/-"
    );
    let whole = [done(
        4,
        &json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "add",
            "arguments": "{\"x\":2}"}),
    )];
    assert_eq!(told(&whole), "add({\"x\":2})#c calls -/-/-/-/-/-");
}

#[test]
fn two_calls_whose_pieces_are_mixed_are_kept_apart() {
    let piece = |index: u64, delta: &str| {
        json!({"type": "response.function_call_arguments.delta", "output_index": index,
            "delta": delta})
    };
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "add"});
    let mixed = [
        added(0, &call("a")),
        added(1, &call("b")),
        piece(0, "{\"x\":"),
        piece(1, "{\"x\":3"),
        piece(0, "1}"),
        piece(1, "}"),
    ];
    assert_eq!(
        told(&mixed),
        "add({\"x\":1})#a add({\"x\":3})#b calls -/-/-/-/-/-"
    );
}

#[test]
fn reasoning_is_kept_as_its_last_event_gave_it() {
    let sealed = |text: &str| json!({"type": "reasoning", "id": "rs", "encrypted_content": text});
    let thought = [
        added(0, &sealed("half")),
        json!({"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "hm"}),
        done(0, &sealed("whole")),
        done(
            1,
            &json!({"type": "message", "phase": "final_answer",
            "content": [{"type": "output_text", "text": "so"}]}),
        ),
    ];
    assert_eq!(
        told(&thought),
        "~\"hm\"{\"type\":\"reasoning\",\"id\":\"rs\",\"encrypted_content\":\"whole\"} \
         ~\"\"{\"message\":{\"phase\":\"final_answer\"}} \"so\" end -/-/-/-/-/-"
    );
}

#[test]
fn errors_are_told_wherever_they_stand() {
    let event = json!({"type": "error", "code": "server_error", "message": "busy", "param": null});
    assert_eq!(
        drawn(&events(&wire(), &[event])),
        "Server After(0ns): the server tells an error inside its reply: busy / nothing"
    );
    let failed = end(
        "failed",
        &json!({"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow"}}),
    );
    assert_eq!(
        drawn(&events(&wire(), &[failed])),
        "RateLimit After(0ns): the server tells an error inside its reply: slow / nothing"
    );
    let forgotten = json!({"type": "error", "code": "previous_response_not_found",
        "message": "no resp_1"});
    assert_eq!(
        drawn(&events(&wire(), &[forgotten])),
        "NotFound Never: the server tells an error inside its reply: no resp_1 / nothing"
    );
    let bare = json!({"error": {"code": 500, "message": "oops"}});
    assert_eq!(
        drawn(&events(&wire(), &[bare])),
        "Server After(0ns): the server tells an error inside its reply: oops / nothing"
    );
}

#[test]
fn odd_fields_do_no_harm() {
    let odd = [
        json!({"type": "response.created", "response": null}),
        json!({"type": "response.unheard", "x": {}}),
        json!({"type": 4}),
        json!({"type": "response.output_item.added", "item": null}),
        added(0, &json!({"type": "unheard", "id": 7})),
        done(0, &json!({"type": "unheard"})),
        json!({"type": "response.output_text.delta", "delta": null}),
        json!({"type": "response.output_text.delta", "output_index": 9, "delta": "a"}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 77, "delta": "x"}),
    ];
    assert_eq!(told(&odd), "\"a\" end -/-/-/-/-/-");
}

#[test]
fn a_phase_that_is_told_at_the_end_stands_before_its_message() {
    let late = [
        added(0, &json!({"type": "message", "id": "m"})),
        json!({"type": "response.output_text.delta", "item_id": "m", "delta": "so"}),
        done(
            0,
            &json!({"type": "message", "id": "m", "phase": "commentary",
                "content": [{"type": "output_text", "text": "so"}]}),
        ),
    ];
    assert_eq!(
        told(&late),
        "~\"\"{\"message\":{\"phase\":\"commentary\"}} \"so\" end -/-/-/-/-/-"
    );
}

#[test]
fn a_stream_that_tells_all_at_its_end_is_understood() {
    let output = json!([
        {"type": "message", "content": [{"type": "output_text", "text": "so"}]},
        {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"},
    ]);
    let end = end(
        "completed",
        &json!({"status": "completed", "output": output}),
    );
    assert_eq!(
        drawn(&events(&wire(), std::slice::from_ref(&end))),
        "\"so\" add({})#c calls -/-/-/-/-/-"
    );
    // What was told before is not told twice.
    let delta = json!({"type": "response.output_text.delta", "item_id": "m", "delta": "so"});
    assert_eq!(
        drawn(&events(&wire(), &[delta, end])),
        "\"so\" end -/-/-/-/-/-"
    );
}
