//! Calls of tools by models that do not keep to the rules.

use serde_json::{Value, json};

use super::{Place, Ran, failed_well};
use crate::fakellm::{FakeLlm, Play, Rules, chunk};

fn place(llm: &FakeLlm) -> (Place, String) {
    let place = Place::asking(llm);
    let chat = format!("{}user: Go.\n", Place::server());
    place.write("chat.md", &chat);
    (place, chat)
}

fn run(plays: Vec<Play>) -> (FakeLlm, Place, Ran) {
    let llm = FakeLlm::strict(plays, Rules::OpenAi);
    let (place, chat) = place(&llm);
    let ran = place.run(&["ask", "-v", "chat.md"]);
    assert!(place.read("chat.md").starts_with(&chat));
    (llm, place, ran)
}

/// The records of a role in a chat, as JSON.
fn records(place: &Place, role: &str) -> Vec<Value> {
    let text = place.read("chat.md");
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix(role)?.strip_prefix(": "));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn made(place: &Place) -> Vec<String> {
    records(place, "function_call")
        .iter()
        .map(|call| format!("{} {}", call["name"].as_str().unwrap(), call["arguments"]))
        .collect()
}

/// A stream of these deltas of calls.
fn deltas(deltas: &[Value]) -> Play {
    let mut events: Vec<Value> = deltas
        .iter()
        .map(|delta| chunk(&json!({ "tool_calls": [delta] }), None))
        .collect();
    events.push(chunk(&json!({}), Some("tool_calls")));
    Play::events(&events)
}

#[test]
fn calls_without_index_are_told_apart() {
    let mut parts = [
        json!({"id": "a", "function": {"name": "save", "arguments": "{\"path\":\"x\","}}),
        json!({"function": {"arguments": "\"text\":\"1\"}"}}),
        json!({"id": "b", "function": {"name": "look", "arguments": "{}"}}),
    ];
    for index_on_the_first in [false, true] {
        if index_on_the_first {
            parts[0]["index"] = json!(0);
        }
        let (_, place, ran) = run(vec![deltas(&parts), Play::text("Done.")]);
        assert_eq!(ran.stdout, "Done.\n", "{ran:?}");
        assert_eq!(made(&place), [r#"save {"path":"x","text":"1"}"#, "look {}"]);
        assert_eq!(place.read("x"), "1");
    }
}

#[test]
fn no_arguments_in_any_form_are_none() {
    let with = |arguments: &Value| {
        let function = json!({"name": "look", "arguments": arguments});
        deltas(&[json!({"index": 0, "id": "a", "function": function})])
    };
    let without = deltas(&[json!({"index": 0, "id": "a", "function": {"name": "look"}})]);
    let forms = [
        json!(""),
        json!("  "),
        Value::Null,
        json!("null"),
        json!("{}"),
    ];
    for play in forms.iter().map(with).chain([without]) {
        let (_, place, ran) = run(vec![play, Play::text("Done.")]);
        assert_eq!(ran.stdout, "Done.\n", "{ran:?}");
        assert_eq!(made(&place), ["look {}"]);
        let output = &records(&place, "function_call_output")[0];
        assert_eq!(
            (&output["content"], &output["error"]),
            (&json!("seen"), &Value::Null)
        );
    }
}

#[test]
fn a_missing_input_is_told_to_the_model() {
    let (llm, _, ran) = run(vec![Play::calls(&[("c", "save", "")]), Play::text("Done.")]);
    assert_eq!(ran.stdout, "Done.\n", "{ran:?}");
    let told = llm.requests()[1].json()["messages"][2]["content"].to_string();
    assert!(told.contains("path") && told.contains("text"), "{told}");
}

#[test]
fn a_call_that_the_token_limit_cut_is_not_run() {
    let cut = || {
        let function =
            json!({"name": "save", "arguments": "{\"path\":\"a.txt\",\"text\":\"one two"});
        Play::events(&[
            chunk(
                &json!({"tool_calls": [{"index": 0, "id": "a", "function": function}]}),
                None,
            ),
            chunk(&json!({}), Some("length")),
        ])
    };
    let (llm, place, ran) = run(vec![cut(), Play::text("Sorry.")]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Sorry.\n"),
        "{ran:?}"
    );
    assert!(!place.work().join("a.txt").exists());
    let told = llm.requests()[1].json()["messages"][2]["content"].to_string();
    assert!(told.contains("cut"), "{told}");

    let (llm, place, ran) = run(vec![cut(), cut(), Play::text("Now.")]);
    assert!(!place.work().join("a.txt").exists());
    assert_eq!(llm.requests().len(), 2);
    failed_well(&place, "chat.md", "mcp:", &ran, 5, "cut");
}

#[test]
fn a_tool_that_is_not_there_is_told_with_the_nearest_and_not_for_ever() {
    let wrong = || Play::calls(&[("c", "lok", "{}")]);
    let (llm, place, ran) = run(vec![wrong(), Play::text("Done.")]);
    assert_eq!(ran.stdout, "Done.\n", "{ran:?}");
    assert_eq!(made(&place), ["lok {}"]);
    let told = llm.requests()[1].json()["messages"][2]["content"].to_string();
    assert!(told.contains("look"), "{told}");

    let mut plays: Vec<Play> = (0..3).map(|_| wrong()).collect();
    plays.push(Play::text("Now."));
    let (llm, place, ran) = run(plays);
    assert_eq!(llm.requests().len(), 3);
    failed_well(&place, "chat.md", "mcp:", &ran, 5, "not there");
}

#[test]
fn equal_calls_are_warned_of_and_stopped() {
    let same = |_| Play::calls(&[("c", "look", "{}")]);
    let mut plays: Vec<Play> = (0..5).map(same).collect();
    plays.push(Play::text("Now."));
    let (llm, place, ran) = run(plays);
    assert!(llm.requests().len() <= 5);
    assert!(ran.stderr.contains("warning: "), "{ran:?}");
    failed_well(&place, "chat.md", "mcp:", &ran, 5, "same arguments");
}

#[test]
fn calls_that_take_turns_or_fail_end_at_the_most_rounds_and_a_higher_limit_goes_on() {
    let turns = |n: usize| match n % 2 {
        0 => Play::calls(&[("c", "look", "{}")]),
        _ => Play::calls(&[("c", "quiet", "{}")]),
    };
    let failing = |n: usize| Play::calls(&[("c", "broken", &format!("{{\"n\":{n}}}"))]);
    let llm = FakeLlm::strict((0..60).map(turns).collect(), Rules::OpenAi);
    let (turning, _) = place(&llm);
    let ran = turning.run(&["ask", "chat.md"]);
    assert_eq!(ran.exit, Some(5), "{ran:?}");
    assert!(llm.requests().len() <= 50, "{}", llm.requests().len());

    let mut plays: Vec<Play> = (0..50).map(failing).collect();
    plays.push(Play::text("Enough."));
    let llm = FakeLlm::strict(plays, Rules::OpenAi);
    let (broken, _) = place(&llm);
    let ran = broken.run(&["ask", "chat.md"]);
    assert_eq!((ran.exit, llm.requests().len()), (Some(5), 50), "{ran:?}");
    let ran = broken.run(&["ask", "chat.md", "--max-rounds", "60"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Enough.\n"),
        "{ran:?}"
    );
}

#[test]
fn long_outputs_are_cut_between_characters_and_kept_whole_beside_the_chat() {
    for shift in ["", "a", "ab"] {
        let arguments = json!({"text": "─", "times": 400_000}).to_string();
        let name = "那".repeat(200);
        let (llm, place, ran) = run(vec![
            Play::calls(&[
                ("c", "long", &arguments),
                ("d", &name, &json!({"那": name}).to_string()),
            ]),
            Play::text(&format!("{shift}Done.")),
        ]);
        assert_eq!(ran.stdout, format!("{shift}Done.\n"), "{ran:?}");
        let messages = llm.requests()[1].json()["messages"].clone();
        let told = messages[2]["content"].as_str().unwrap();
        assert!(told.chars().count() < 101_000, "{}", told.chars().count());
        assert!(told.starts_with('─') && !told.contains('\u{fffd}'));
        let kept: Vec<_> = std::fs::read_dir(place.work().join("chat.md.files"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(kept.len(), 1, "{kept:?}");
        let file = kept[0].file_name().unwrap().to_str().unwrap();
        assert!(told.contains(file), "{file}");
        assert_eq!(std::fs::metadata(&kept[0]).unwrap().len(), 1_200_000);
        assert!(place.read("chat.md").len() < 400_000);
    }
}
