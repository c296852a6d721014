//! Streams of every kind: what stands on stdout and in the file, byte for byte.

use serde_json::{Value, json};

use super::{Place, failed_well};
use crate::fakellm::{FakeLlm, Play, chunk};

const CHAT: &str = "user: Which?\n";

/// Runs a chat on one stream and gives its exit code, stdout and the file without its marks.
fn run(play: Play) -> (Option<i32>, String, String) {
    let llm = FakeLlm::start(vec![play]);
    let place = Place::asking(&llm);
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    (ran.exit, ran.stdout, place.read_bare("chat.md"))
}

fn answered(text: &str) -> (Option<i32>, String, String) {
    (
        Some(0),
        format!("{text}\n"),
        format!("{CHAT}\n\nassistant:\n\n{text}\n\nuser:\n"),
    )
}

fn said(text: &str) -> Value {
    chunk(&json!({ "content": text }), None)
}

fn stopped() -> Value {
    chunk(&json!({}), Some("stop"))
}

#[test]
fn one_blank_after_the_colon_is_optional() {
    let (pear, stop) = (said("pear"), stopped());
    let stream = format!(
        "event:ping\ndata:{pear}\n\ndata: {pear}\n\ndata:  {pear}\n\ndata:{stop}\n\ndata:[DONE]\n\n"
    );
    assert_eq!(run(Play::sse(stream)), answered("pearpearpear"));
}

#[test]
fn the_cuts_of_the_network_change_no_byte() {
    let text = "péra 那 🍐";
    for size in [1, 2, 3, 5, 7, 100_000] {
        assert_eq!(run(Play::text(text).in_pieces_of(size)), answered(text));
    }
}

#[test]
fn a_character_that_is_cut_off_is_an_error() {
    let mut stream = format!("data: {}\n\ndata: ", said("one "));
    stream.push_str(r#"{"choices":[{"index":0,"delta":{"content":""#);
    let mut bytes = stream.into_bytes();
    bytes.push("那".as_bytes()[0]);
    let llm = FakeLlm::start(vec![Play::sse(bytes), Play::text("Now.")]);
    let place = Place::asking(&llm);
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    assert!(!place.read("chat.md").contains('\u{fffd}'));
    assert_eq!(ran.stdout, "one \n");
    failed_well(&place, "chat.md", CHAT, &ran, 1, "");
}

#[test]
fn line_ends_of_every_kind_and_data_of_several_lines_read_alike() {
    let several = format!("{:#}", said("two"));
    assert!(several.lines().count() > 3);
    let several = format!("data: {}\n", several.replace('\n', "\ndata: "));
    let stream = format!(
        "data: {}\n\n{several}\ndata: {}\n\ndata: [DONE]\n\n",
        said("one "),
        stopped()
    );
    for ends in ["\n", "\r\n", "\r"] {
        assert_eq!(
            run(Play::sse(stream.replace('\n', ends))),
            answered("one two"),
            "{ends:?}"
        );
    }
}

#[test]
fn keep_alives_are_no_events() {
    let pings = ": ping\n\n".repeat(5);
    let (one, two, stop) = (said("one "), said("two"), stopped());
    let stream =
        format!("id: 7\ndata: {one}\n\n{pings}data: {two}\n\ndata: {stop}\n\ndata: [DONE]\n\n");
    assert_eq!(run(Play::sse(stream)), answered("one two"));
}

#[test]
fn chunks_without_choices_do_no_harm_and_counts_are_recorded() {
    let llm = FakeLlm::start(vec![Play::events(&[
        json!({"choices": [], "prompt_filter_results": []}),
        said("one"),
        stopped(),
        json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}),
        json!({"id": "x"}),
    ])]);
    let place = Place::asking(&llm);
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(ran.stdout, "one\n", "{ran:?}");
    let after = place.read("chat.md");
    let mark = after
        .lines()
        .find(|line| line.starts_with("meta:"))
        .unwrap();
    assert!(mark.contains(" pt=3 ct=4 "), "{mark}");
}

#[test]
fn what_is_not_known_does_no_harm() {
    let mut first = chunk(&json!({"content": "one", "more": {"deep": [1]}}), Some(""));
    first["service_tier"] = json!("blue");
    first["usage"] = Value::Null;
    first["created"] = json!(1.5e9);
    let mut last = chunk(&json!({"content": null}), Some("stop"));
    last["choices"][0]["logprobs"] = Value::Null;
    assert_eq!(run(Play::events(&[first, last])), answered("one"));
}

#[test]
fn errors_inside_good_answers_are_failures() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"busy\"}}\n\n";

    // Before any text it is tried again, and nobody who reads stdout sees that.
    let untold = json!({"error": {"message": "no"}});
    for (play, cause) in [
        (Play::sse(overloaded), "busy"),
        (Play::json(200, &untold), "no"),
        (Play::sse("data: [DONE]\n\n"), "end"),
        (Play::sse(""), "nothing"),
    ] {
        let llm = FakeLlm::start(vec![play, Play::text("Here.")]);
        let place = Place::asking(&llm);
        place.write("chat.md", CHAT);
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (Some(0), "Here.\n"));
        assert!(
            ran.stderr.contains(cause) && ran.stderr.contains("try 2"),
            "{ran:?}"
        );
    }

    // After some text it is not, and the text is kept and marked.
    let half = format!("data: {}\n\n{overloaded}", said("half"));
    let llm = FakeLlm::start(vec![Play::sse(half), Play::text("Now.")]);
    let place = Place::asking(&llm);
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(llm.requests().len(), 1);
    let cut = place.read("chat.md");
    assert!(
        cut.contains("stop=error") && cut.ends_with("assistant:\n\nhalf\n"),
        "{cut}"
    );
    failed_well(&place, "chat.md", CHAT, &ran, 1, "busy");

    // An error or nothing at all in place of the stream that no second try mends.
    for (play, cause) in [
        (
            Play::json(
                200,
                &json!({"error": {"message": "no", "type": "invalid_request_error"}}),
            ),
            "no",
        ),
        (
            Play::body(200, "text/html", "<html>A portal</html>"),
            "web page",
        ),
        (Play::events(&[stopped()]), "empty"),
    ] {
        let llm = FakeLlm::start(vec![play, Play::text("Now.")]);
        let place = Place::asking(&llm);
        place.write("chat.md", CHAT);
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!(place.read("chat.md"), CHAT, "{cause}");
        assert_eq!(ran.stdout, "", "{cause}");
        failed_well(&place, "chat.md", CHAT, &ran, 1, cause);
    }
}

#[test]
fn a_connection_lost_in_a_call_runs_nothing() {
    let call = Play::calls(&[("c1", "save", r#"{"path": "a.txt", "text": "x"}"#)]);
    let llm = FakeLlm::start(vec![call.reset_after(3), Play::text("Fine.")]);
    let place = Place::asking(&llm);
    place.write("chat.md", &format!("{}{CHAT}", Place::server()));
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(0), "Fine.\n"));
    assert!(!place.work().join("a.txt").exists());
    assert!(!place.read("chat.md").contains("function_call"));
}
