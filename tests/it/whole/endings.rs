//! Answers that are none: refused, filtered, empty.

use serde_json::json;

use super::{Place, failed_well};
use crate::fakellm::{FakeLlm, Play, chunk};

const CHAT: &str = "user: Which?\n";

#[test]
fn a_filtered_answer_is_kept_and_marked_and_not_asked_for_again() {
    let filtered = Play::events(&[
        chunk(&json!({"content": "I "}), None),
        chunk(&json!({}), Some("content_filter")),
    ]);
    let llm = FakeLlm::start(vec![filtered, Play::text("Now.")]);
    let place = Place::asking(&llm);
    place.write("chat.md", CHAT);
    let ran = place.run(&["ask", "chat.md"]);
    let after = place.read("chat.md");
    assert!(
        after.contains("stop=filter") && after.ends_with("assistant:\n\nI \n"),
        "{after}"
    );
    let again = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (again.exit, llm.requests().len()),
        (Some(7), 1),
        "{again:?}"
    );
    assert_eq!(place.read("chat.md"), after);
    failed_well(&place, "chat.md", CHAT, &ran, 7, "filter");
}

#[test]
fn a_refusal_has_its_own_exit_code_and_leaves_no_empty_message() {
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "No."}, "finish_reason": "stop"}]});
    let streamed = Play::events(&[
        chunk(&json!({"refusal": "No."}), None),
        chunk(&json!({}), Some("stop")),
    ]);
    for play in [Play::json(200, &refusal), streamed] {
        let llm = FakeLlm::start(vec![play, Play::text("Now.")]);
        let place = Place::asking(&llm);
        place.write("chat.md", CHAT);
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!(llm.requests().len(), 1);
        assert!(!place.read("chat.md").contains("assistant:\n\n\n"));
        failed_well(&place, "chat.md", CHAT, &ran, 7, "No.");
    }
}
