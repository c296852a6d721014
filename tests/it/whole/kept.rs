//! Conversations that a provider keeps, seen on the wire.

use serde_json::{Value, json};

use super::Place;
use crate::fakellm::{FakeLlm, Play};

/// A whole reply of Responses.
fn says(id: &str, text: &str) -> Play {
    let message = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": text}]});
    let reply = json!({"id": id, "status": "completed", "model": "m-1", "output": [message]});
    Play::json(200, &reply)
}

fn asking(llm: &FakeLlm) -> Place {
    let place = Place::new();
    place.config(&format!(
        "[defaults]\nendpoint = \"fake\"\n[endpoints.fake]\nbackend = \"responses\"\nurl = \"{}\"\nmodel = \"m\"\n",
        llm.url
    ));
    place
}

/// What a request says of the conversation.
fn kept(body: &Value) -> Value {
    json!([
        body["store"],
        body["previous_response_id"],
        body["instructions"],
        body["input"],
    ])
}

fn bodies(llm: &FakeLlm) -> Vec<Value> {
    llm.requests()
        .iter()
        .map(|seen| kept(&seen.json()))
        .collect()
}

const CHAT: &str = "sticky_option: previous_response true\nsystem: Be terse.\nuser: Why?\n";

#[test]
fn a_later_run_sends_only_what_is_new() {
    let llm = FakeLlm::start(vec![says("resp_1", "So."), says("resp_2", "Yes.")]);
    let place = asking(&llm);
    place.write("chat.md", CHAT);
    assert_eq!(place.run(&["ask", "chat.md"]).exit, Some(0));
    let shown = place.run(&["ask", "chat.md", "--show-request", "Really?"]);
    let ran = place.run(&["ask", "chat.md", "Really?"]);
    assert_eq!(
        (ran.exit, ran.stderr.contains("warning")),
        (Some(0), false),
        "{ran:?}"
    );
    let new = json!([{"role": "user", "content": "Really?"}]);
    let all = json!([{"role": "user", "content": "Why?"}]);
    assert_eq!(
        bodies(&llm),
        [
            json!([true, null, "Be terse.", all]),
            json!([true, "resp_1", "Be terse.", new]),
        ]
    );
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown, llm.requests()[1].json());
}

#[test]
fn an_edited_chat_is_sent_whole_and_a_forgotten_one_too() {
    let all = json!([
        {"role": "user", "content": "How?"},
        {"type": "message", "role": "assistant", "content": "So."},
        {"role": "user", "content": "Really?"},
    ]);
    let llm = FakeLlm::start(vec![says("resp_1", "So."), says("resp_2", "Yes.")]);
    let place = asking(&llm);
    place.write("chat.md", CHAT);
    assert_eq!(place.run(&["ask", "chat.md"]).exit, Some(0));
    place.write("chat.md", &place.read("chat.md").replace("Why?", "How?"));
    assert_eq!(place.run(&["ask", "chat.md", "Really?"]).exit, Some(0));
    assert_eq!(bodies(&llm)[1], json!([true, null, "Be terse.", all]));

    let gone = Play::error(
        400,
        "previous_response_not_found",
        "Previous response with id 'resp_2' not found.",
    );
    let llm = FakeLlm::start(vec![gone, says("resp_3", "No."), says("resp_4", "Fine.")]);
    let later = asking(&llm);
    later.write("chat.md", &place.read("chat.md"));
    let ran = later.run(&["ask", "chat.md", "Truly?"]);
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    assert!(
        ran.stderr
            .contains("does not go on from the conversation that it kept")
            && ran.stderr.contains("'resp_2' not found"),
        "{ran:?}"
    );
    assert_eq!(later.run(&["ask", "chat.md", "And?"]).exit, Some(0));
    let ids: Vec<Value> = llm
        .requests()
        .iter()
        .map(|seen| seen.json()["previous_response_id"].clone())
        .collect();
    assert_eq!(ids, [json!("resp_2"), Value::Null, json!("resp_3")]);
    assert_eq!(bodies(&llm)[1][3].as_array().map(Vec::len), Some(5));
}

#[test]
fn nothing_is_kept_unless_asked_for_and_the_search_is_offered_when_it_is() {
    let llm = FakeLlm::start(vec![says("resp_1", "So."), says("resp_2", "Yes.")]);
    let place = asking(&llm);
    place.write("chat.md", "option: websearch true\nuser: Why?\n");
    for question in ["Really?", "Truly?"] {
        assert_eq!(place.run(&["ask", "chat.md", question]).exit, Some(0));
    }
    let tools: Vec<Value> = llm
        .requests()
        .iter()
        .map(|seen| json!([seen.json()["store"], seen.json()["tools"]]))
        .collect();
    assert_eq!(
        tools,
        [
            json!([false, [{"type": "web_search"}]]),
            json!([false, null])
        ]
    );
    assert!(!place.read("chat.md").contains("conversation="));
}
