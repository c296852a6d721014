//! Calls, in all the forms in which servers send them.

use serde_json::{Value, json};

use super::{delta, drawn, end, events, wire};
use crate::backends::Wire;

/// Streams these pieces of calls, each in a chunk of its own.
fn calls(pieces: &[Value], reason: &str) -> String {
    let mut chunks: Vec<Value> = pieces
        .iter()
        .map(|piece| delta(&json!({"tool_calls": [piece]})))
        .collect();
    chunks.push(end(reason));
    drawn(&events(&chunks))
}

fn piece(index: Option<u64>, id: &str, name: &str, arguments: &str) -> Value {
    let mut piece = json!({"function": {"name": name, "arguments": arguments}});
    if let Some(index) = index {
        piece["index"] = index.into();
    }
    if !id.is_empty() {
        piece["id"] = id.into();
    }
    piece
}

const TWO: &str = r#"add({"x":1})#a neg({})#b calls -/-/-/-/-/-"#;

#[test]
fn calls_without_index_are_told_apart_by_id() {
    let pieces = |index| {
        [
            piece(index, "a", "add", r#"{"x":"#),
            json!({"function": {"arguments": "1}"}}),
            piece(None, "b", "neg", "{}"),
        ]
    };
    assert_eq!(calls(&pieces(None), "tool_calls"), TWO);
    assert_eq!(calls(&pieces(Some(0)), "tool_calls"), TWO);
}

#[test]
fn calls_of_one_index_are_told_apart_by_id_and_interleaved_ones_by_index() {
    assert_eq!(
        calls(
            &[
                piece(Some(0), "a", "add", r#"{"x":1}"#),
                piece(Some(0), "b", "neg", "{}"),
            ],
            "stop"
        ),
        TWO
    );
    assert_eq!(
        calls(
            &[
                piece(Some(0), "a", "add", ""),
                piece(Some(1), "b", "neg", ""),
                json!({"index": 0, "function": {"arguments": r#"{"x":"#}}),
                json!({"index": 1, "function": {"arguments": "{}"}}),
                json!({"index": 0, "function": {"arguments": "1}"}}),
            ],
            "tool_calls"
        ),
        TWO
    );
}

#[test]
fn whole_calls_without_any_id_are_told_apart_and_repeated_ids_are_one_call() {
    assert_eq!(
        calls(
            &[
                piece(None, "", "add", r#"{"x":1}"#),
                piece(None, "", "neg", "{}"),
            ],
            "tool_calls"
        ),
        r#"add({"x":1})# neg({})# calls -/-/-/-/-/-"#
    );
    assert_eq!(
        calls(
            &[
                piece(Some(0), "a", "add", r#"{"x":"#),
                piece(Some(0), "a", "add", "1}"),
                piece(Some(0), "a", "add", ""),
            ],
            "tool_calls"
        ),
        r#"add({"x":1})#a calls -/-/-/-/-/-"#
    );
}

#[test]
fn no_arguments_in_any_form_mean_none() {
    for arguments in [
        json!(""),
        json!("  "),
        json!(null),
        json!("null"),
        json!("{}"),
        json!({}),
        json!("\"{}\""),
    ] {
        let call = json!({"id": "a", "function": {"name": "f", "arguments": arguments}});
        let none = json!({"id": "b", "function": {"name": "g"}});
        let body = json!({"choices": [{
            "message": {"content": null, "tool_calls": [call, none]},
            "finish_reason": "tool_calls",
        }]});
        let expected = "f({})#a g({})#b calls -/-/-/-/-/-";
        assert_eq!(drawn(&wire().decode(&body)), expected, "{arguments}");
        assert_eq!(calls(&[call, none], "tool_calls"), expected, "{arguments}");
    }
}

#[test]
fn a_call_cut_by_the_limit_is_never_one_to_make() {
    let cut = |arguments| calls(&[piece(Some(0), "a", "save", arguments)], "length");
    assert_eq!(
        [
            cut(r#"{"path":"a.txt","text":"one two"#),
            cut(""),
            cut("null"),
            cut(r#"{"path":"a.txt"}"#),
        ],
        [
            r#"save("{\"path\":\"a.txt\",\"text\":\"one two")#a Cut length -/-/-/-/-/-"#,
            r#"save("")#a Cut length -/-/-/-/-/-"#,
            r#"save("null")#a Cut length -/-/-/-/-/-"#,
            r#"save({"path":"a.txt"})#a length -/-/-/-/-/-"#,
        ]
    );
}

#[test]
fn wrong_arguments_and_nameless_calls_are_told_and_not_made() {
    let wrong = |name, arguments| calls(&[piece(Some(0), "a", name, arguments)], "tool_calls");
    assert_eq!(
        [wrong("f", "[1]"), wrong("f", "{'x': 1}"), wrong("", "{}")],
        [
            r#"f("[1]")#a NotAnObject calls -/-/-/-/-/-"#,
            r#"f("{'x': 1}")#a NotJson("key must be a string at line 1 column 2") calls -/-/-/-/-/-"#,
            r#"("{}")#a NoName calls -/-/-/-/-/-"#,
        ]
    );
}

#[test]
fn a_stream_that_breaks_off_gives_no_call_to_make() {
    let whole = piece(Some(0), "a", "add", r#"{"x":1}"#);
    assert_eq!(
        drawn(&events(&[
            delta(&json!({"content": "I add."})),
            delta(&json!({"tool_calls": [whole]})),
        ])),
        r#"Cut After(0ns): the reply broke off before its end / "I add." add("{\"x\":1}")#a Cut error -/-/-/-/-/-"#
    );
}
