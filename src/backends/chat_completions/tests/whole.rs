//! Replies that are odd, empty, refused or errors.

use serde_json::{Value, json};

use super::{delta, drawn, end, events, wire};
use crate::backends::{Frame, Progress, Wire};

#[test]
fn unknown_fields_and_missing_ones_do_no_harm() {
    let body = json!({
        "id": "r1", "model": "m-2", "created": 1.5, "service_tier": "blue", "usage": null,
        "choices": [{"index": 0, "finish_reason": "stop", "extra": {"deep": [{}]},
            "message": {"role": "assistant", "content": "pear", "tool_calls": null}}],
    });
    let reply = wire().decode(&body).unwrap();
    assert_eq!(
        (reply.model.as_deref(), reply.response_id.as_deref()),
        (Some("m-2"), Some("r1"))
    );
    let parts = json!({"choices": [{"finish_reason": "odd_reason", "message": {"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "pe"}, {"type": "text", "text": "ar"},
    ]}}]});
    assert_eq!(
        drawn(&wire().decode(&parts)),
        r#"~"hm" "pear" odd_reason -/-/-/-/-/-"#
    );
    let mut middle = delta(&json!({"content": "pear"}));
    middle["choices"][0]["finish_reason"] = "".into();
    middle["usage"] = Value::Null;
    assert_eq!(
        drawn(&events(&[middle, end("stop")])),
        r#""pear" end -/-/-/-/-/-"#
    );
}

#[test]
fn chunks_without_choices_are_passed_over_and_counts_kept() {
    assert_eq!(
        drawn(&events(&[
            json!({"choices": [], "prompt_filter_results": []}),
            delta(&json!({"content": "pear"})),
            end("stop"),
            json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 1, "cache_write_tokens": 2},
                "completion_tokens_details": {"reasoning_tokens": 5}}}),
            json!({"object": "chat.completion.chunk"}),
        ])),
        r#""pear" end 3/4/-/1/2/5"#
    );
}

#[test]
fn only_a_reason_proves_the_end() {
    let mut decoder = wire().stream();
    let mut seen = vec![decoder.progress()];
    for event in [
        delta(&json!({"content": "pear"})).to_string(),
        end("stop").to_string(),
        "[DONE]".to_owned(),
    ] {
        decoder.event(Frame::of(&event)).unwrap();
        seen.push(decoder.progress());
    }
    assert_eq!(
        seen,
        [
            Progress::Open,
            Progress::Open,
            Progress::Proved,
            Progress::Done
        ]
    );
    let mut decoder = wire().stream();
    decoder
        .event(Frame::of(&delta(&json!({"content": "pear"})).to_string()))
        .unwrap();
    decoder.event(Frame::of("[DONE]")).unwrap();
    assert_eq!(
        drawn(&decoder.finish()),
        r#"Cut After(0ns): the reply broke off before its end / "pear" error -/-/-/-/-/-"#
    );
}

#[test]
fn errors_inside_good_answers_are_errors() {
    let told = |body: &Value| drawn(&wire().decode(body));
    assert_eq!(
        [
            told(&json!({"error": {"message": "no"}})),
            told(&json!({"choices": []})),
            told(&json!([1])),
            told(&json!({"choices": [{"message": {"content": "x"}, "finish_reason": "error"}]})),
        ],
        [
            "Server After(0ns): the server tells an error inside its reply: no / nothing",
            "Protocol Never: the reply is JSON, but holds no `choices` with a `message` / nothing",
            "Protocol Never: the reply is JSON, but holds no `choices` with a `message` / nothing",
            "Server After(0ns): the server says that it failed while the model was answering / \
             \"x\" error -/-/-/-/-/-",
        ]
    );
    let busy = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    assert_eq!(
        drawn(&events(&[delta(&json!({"content": "half"})), busy])),
        "Server After(0ns): the server tells an error inside its reply: busy / nothing"
    );
}

#[test]
fn refusals_and_filters_are_told_with_what_came_before() {
    assert_eq!(
        [
            drawn(&events(&[
                delta(&json!({"content": "I "})),
                end("content_filter")
            ])),
            drawn(&events(&[
                delta(&json!({"refusal": "I can"})),
                delta(&json!({"refusal": "not."})),
                end("stop")
            ])),
            drawn(&wire().decode(
                &json!({"choices": [{"message": {"content": null, "refusal": "No."},
                    "finish_reason": "stop"}]})
            )),
        ],
        [
            "Refused Never: the provider's content filter stopped the answer / \"I \" filter \
             -/-/-/-/-/-",
            "Refused Never: the model refused: I cannot. / refusal -/-/-/-/-/-",
            "Refused Never: the model refused: No. / refusal -/-/-/-/-/-",
        ]
    );
}

#[test]
fn empty_answers_are_told() {
    let empty = |content: Value| {
        drawn(&wire().decode(
            &json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}),
        ))
    };
    let expected = "Empty Never: the model gave an empty answer / nothing";
    assert_eq!(
        [empty(json!("")), empty(json!(" \n")), empty(Value::Null)],
        [expected; 3]
    );
}

#[test]
fn details_of_reasoning_are_put_together_to_be_given_back() {
    let detail = |fields: Value| delta(&json!({"reasoning_details": [fields]}));
    let reply = events(&[
        delta(&json!({"reasoning": "h"})),
        detail(json!({"type": "reasoning.text", "index": 0, "text": "h", "signature": null})),
        delta(&json!({"reasoning": "m"})),
        detail(json!({"type": "reasoning.text", "index": 0, "text": "m", "signature": "S"})),
        detail(json!({"type": "reasoning.encrypted", "index": 1, "data": "E"})),
        delta(&json!({"content": "pear"})),
        end("stop"),
    ]);
    assert_eq!(
        drawn(&reply),
        "~\"hm\"{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"index\":0,\"text\":\"hm\",\
         \"signature\":\"S\"},{\"type\":\"reasoning.encrypted\",\"index\":1,\"data\":\"E\"}]} \
         \"pear\" end -/-/-/-/-/-"
    );
}
