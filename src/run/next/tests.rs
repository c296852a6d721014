//! Each rule of what comes next, and that no list of messages breaks it.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::chat::{CallId, Meta, MetaValue, Origin, ToolName, ToolOutput};
use crate::plan::Returned;

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

fn user(words: &str) -> Said {
    text(Role::User, words)
}

fn assistant(words: &str) -> Said {
    text(Role::Assistant, words)
}

fn call(id: &str) -> ToolCall {
    ToolCall {
        id: CallId(id.to_owned()),
        name: ToolName("bake".to_owned()),
        arguments: Map::new(),
    }
}

fn calls(id: &str) -> Said {
    said(Saying::Call(Box::new(call(id))))
}

fn output(id: &str) -> Said {
    said(Saying::Output(Box::new(Returned::from(ToolOutput {
        id: CallId(id.to_owned()),
        name: None,
        content: "baked".to_owned(),
        error: false,
        media: Vec::new(),
        start_timestamp: None,
        timestamp: None,
        other: Map::new(),
    }))))
}

fn mark(stop: Option<&str>) -> Said {
    let mut meta = Meta::default();
    meta.push("inference_id", MetaValue::Text("i1".to_owned()));
    if let Some(stop) = stop {
        meta.push("stop", MetaValue::Text(stop.to_owned()));
    }
    said(Saying::Meta(meta))
}

fn done(answer: &str) -> Next {
    Next::Done {
        answer: answer.to_owned(),
    }
}

#[test]
fn a_question_is_asked() {
    assert_eq!(next(&[]), Next::Ask);
    assert_eq!(next(&[user("hi")]), Next::Ask);
    assert_eq!(
        next(&[user("hi"), mark(None), assistant("yes"), user("more")]),
        Next::Ask
    );
}

#[test]
fn a_whole_answer_is_done() {
    assert_eq!(
        next(&[user("hi"), mark(None), assistant("a"), assistant("b")]),
        done("a\n\nb")
    );
    assert_eq!(next(&[user("hi"), assistant("by hand")]), done("by hand"));
    assert_eq!(
        next(&[
            user("hi"),
            mark(None),
            assistant("old"),
            mark(None),
            assistant("new"),
            user(" ")
        ]),
        done("new")
    );
    assert_eq!(
        next(&[user("hi"), assistant("a"), text(Role::System, "be kind")]),
        done("a")
    );
}

#[test]
fn a_turn_that_paused_goes_on_and_its_texts_begin_the_answer() {
    let paused = [user("hi"), mark(Some("paused")), assistant("a")];
    assert_eq!(next(&paused), Next::Ask);
    let again = [&paused[..], &[mark(Some("paused")), assistant("b")]].concat();
    assert_eq!(next(&again), Next::Ask);
    let whole = [&again[..], &[mark(None), assistant("c")]].concat();
    assert_eq!(next(&whole), done("a\n\nb\n\nc"));
    let anew = without_answer(whole.clone());
    assert_eq!(next(&anew), Next::Ask);
    assert!(
        anew.iter().all(|one| !matches!(
            &one.what,
            Saying::Text {
                role: Role::Assistant,
                ..
            }
        )),
        "{anew:?}"
    );
    for (rest, expected) in [
        (vec![user("wait"), mark(None), assistant("d")], done("d")),
        (
            vec![
                mark(Some("interrupted")),
                assistant("d"),
                mark(None),
                assistant("e"),
            ],
            done("e"),
        ),
        (vec![mark(None), calls("1")], Next::Call(vec![call("1")])),
        (
            vec![
                mark(None),
                calls("1"),
                output("1"),
                mark(None),
                assistant("f"),
            ],
            done("f"),
        ),
    ] {
        assert_eq!(next(&[&paused[..], &rest].concat()), expected);
    }
}

#[test]
fn calls_without_output_are_called_in_their_order() {
    assert_eq!(
        next(&[
            user("hi"),
            mark(None),
            calls("1"),
            calls("2"),
            assistant("so"),
            output("2")
        ]),
        Next::Call(vec![call("1")])
    );
    assert_eq!(
        next(&[
            user("hi"),
            mark(None),
            calls("1"),
            calls("2"),
            user("well?")
        ]),
        Next::Call(vec![call("1"), call("2")])
    );
}

#[test]
fn equal_ids_pair_one_to_one() {
    assert_eq!(
        next(&[user("hi"), calls("0"), output("0"), calls("0")]),
        Next::Call(vec![call("0")])
    );
}

#[test]
fn a_later_record_has_settled_an_open_call() {
    assert_eq!(
        next(&[
            user("hi"),
            mark(None),
            calls("1"),
            mark(None),
            assistant("so be it")
        ]),
        done("so be it")
    );
}

#[test]
fn a_record_with_calls_is_no_answer() {
    assert_eq!(
        next(&[
            user("hi"),
            mark(None),
            calls("1"),
            assistant("let me see"),
            output("1")
        ]),
        Next::Ask
    );
    assert_eq!(
        next(&[user("hi"), calls("1"), output("1"), assistant("there")]),
        done("there")
    );
}

#[test]
fn a_cut_record_is_no_answer() {
    for stop in ["interrupted", "error", "length"] {
        assert_eq!(
            next(&[user("hi"), mark(Some(stop)), assistant("half an")]),
            Next::Ask,
            "{stop}"
        );
    }
    assert_eq!(
        next(&[user("hi"), mark(Some("weather")), assistant("whole")]),
        done("whole")
    );
    assert_eq!(
        next(&[
            user("hi"),
            mark(Some("error")),
            assistant("half"),
            mark(None),
            assistant("whole")
        ]),
        done("whole")
    );
}

#[test]
fn a_refusal_is_an_answer_and_known_as_one() {
    for stop in ["refusal", "filter"] {
        let said = [user("hi"), mark(Some(stop)), assistant("I ")];
        assert_eq!(next(&said), done("I "));
        assert_eq!(refused(&said), Some(Stop::from_name(stop)));
        let more = [&said[..], &[user("please"), mark(None), assistant("yes")]].concat();
        assert_eq!(refused(&more), None);
        assert_eq!(refused(&more[..4]), None);
    }
}

#[test]
fn asking_anew_leaves_out_the_answer() {
    let shown = |said: Vec<Said>| format!("{said:?}");
    assert_eq!(
        shown(without_answer(vec![
            user("hi"),
            mark(None),
            calls("1"),
            output("1"),
            mark(None),
            assistant("a"),
            text(Role::System, "be kind"),
            assistant("b"),
        ])),
        shown(vec![
            user("hi"),
            mark(None),
            calls("1"),
            output("1"),
            mark(None),
            text(Role::System, "be kind"),
        ])
    );
    assert_eq!(
        shown(without_answer(vec![assistant("a"), user("hi")])),
        shown(vec![assistant("a"), user("hi")])
    );
}

fn any_said() -> impl Strategy<Value = Said> {
    prop_oneof![
        "[ab ]{0,3}".prop_map(|words| user(&words)),
        "[ab ]{0,3}".prop_map(|words| assistant(&words)),
        "[ab]{1,3}".prop_map(|words| text(Role::System, &words)),
        "[0-2]".prop_map(|id| calls(&id)),
        "[0-2]".prop_map(|id| output(&id)),
        prop_oneof![
            Just(None),
            Just(Some("interrupted")),
            Just(Some("length")),
            Just(Some("other")),
        ]
        .prop_map(mark),
        Just(said(Saying::Meta(Meta::default()))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Done means: nothing is open, and the last who spoke is an assistant in a whole record.
    #[test]
    fn done_is_a_whole_answer_and_nothing_is_left_open(list in prop::collection::vec(any_said(), 0..14)) {
        match next(&list) {
            Next::Done { answer } => {
                let last = list.iter().rev().find_map(|one| match &one.what {
                    Saying::Text { role: Role::User, text } if !text.trim().is_empty() => Some(None),
                    Saying::Text { role: Role::Assistant, text } if !text.trim().is_empty() => Some(Some(text.clone())),
                    Saying::Call(_) | Saying::Output(_) => Some(None),
                    Saying::Meta(meta) if is_cut(meta) => Some(None),
                    Saying::Text { .. } | Saying::Media(_) | Saying::Reasoning(_) | Saying::Meta(_) => None,
                });
                let last = last.flatten().expect("done without an answer at the end");
                prop_assert!(answer.ends_with(&last));
                prop_assert_eq!(next(&without_answer(list)), Next::Ask);
            }
            Next::Call(calls) => {
                prop_assert!(!calls.is_empty());
                let mut closed = list;
                for call in &calls {
                    closed.push(output(&call.id.0));
                }
                prop_assert_eq!(next(&closed), Next::Ask);
            }
            Next::Ask => {}
        }
    }
}
