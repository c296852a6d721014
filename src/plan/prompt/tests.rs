//! Histories that people and crashes make, and the turns that are sent for them.

use serde_json::Map;

use super::{Item, Part, Prompt, Turn};
use crate::chat::{CallId, Meta, Origin, Reasoning, Role, ToolCall, ToolName, ToolOutput};
use crate::plan::{Media, MediaKind, MediaSource, Returned, Said, Saying};

fn said(what: Saying) -> Said {
    Said {
        what,
        origin: Origin::Run,
    }
}

fn text(role: Role, text: &str) -> Said {
    said(Saying::Text {
        role,
        text: text.to_owned(),
    })
}

fn call(id: &str, name: &str) -> Said {
    said(Saying::Call(Box::new(ToolCall {
        id: CallId(id.to_owned()),
        name: ToolName(name.to_owned()),
        arguments: Map::new(),
    })))
}

fn output(id: &str, name: Option<&str>, content: &str) -> Said {
    said(Saying::Output(Box::new(Returned::from(ToolOutput {
        id: CallId(id.to_owned()),
        name: name.map(|name| ToolName(name.to_owned())),
        content: content.to_owned(),
        error: false,
        media: Vec::new(),
        start_timestamp: None,
        timestamp: None,
        other: Map::new(),
    }))))
}

fn reasoning(text: &str) -> Said {
    said(Saying::Reasoning(Box::new(Reasoning {
        text: Some(text.to_owned()),
        provider: "p".to_owned(),
        data: None,
    })))
}

fn image(name: &str) -> Said {
    said(Saying::Media(Media {
        kind: MediaKind::Image,
        name: name.to_owned(),
        source: MediaSource::Url(format!("http://x/{name}")),
    }))
}

/// Writes turns on lines: what is compared is the whole of them.
fn drawn(history: &[Said]) -> Vec<String> {
    Prompt::of(history)
        .turns
        .iter()
        .map(|turn| match turn {
            Turn::System(text) => format!("system {text:?}"),
            Turn::User(parts) => format!(
                "user {}",
                joined(parts.iter().map(|part| match part {
                    Part::Text(text) => format!("{text:?}"),
                    Part::Media(media) => format!("<{}>", media.name),
                }))
            ),
            Turn::Assistant(items) => format!(
                "assistant {}",
                joined(items.iter().map(|item| match item {
                    Item::Text(text) => format!("{text:?}"),
                    Item::Call(call) => format!("{}({})", call.name.0, call.id.0),
                    Item::Reasoning(one) => format!("~{}", one.text.as_deref().unwrap_or("")),
                }))
            ),
            Turn::Results(outputs) => format!(
                "results {}",
                joined(outputs.iter().map(|one| format!(
                    "{}{}={:?}",
                    one.output.id.0,
                    if one.output.error { "!" } else { "" },
                    one.output.content
                )))
            ),
        })
        .collect()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" ")
}

#[test]
fn neighbours_are_joined_and_blanks_left_out() {
    assert_eq!(
        drawn(&[
            text(Role::System, "s"),
            text(Role::Developer, "d"),
            text(Role::User, "a"),
            text(Role::Assistant, " \n"),
            text(Role::User, "b"),
            image("i.png"),
            text(Role::User, "c"),
            text(Role::Assistant, "x"),
            text(Role::Assistant, "y"),
            text(Role::System, "late"),
            text(Role::User, "z"),
        ]),
        [
            r#"system "s\n\nd""#,
            r#"user "a\n\nb" <i.png> "c""#,
            r#"assistant "x\n\ny""#,
            r#"system "late""#,
            r#"user "z""#,
        ]
    );
}

#[test]
fn ends_that_are_not_the_users_are_filled() {
    assert_eq!(
        drawn(&[text(Role::Assistant, "hello")]),
        [
            r#"user "(start of the conversation)""#,
            r#"assistant "hello""#,
            r#"user "(continue)""#
        ]
    );
    assert_eq!(
        drawn(&[text(Role::System, "s")]),
        [r#"system "s""#, r#"user "(start of the conversation)""#]
    );
    assert_eq!(
        drawn(&[text(Role::User, ""), said(Saying::Meta(Meta::default()))]),
        [""; 0]
    );
}

#[test]
fn interrupted_calls_get_an_error_result_and_orphans_go() {
    assert_eq!(
        drawn(&[
            output("o", None, "before any call"),
            text(Role::User, "q"),
            call("a", "f"),
            call("b", "g"),
            output("b", Some("g"), "B"),
            output("b", Some("g"), "B again"),
            text(Role::User, "and?"),
        ]),
        [
            r#"user "q""#,
            "assistant f(a) g(b)",
            r#"results a!="interrupted" b="B""#,
            r#"user "and?""#
        ]
    );
}

#[test]
fn late_outputs_move_to_their_calls_in_call_order() {
    assert_eq!(
        drawn(&[
            text(Role::User, "q"),
            call("a", "f"),
            call("b", "g"),
            text(Role::User, "typed in between"),
            output("b", None, "B"),
            output("a", None, ""),
        ]),
        [
            r#"user "q""#,
            "assistant f(a) g(b)",
            r#"results a="(no output)" b="B""#,
            r#"user "typed in between""#
        ]
    );
}

#[test]
fn an_id_used_every_turn_pairs_with_the_newest_call_and_is_made_unique() {
    assert_eq!(
        drawn(&[
            text(Role::User, "q"),
            call("0", "f"),
            output("0", None, "1"),
            call("0", "f"),
            call("0", "g"),
            output("0", Some("g"), "3"),
            output("0", Some("f"), "2"),
        ]),
        [
            r#"user "q""#,
            "assistant f(0)",
            r#"results 0="1""#,
            "assistant f(0_2) g(0_3)",
            r#"results 0_2="2" 0_3="3""#,
        ]
    );
}

#[test]
fn odd_ids_and_names_are_mapped_the_same_way_each_time() {
    let history = [
        text(Role::User, "q"),
        call("é é", "do it!"),
        output("é é", None, "x"),
        call("", ""),
        output("", None, "y"),
    ];
    let drawn_once = drawn(&history);
    assert_eq!(
        drawn_once,
        [
            r#"user "q""#,
            "assistant do_it_(call_6279fe2f6375a76b75eb7575)",
            r#"results call_6279fe2f6375a76b75eb7575="x""#,
            "assistant tool(call_e3b0c44298fc1c149afbf4c8)",
            r#"results call_e3b0c44298fc1c149afbf4c8="y""#,
        ]
    );
    assert_eq!(drawn(&history[..3]), drawn_once[..3]);
}

#[test]
fn reasoning_stays_before_what_it_led_to() {
    assert_eq!(
        drawn(&[
            text(Role::User, "q"),
            reasoning("r1"),
            call("a", "f"),
            output("a", None, "A"),
            reasoning("r2"),
            text(Role::Assistant, "t"),
            reasoning("led to nothing"),
            text(Role::User, "u"),
            reasoning("nor this"),
            text(Role::User, "v"),
        ]),
        [
            r#"user "q""#,
            "assistant ~r1 f(a)",
            r#"results a="A""#,
            r#"assistant ~r2 "t""#,
            r#"user "u\n\nv""#
        ]
    );
}

fn mark(stop: &str) -> Said {
    let meta = format!("inference_id=i stop={stop}");
    said(Saying::Meta(Meta::read(&meta)))
}

#[test]
fn what_a_provider_paused_is_kept_as_it_came_beside_what_all_accept() {
    let paused = [
        text(Role::User, "q"),
        mark("paused"),
        text(Role::Assistant, "a"),
        reasoning("searching"),
    ];
    let others = [r#"user "q""#, r#"assistant "a""#, r#"user "(continue)""#];
    assert_eq!(drawn(&paused), others);
    let kept = Prompt::of(&paused).paused;
    assert!(
        matches!(&kept[..], [Item::Text(a), Item::Reasoning(r)]
            if a == "a" && r.text.as_deref() == Some("searching")),
        "{kept:?}"
    );
    for after in [
        vec![text(Role::User, "wait")],
        vec![mark("end"), text(Role::Assistant, "b")],
        vec![mark("end"), call("1", "f")],
        vec![text(Role::System, "be kind")],
    ] {
        let history = [&paused[..], &after].concat();
        assert_eq!(Prompt::of(&history).paused, [], "{after:?}");
    }
}
