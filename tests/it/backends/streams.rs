//! Streams as servers really send them.

use std::time::Duration;

use scoutai::backends::{Delta, ErrorKind, HttpLimits, Reply, Stop, Usage};
use scoutai::chat::Role;
use scoutai::plan::Item;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::asking::{ask, ask_at, ask_play, ask_with, backend, endpoint, said};
use crate::fakellm::{FakeLlm, Gate, Play, chunk};

fn content(text: &str) -> Value {
    chunk(&json!({"content": text}), None)
}

fn stop() -> Value {
    chunk(&json!({}), Some("stop"))
}

/// A stream written out, for the spelling of its lines.
fn lines(before: &str, after: &str, end: &str) -> Vec<u8> {
    format!(
        "event:ping{end}{end}data:{}{end}{end}data: {}{end}{end}data:  {}{end}{end}{before}data: \
         {}{end}{end}{after}data:[DONE]{end}{end}",
        content("pear"),
        content("pear"),
        content("pear"),
        stop(),
    )
    .into_bytes()
}

#[test]
fn blanks_after_the_colon_are_optional() {
    assert_eq!(
        ask_play(Play::sse(lines("", "", "\n"))).answer(),
        "pearpearpear"
    );
}

#[test]
fn line_ends_of_every_kind_read_alike_and_data_may_take_several_lines() {
    let pretty = serde_json::to_string_pretty(&content("!")).unwrap();
    let expected = "pearpearpear!";
    for end in ["\n", "\r\n", "\r"] {
        let several: String = pretty
            .lines()
            .map(|line| format!("data: {line}{end}"))
            .chain([end.to_owned()])
            .collect();
        let body = lines(&several, "", end);
        for size in [1, 3, body.len()] {
            let play = Play::sse(body.clone()).in_pieces_of(size);
            assert_eq!(ask_play(play).answer(), expected, "{end:?} {size}");
        }
    }
}

#[test]
fn the_first_piece_is_told_before_the_second_is_sent() {
    let gate = Gate::new();
    let server = FakeLlm::start(vec![
        Play::events(&[content("first "), content("second"), stop()]).gated(1, &gate),
    ]);
    let asked = ask_with(
        &backend(endpoint(&server.url)),
        &[said(Role::User, "q")],
        &CancellationToken::new(),
        &mut |delta| {
            if *delta == Delta::Text("first ".into()) {
                gate.open();
            }
        },
    );
    assert_eq!(asked.answer(), "first second");
}

#[test]
fn characters_cut_by_the_network_stay_whole() {
    let text = "péra 那 🍐";
    let whole = ask_play(Play::text(text));
    assert_eq!(whole.answer(), text);
    let bytes = ask_play(Play::text(text).in_pieces_of(1));
    assert_eq!(bytes.outcome, whole.outcome);
    let body = format!("data: {}", content("那"));
    let cut = body.find('那').unwrap() + 1;
    let play = Play::sse(&body.as_bytes()[..cut]);
    let asked = ask(&FakeLlm::start(vec![play; 4]));
    assert_eq!(
        asked.failed(),
        "Cut: the reply broke off before its end (tried 4 times) / nothing"
    );
}

#[test]
fn keep_alives_are_no_events_and_broken_json_is_an_error() {
    let ping = ": ping\n\n".repeat(5);
    let body = format!(
        "id: 7\ndata: {}\n\n{ping}id: 8\n\n{ping}data: {}\n\ndata: {}\n\ndata: [DONE]\n\n",
        content("pe"),
        content("ar"),
        stop()
    );
    assert_eq!(ask_play(Play::sse(body)).answer(), "pear");
    let asked = ask_play(Play::sse(format!(
        "data: {}\n\ndata: {{\"a\n\n",
        content("pe")
    )));
    assert_eq!(
        asked.failed(),
        "Protocol: the stream holds an event that is not JSON: EOF while parsing a string at line \
         1 column 3 / pe"
    );
}

#[test]
fn counts_come_from_the_last_chunk_and_unknown_fields_do_no_harm() {
    let server = FakeLlm::start(vec![Play::events(&[
        json!({"choices": [], "prompt_filter_results": [], "service_tier": "blue", "created": 1.5}),
        json!({"choices": [{"index": 0, "delta": {"content": "pear"}, "finish_reason": ""}],
            "usage": null, "extra": {"deep": []}}),
        stop(),
        json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
        json!({"object": "chat.completion.chunk"}),
    ])]);
    let asked = ask(&server);
    assert_eq!(
        asked.outcome,
        Ok(Reply {
            items: vec![Item::Text("pear".into())],
            cut_calls: vec![],
            stop: Stop::End,
            usage: Usage {
                prompt: Some(3),
                completion: Some(4),
                ..Usage::default()
            },
            model: Some("fake-1".into()),
            response_id: Some("chatcmpl-fake".into()),
        })
    );
}

#[test]
fn an_error_before_any_text_is_tried_again_and_one_after_text_is_not() {
    let busy = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    let server = FakeLlm::start(vec![
        Play::events(std::slice::from_ref(&busy)),
        Play::json(200, &json!({"error": {"message": "no"}})),
        Play::sse(""),
        Play::text("at last"),
    ]);
    let asked = ask(&server);
    assert_eq!(
        (asked.answer(), asked.text()),
        ("at last".into(), "[2][3][4]at last".into())
    );
    assert_eq!(server.requests().len(), 4);

    let server = FakeLlm::start(vec![Play::events(&[content("half"), busy])]);
    let asked = ask(&server);
    assert_eq!(
        (asked.failed(), server.requests().len()),
        (
            "Server: the server tells an error inside its reply: busy / half".into(),
            1
        )
    );
    assert_eq!(asked.failure().partial.as_ref().unwrap().stop, Stop::Error);
}

#[test]
fn a_connection_lost_after_text_is_not_tried_again() {
    let cut = || Play::events(&[content("The capital of "), content("Zubrow"), content("ka")]);
    for play in [cut().broken_after(2), cut().reset_after(2)] {
        let server = FakeLlm::start(vec![play, Play::text("The capital of Zubrowka is Lutz.")]);
        let asked = ask(&server);
        let failure = asked.failure();
        assert_eq!(
            (failure.error.kind, asked.text(), server.requests().len()),
            (ErrorKind::Cut, "The capital of Zubrow".into(), 1)
        );
        assert_eq!(failure.partial.as_ref().unwrap().stop, Stop::Error);
    }
}

#[test]
fn a_connection_lost_before_text_is_tried_again_and_its_calls_forgotten() {
    let call = Play::calls(&[("a", "drop_table", "{}")]);
    let server = FakeLlm::start(vec![
        call.broken_after(3),
        Play::text("unused").reset_after(0),
        Play::text("whole"),
    ]);
    let asked = ask(&server);
    assert_eq!(
        (asked.answer(), asked.text()),
        ("whole".into(), "[2][3]whole".into())
    );
}

#[test]
fn done_alone_and_an_end_without_proof_are_no_answer() {
    for play in [
        Play::events(&[content("pear")]),
        Play::sse(format!("data: {}\n\n", content("pear"))),
    ] {
        assert_eq!(
            ask_play(play).failed(),
            "Cut: the reply broke off before its end / pear"
        );
    }
    // Once the end is proved, what happens to the connection does not matter.
    let proved = Play::events(&[content("pear"), stop()]);
    assert_eq!(ask_play(proved.clone().broken_after(2)).answer(), "pear");
    assert_eq!(ask_play(proved.reset_after(2)).answer(), "pear");
}

#[test]
fn silence_ends_a_request_and_keep_alives_prevent_it() {
    let mut short = endpoint("");
    short.limits = HttpLimits {
        idle: Duration::from_millis(200),
        ..short.limits
    };
    let server = FakeLlm::start(vec![Play::text("a b").silent_after(2)]);
    short.url.clone_from(&server.url);
    let asked = ask_at(short.clone());
    assert!(
        asked
            .failed()
            .ends_with("stopped: nothing came for 0.2 seconds / a "),
        "{}",
        asked.failed()
    );
    let mut play = Play::sse(": ping\n\n".repeat(4)).in_pieces_of(8);
    for place in [0, 2, 4, 6] {
        play = play.waiting(place, Duration::from_millis(100));
    }
    let server = FakeLlm::start(vec![play.then(Play::text("pear"))]);
    short.url.clone_from(&server.url);
    assert_eq!(ask_at(short).answer(), "pear");
}

#[test]
fn cancelling_ends_the_request_at_once_and_keeps_what_came() {
    let cancel = CancellationToken::new();
    let server = FakeLlm::start(vec![Play::text("one two").silent_after(2)]);
    let asked = ask_with(
        &backend(endpoint(&server.url)),
        &[said(Role::User, "q")],
        &cancel,
        &mut |_| cancel.cancel(),
    );
    assert_eq!(
        asked.failed(),
        "Cancelled: the request was cancelled / one "
    );
    let partial = asked.failure().partial.as_ref().unwrap();
    assert_eq!(partial.stop, Stop::Interrupted);
    let before = ask_with(
        &backend(endpoint(&server.url)),
        &[said(Role::User, "q")],
        &cancel,
        &mut |_| {},
    );
    assert_eq!(
        before.failed(),
        "Cancelled: the request was cancelled / nothing"
    );
}

#[test]
fn calls_that_count_from_nought_each_turn_get_ids_of_their_own() {
    let server = FakeLlm::start(vec![Play::calls(&[
        ("0", "add", "{}"),
        ("0", "neg", ""),
        ("", "neg", "null"),
    ])]);
    let reply = ask(&server).outcome.unwrap();
    let ids: Vec<&str> = reply
        .items
        .iter()
        .map(|item| match item {
            Item::Call(call) => call.id.0.as_str(),
            Item::Text(_) | Item::Reasoning(_) => "",
        })
        .collect();
    assert_eq!(ids[0], "0");
    assert!(
        ids[1].starts_with("call_") && ids[2].starts_with("call_") && ids[1] != ids[2],
        "{ids:?}"
    );
}
