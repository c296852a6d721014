//! What the events of a reply can be.

use serde_json::{Value, json};

use super::super::Anthropic;
use crate::backends::trial::{drawn, events};
use crate::backends::{Usage, Wire};

fn wire() -> Anthropic {
    Anthropic {
        provider: "anthropic".to_owned(),
        version: None,
    }
}

fn start(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason},
            "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ]
}

fn told(begun: &[Value], reason: &str) -> String {
    drawn(&events(&wire(), &[begun, &stop(reason)].concat()))
}

#[test]
fn only_message_stop_proves_the_end() {
    let text = [
        start(0, &json!({"type": "text", "text": ""})),
        delta(0, &json!({"type": "text_delta", "text": "pear"})),
    ];
    let without_stop = [&text[..], &stop("end_turn")[..1]].concat();
    assert_eq!(
        drawn(&events(&wire(), &without_stop)),
        "Cut After(0ns): the reply broke off before its end / \"pear\" error -/7/-/-/-/-"
    );
    assert_eq!(told(&text, "end_turn"), "\"pear\" end -/7/-/-/-/-");
}

#[test]
fn tokens_that_stay_in_a_cache_for_an_hour_are_told_apart() {
    let begun = json!({"type": "message_start", "message": {"usage": {
        "input_tokens": 1, "cache_creation_input_tokens": 30,
        "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}}}});
    let text = delta(0, &json!({"type": "text_delta", "text": "pear"}));
    let block = start(0, &json!({"type": "text", "text": ""}));
    let reply = events(
        &wire(),
        &[&[begun, block, text][..], &stop("end_turn")].concat(),
    );
    let Usage {
        cache_write,
        cache_write_1h,
        ..
    } = reply.unwrap().usage;
    assert_eq!((cache_write, cache_write_1h), (Some(30), Some(20)));
}

#[test]
fn blocks_that_run_side_by_side_are_kept_apart() {
    let mixed = [
        start(0, &json!({"type": "thinking"})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "hm"})),
        start(1, &json!({"type": "tool_use", "id": "0", "name": "add"})),
        delta(
            1,
            &json!({"type": "input_json_delta", "partial_json": "{\"x\":"}),
        ),
        delta(0, &json!({"type": "signature_delta", "signature": "Eq"})),
        delta(
            1,
            &json!({"type": "input_json_delta", "partial_json": "1}"}),
        ),
    ];
    assert_eq!(
        told(&mixed, "tool_use"),
        "~\"hm\"{\"type\":\"thinking\",\"signature\":\"Eq\"} add({\"x\":1})#0 calls -/7/-/-/-/-"
    );
}

#[test]
fn a_call_that_the_limit_cuts_is_not_made() {
    let cut = [
        start(
            0,
            &json!({"type": "tool_use", "id": "t", "name": "save", "input": {}}),
        ),
        delta(
            0,
            &json!({"type": "input_json_delta", "partial_json": "{\"path\":\"a.txt\",\"text\":\"one"}),
        ),
    ];
    assert_eq!(
        told(&cut, "max_tokens"),
        "save(\"{\\\"path\\\":\\\"a.txt\\\",\\\"text\\\":\\\"one\")#t Cut length -/7/-/-/-/-"
    );
}

#[test]
fn counts_of_the_cache_are_part_of_the_prompt() {
    let usage = json!({"input_tokens": 3, "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 7, "output_tokens": 5,
        "output_tokens_details": {"thinking_tokens": 2}});
    let whole = json!({"content": [{"type": "text", "text": "a"}], "usage": usage,
        "stop_reason": "end_turn"});
    assert_eq!(drawn(&wire().decode(&whole)), "\"a\" end 100/5/105/90/7/2");
    let begun = [
        json!({"type": "message_start", "message": {"usage": usage}}),
        start(0, &json!({"type": "text", "text": "a"})),
    ];
    assert_eq!(told(&begun, "end_turn"), "\"a\" end 100/7/107/90/7/2");
}

#[test]
fn odd_fields_do_no_harm() {
    let odd = [
        json!({"type": "message_start", "message": null}),
        json!({"type": "message_start"}),
        json!({"type": "unheard", "index": "x"}),
        json!({"type": "content_block_start", "index": 0, "content_block": null}),
        delta(5, &json!({"type": "text_delta", "text": "a"})),
        delta(5, &json!({"type": "text_delta", "text": null})),
        delta(5, &json!({"type": "citations_delta", "citation": {}})),
        delta(9, &json!({"type": "unheard_delta"})),
        json!({"type": "content_block_stop", "index": 77}),
        json!({"type": "message_delta", "delta": null, "usage": null}),
        json!({"type": "ping"}),
    ];
    assert_eq!(told(&odd, "unheard"), "\"a\" unheard -/7/-/-/-/-");
}

#[test]
fn a_refusal_is_told_with_its_reason() {
    let reply = json!({"content": [], "stop_reason": "refusal",
        "stop_details": {"category": "cyber", "explanation": "Not this."}});
    assert_eq!(
        drawn(&wire().decode(&reply)),
        "Refused Never: the model refused: Not this. / refusal -/-/-/-/-/-"
    );
}
