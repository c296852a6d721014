//! What Gemini's chunks and questions can be.

use serde_json::{Value, json};

use super::{Gemini, generation};
use crate::backends::Wire;
use crate::backends::trial::{drawn, events};

fn wire() -> Gemini {
    Gemini {
        provider: "gemini".to_owned(),
    }
}

fn chunk(parts: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
}

fn end(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 3,
            "thoughtsTokenCount": 4, "cachedContentTokenCount": 8, "toolUsePromptTokenCount": 2,
            "totalTokenCount": 19}})
}

fn told(begun: &[Value], reason: &str) -> String {
    drawn(&events(&wire(), &[begun, &[end(reason)]].concat()))
}

#[test]
fn only_a_reason_to_finish_proves_the_end() {
    let text = [
        chunk(&json!([{"text": "pe"}])),
        chunk(&json!([{"text": "ar"}])),
    ];
    assert_eq!(
        drawn(&events(&wire(), &text)),
        "Cut After(0ns): the reply broke off before its end / \"pear\" error -/-/-/-/-/-"
    );
    assert_eq!(told(&text, "STOP"), "\"pear\" end 12/7/19/8/-/4");
    assert_eq!(told(&text, "MAX_TOKENS"), "\"pear\" length 12/7/19/8/-/4");
    let list = Value::Array([&text[..], &[end("STOP")]].concat());
    assert_eq!(drawn(&wire().decode(&list)), "\"pear\" end 12/7/19/8/-/4");
}

#[test]
fn a_signature_stands_before_the_part_that_it_is_on() {
    let calls = json!([
        {"text": "hm", "thought": true},
        {"functionCall": {"name": "a", "args": {"x": 1}}, "thoughtSignature": "S1"},
        {"functionCall": {"name": "b"}},
    ]);
    assert_eq!(
        told(&[chunk(&calls)], "STOP"),
        "~\"hm\"{\"thoughtSignature\":\"S1\"} a({\"x\":1})# b({})# calls 12/7/19/8/-/4"
    );
    let late = [
        chunk(&json!([{"text": "pear"}])),
        chunk(&json!([{"text": "", "thoughtSignature": "S2"}])),
    ];
    assert_eq!(
        told(&late, "STOP"),
        "~\"\"{\"thoughtSignature\":\"S2\"} \"pear\" end 12/7/19/8/-/4"
    );
}

#[test]
fn filters_and_blocked_prompts_are_refusals() {
    assert_eq!(
        told(&[chunk(&json!([{"text": "I "}]))], "SAFETY"),
        "Refused Never: the provider's content filter stopped the answer / \"I \" filter 12/7/19/8/-/4"
    );
    let blocked = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}});
    assert_eq!(
        drawn(&wire().decode(&blocked)),
        "Refused Never: the provider's content filter stopped the answer / filter -/-/-/-/-/-"
    );
}

#[test]
fn reasons_that_are_errors_are_told_as_such() {
    let malformed = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL",
        "finishMessage": "bad\ncall"}]});
    assert_eq!(
        drawn(&events(&wire(), &[malformed])),
        "Server After(0ns): the model made a call that cannot be read: bad call / nothing"
    );
    let busy = json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}});
    assert_eq!(
        drawn(&events(&wire(), &[busy])),
        "Server After(0ns): the server tells an error inside its reply: busy / nothing"
    );
    let quota = json!({"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17.5s"}]}});
    assert_eq!(
        drawn(&wire().decode(&quota)),
        "RateLimit After(17.5s): the server tells an error inside its reply: slow / nothing"
    );
    let key = json!({"error": {"code": 400, "message": "API key not valid.",
        "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}});
    assert_eq!(
        drawn(&wire().decode(&key)),
        "Authentication Never: the server tells an error inside its reply: API key not valid. / nothing"
    );
}

#[test]
fn odd_fields_do_no_harm() {
    let odd = [
        json!({}),
        json!({"candidates": null, "usageMetadata": null, "promptFeedback": {"blockReason": null}}),
        json!({"candidates": []}),
        json!({"candidates": [{"content": {"parts": null}, "finishReason": null}]}),
        chunk(
            &json!([{"unheard": 1}, null, {"text": null, "thoughtSignature": 4},
            {"functionCall": null}, {"text": "a", "inlineData": {}}]),
        ),
    ];
    assert_eq!(told(&odd, "UNHEARD"), "\"a\" unheard 12/7/19/8/-/4");
    assert_eq!(
        drawn(&wire().decode(&json!({"choices": []}))),
        "Protocol Never: the reply is JSON, but holds no `candidates` / nothing"
    );
}

#[test]
fn generations_are_told_by_names() {
    let told = [
        "gemini-2.5-flash",
        "models/gemini-3-pro-preview",
        "gemini-flash-latest",
        "x",
    ];
    assert_eq!(told.map(generation), [2, 3, 3, 3]);
}
