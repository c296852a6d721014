//! What Gemini's chunks and questions can be.

use serde_json::{Value, json};

use super::Gemini;
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
        "Refused Never: the provider's content filter blocked the question (PROHIBITED_CONTENT) / filter -/-/-/-/-/-"
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
fn what_the_providers_own_tools_made_is_kept_whole() {
    let parts = json!([
        {"toolCall": {"id": "t", "toolType": "GOOGLE_SEARCH_WEB"}, "thoughtSignature": "S0"},
        {"toolResponse": {"id": "t"}},
        {"text": "pear", "thoughtSignature": "S1"},
    ]);
    assert_eq!(
        told(&[chunk(&parts)], "STOP"),
        "~\"\"{\"part\":{\"toolCall\":{\"id\":\"t\",\"toolType\":\"GOOGLE_SEARCH_WEB\"},\
         \"thoughtSignature\":\"S0\"}} ~\"\"{\"part\":{\"toolResponse\":{\"id\":\"t\"}}} \
         ~\"\"{\"thoughtSignature\":\"S1\"} \"pear\" end 12/7/19/8/-/4"
    );
}

#[test]
fn arguments_may_come_in_pieces() {
    let pieces = [
        chunk(
            &json!([{"functionCall": {"name": "a", "id": "1", "willContinue": true},
            "thoughtSignature": "S"}]),
        ),
        chunk(&json!([{"functionCall": {"partialArgs":
            [{"jsonPath": "$.x", "stringValue": "pe", "willContinue": true}],
            "willContinue": true}}])),
        chunk(&json!([{"functionCall": {"partialArgs":
            [{"jsonPath": "$.x", "stringValue": "ar"}], "willContinue": true}}])),
        chunk(&json!([{"functionCall": {}}])),
    ];
    assert_eq!(
        told(&pieces, "STOP"),
        "~\"\"{\"thoughtSignature\":\"S\"} a({\"x\":\"pear\"})#1 calls 12/7/19/8/-/4"
    );
}

#[test]
fn every_reason_of_the_api_is_told_for_what_it_is() {
    let said = [chunk(&json!([{"text": "I "}]))];
    for (reason, told_as) in [
        ("CONTINUATION", "\"I \" length 12/7/19/8/-/4"),
        (
            "LANGUAGE",
            "Refused Never: the provider's content filter stopped the answer / \"I \" filter 12/7/19/8/-/4",
        ),
        (
            "MALFORMED_RESPONSE",
            "Server After(0ns): the model gave an answer that cannot be read / \"I \" error 12/7/19/8/-/4",
        ),
        (
            "MISSING_THOUGHT_SIGNATURE",
            "Request Never: the model misses its signature on a call of this chat / nothing",
        ),
        (
            "PUP_LIMITED_DISABLED",
            "Authentication Never: the provider has limited or disabled the account / nothing",
        ),
        (
            "TOO_MANY_TOOL_CALLS",
            "\"I \" too_many_tool_calls 12/7/19/8/-/4",
        ),
        (
            "FINISH_REASON_UNSPECIFIED",
            "Cut After(0ns): the reply broke off before its end / \"I \" error 12/7/19/8/-/4",
        ),
    ] {
        assert_eq!(told(&said, reason), told_as, "{reason}");
    }
}

/// Gives every place in a value, by its pointer.
fn places(value: &Value, at: &str, all: &mut Vec<String>) {
    all.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                places(value, &format!("{at}/{name}"), all);
            }
        }
        Value::Array(values) => {
            for (place, value) in values.iter().enumerate() {
                places(value, &format!("{at}/{place}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn what_is_unheard_of_changes_nothing_at_any_place() {
    let good = json!({
        "candidates": [{
            "content": {"role": "model", "parts": [
                {"text": "hm", "thought": true},
                {"text": "pear"},
                {"functionCall": {"id": "1", "name": "a", "args": {}}, "thoughtSignature": "S"},
            ]},
            "finishReason": "STOP", "index": 0, "safetyRatings": [{"category": "C"}],
        }],
        "promptFeedback": {"safetyRatings": []},
        "usageMetadata": {"promptTokenCount": 1, "promptTokensDetails": [{"tokenCount": 1}]},
        "modelVersion": "m", "responseId": "r",
    });
    let wanted = drawn(&wire().decode(&good));
    assert_eq!(
        wanted,
        "~\"hm\" \"pear\" ~\"\"{\"thoughtSignature\":\"S\",\"model\":\"m\"} a({})#1 calls 1/-/-/-/-/-"
    );
    let mut all = Vec::new();
    places(&good, "", &mut all);
    for place in all {
        let mut odd = good.clone();
        let at = odd.pointer_mut(&place).expect("the place is in the value");
        let arguments = place.contains("/args");
        if let (Value::Object(fields), false) = (at, arguments) {
            fields.insert("unheard".to_owned(), json!({"of": [null, "OF"]}));
            assert_eq!(drawn(&wire().decode(&odd)), wanted, "{place}");
            assert_eq!(drawn(&events(&wire(), &[odd])), wanted, "{place}");
        }
        for wrong in [json!(null), json!(7), json!("?"), json!([]), json!({})] {
            let mut odd = good.clone();
            *odd.pointer_mut(&place).expect("the place is in the value") = wrong;
            // It is read as far as it goes, or told, and never ends the program.
            drop((wire().decode(&odd), events(&wire(), &[odd])));
        }
    }
}
