//! A good reply with something odd at every place of it is still read, and stays a whole one.

use serde_json::{Value, json};

use super::super::Anthropic;
use crate::backends::trial::events;
use crate::backends::{ErrorKind, Failure, Reply, Wire};

fn wire() -> Anthropic {
    Anthropic {
        provider: "anthropic".to_owned(),
        version: None,
    }
}

fn whole() -> Value {
    json!({
        "id": "m", "type": "message", "role": "assistant", "model": "c", "stop_sequence": null,
        "content": [
            {"type": "thinking", "thinking": "t", "signature": "S"},
            {"type": "text", "text": "a", "citations": [{"url": "https://h"}]},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s",
                "content": [{"type": "web_search_result", "title": "T", "url": "https://h"}]},
            {"type": "tool_use", "id": "u", "name": "f", "input": {"x": [1, {"y": null}]}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 1,
            "cache_creation": {"ephemeral_5m_input_tokens": 0}},
    })
}

fn streamed() -> Vec<Value> {
    let message = whole();
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "m", "model": "c", "content": [],
            "usage": message["usage"]}}),
        json!({"type": "ping"}),
    ];
    for (index, block) in message["content"].as_array().unwrap().iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    events.push(json!({"type": "content_block_start", "index": 9,
        "content_block": {"type": "text", "text": ""}}));
    events.push(json!({"type": "content_block_delta", "index": 9,
        "delta": {"type": "text_delta", "text": "z"}}));
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 4}}),
    );
    events.push(json!({"type": "message_stop"}));
    events
}

/// Gives the paths of every value inside.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                paths(inner, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                paths(inner, &format!("{at}/{index}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Values with something odd at one place: an unknown field, and another value.
fn odd(good: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    paths(good, "", &mut places);
    let mut all = Vec::new();
    for place in places {
        let with = |change: &dyn Fn(&mut Value)| {
            let mut odd = good.clone();
            change(odd.pointer_mut(&place).unwrap());
            (place.clone(), odd)
        };
        if good.pointer(&place).unwrap().is_object() {
            all.push(with(&|object| {
                object["unheard"] = json!({"of": [null, {}]});
            }));
        }
        for other in [
            Value::Null,
            json!("unheard"),
            json!(-7.5),
            json!([]),
            json!({}),
        ] {
            all.push(with(&|value| *value = other.clone()));
        }
    }
    all
}

/// Reading says something, or says why not; it never takes an odd reply for one that broke off.
fn is_read(place: &str, outcome: Result<Reply, Failure>) {
    if let Err(failure) = outcome {
        assert!(
            matches!(
                failure.error.kind,
                ErrorKind::Empty | ErrorKind::Protocol | ErrorKind::Refused
            ),
            "{place}: {failure:?}"
        );
        // Only the reply itself, its content or a part that is all of it may be missed so much.
        assert!(
            place.is_empty() || place == "/content",
            "{place}: {failure:?}"
        );
    }
}

#[test]
fn a_whole_reply_bears_odd_values_everywhere() {
    let all = odd(&whole());
    assert!(all.len() > 200, "{}", all.len());
    for (place, body) in all {
        is_read(&place, wire().decode(&body));
    }
}

#[test]
fn a_stream_bears_odd_values_everywhere() {
    let good = streamed();
    let last = good.len() - 1;
    for (at, event) in good[..last].iter().enumerate() {
        for (place, changed) in odd(event) {
            let mut stream = good.clone();
            stream[at] = changed;
            let outcome = events(&wire(), &stream);
            assert!(outcome.is_ok(), "event {at} at {place}: {outcome:?}");
        }
        // An event may also be missed, or come twice.
        let mut without = good.clone();
        without.remove(at);
        assert!(events(&wire(), &without).is_ok(), "without event {at}");
        let mut twice = good.clone();
        twice.insert(at, good[at].clone());
        assert!(events(&wire(), &twice).is_ok(), "event {at} twice");
    }
}

#[test]
fn an_odd_end_is_no_proof() {
    let mut stream = streamed();
    for odd in [
        Value::Null,
        json!({"type": null}),
        json!({"type": "message_stopped"}),
    ] {
        *stream.last_mut().unwrap() = odd;
        let failure = events(&wire(), &stream).unwrap_err();
        assert_eq!(failure.error.kind, ErrorKind::Cut);
    }
}
