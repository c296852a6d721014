//! How a run ends, and what stands in the record then.

use super::super::{
    Answered, AnsweredBy, LimitReached, Outcome, Partial, RunError, without_answer,
};
use super::play::{Play, Stage, call, calls, failure, reply, said, says, user};
use crate::backends::{ErrorKind, Stop, Usage};
use crate::chat::Role;
use crate::plan::{Item, Saying};
use crate::tools::Effects;
use serde_json::json;
use std::time::Duration;

fn text(text: &str) -> Item {
    Item::Text(text.to_owned())
}

fn assistant(text: &str) -> crate::plan::Said {
    said(Saying::Text {
        role: Role::Assistant,
        text: text.to_owned(),
    })
}

#[tokio::test]
async fn an_answer_is_recorded_and_leaves_room_for_a_question() {
    let mut whole = reply(vec![text("\nBread.\n")], Stop::End);
    whole.usage = Usage {
        prompt: Some(7),
        completion: Some(2),
        ..Usage::default()
    };
    whole.response_id = Some("r1".to_owned());
    whole.model = Some("cook-1-june".to_owned());
    let usage = Usage {
        total: Some(9),
        ..whole.usage
    };
    let mut stage = Stage::new(vec![Play::Reply(whole)]);
    let outcome = stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        outcome,
        Outcome {
            answer: "Bread.".to_owned(),
            by: AnsweredBy::ThisRun,
            usage,
            rounds: 1,
        }
    );
    assert_eq!(
        stage.record(),
        "meta: provider_response_id=r1 model=cook-1-june endpoint=kitchen pt=7 ct=2 tt=9 pt_s=7 \
         ct_s=2 tt_s=9 pt_c=7 ct_c=2 tt_c=9\n\
         assistant: Bread.\n\nuser: \n\n"
    );
    assert_eq!(stage.notes.text, "\nBread.\n");
    assert_eq!(stage.notes.answered, ["Bread."]);
}

#[tokio::test]
async fn a_chat_that_is_answered_is_not_asked_again_unless_told_to() {
    let chat = vec![user("What?"), assistant("Bread.")];
    let mut stage = Stage::new(vec![says("Cake.")]);
    let outcome = stage.run(chat.clone()).await.unwrap();
    assert_eq!(
        (outcome.answer.as_str(), outcome.by, outcome.rounds),
        ("Bread.", AnsweredBy::EarlierRun, 0)
    );
    assert_eq!(stage.record(), "");
    stage.answered = Answered::AskAnew;
    let outcome = stage.run(chat.clone()).await.unwrap();
    assert_eq!(
        (outcome.answer.as_str(), outcome.by),
        ("Cake.", AnsweredBy::ThisRun)
    );
    let shown = without_answer(chat).len();
    assert_eq!(*stage.player.asked.lock().unwrap(), [(shown, None)]);
}

#[tokio::test]
async fn nothing_said_is_nothing_asked() {
    let mut stage = Stage::new(vec![says("Hm.")]);
    let error = stage.run(Vec::new()).await.unwrap_err();
    assert!(matches!(error, RunError::NothingAsked), "{error}");
    assert_eq!(stage.player.requests(), 0);
}

#[tokio::test]
async fn an_empty_answer_is_an_error_and_leaves_no_trace() {
    for items in [vec![], vec![text("")], vec![text(" \n ")]] {
        let mut stage = Stage::new(vec![Play::Reply(reply(items, Stop::End))]);
        let error = stage.run(vec![user("What?")]).await.unwrap_err();
        assert!(matches!(error, RunError::Empty), "{error}");
        assert_eq!(stage.record(), "");
    }
}

#[tokio::test]
async fn a_turn_that_pauses_is_recorded_and_goes_on() {
    let searching = Item::Reasoning(crate::chat::Reasoning {
        text: None,
        provider: "p".to_owned(),
        data: Some(json!({"type": "search"})),
    });
    let mut stage = Stage::new(vec![
        Play::Reply(reply(
            vec![text("I look."), searching.clone()],
            Stop::Paused,
        )),
        Play::Reply(reply(vec![searching], Stop::Paused)),
        says("Bread."),
    ]);
    let outcome = stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        (outcome.answer.as_str(), outcome.rounds),
        ("I look.\n\nBread.", 3)
    );
    let search = r#"reasoning: {"provider":"p","data":{"type":"search"}}"#;
    assert_eq!(
        stage.record(),
        format!(
            "meta: model=cook-1 endpoint=kitchen stop=paused\nassistant: I look.\n{search}\n\n\
             meta: model=cook-1 endpoint=kitchen stop=paused\n{search}\n\n\
             meta: model=cook-1 endpoint=kitchen\nassistant: Bread.\n\nuser: \n\n"
        )
    );
}

#[tokio::test]
async fn a_pause_that_holds_nothing_is_an_empty_answer() {
    let mut stage = Stage::new(vec![Play::Reply(reply(vec![], Stop::Paused))]);
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(matches!(error, RunError::Empty), "{error}");
    assert_eq!(stage.record(), "");
}

#[tokio::test]
async fn a_failure_before_any_text_leaves_no_trace() {
    let mut stage = Stage::new(vec![Play::Fail(vec![], failure(ErrorKind::TooLong, None))]);
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert_eq!(error.to_string(), "the oven is out");
    assert_eq!(error.hint(), Some("light it"));
    assert_eq!(stage.record(), "");
}

#[tokio::test]
async fn text_that_was_told_before_a_failure_is_recorded_as_cut() {
    let mut partial = reply(
        vec![
            text("The capital"),
            Item::Call(call("1", "bake", json!({}))),
        ],
        Stop::Error,
    );
    partial.model = Some("cook-2".to_owned());
    let mut stage = Stage::new(vec![Play::Fail(
        vec!["The ", "capital of"],
        failure(ErrorKind::Cut, Some(partial)),
    )])
    .echo("bake", Effects::Once);
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(
        matches!(
            &error,
            RunError::Backend { error, partial: Partial::Recorded } if error.kind == ErrorKind::Cut
        ),
        "{error}"
    );
    assert_eq!(
        stage.record(),
        "meta: model=cook-2 endpoint=kitchen stop=error\nassistant: The capital of\n\n"
    );
    assert_eq!(stage.notes.text, "The capital of");
}

#[tokio::test]
async fn text_that_did_not_stream_is_told_and_recorded_as_cut() {
    let partial = reply(vec![text("Half")], Stop::Error);
    let mut stage = Stage::new(vec![Play::Fail(
        vec![],
        failure(ErrorKind::Cut, Some(partial)),
    )]);
    stage.run(vec![user("What?")]).await.unwrap_err();
    assert_eq!(stage.notes.text, "Half");
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen stop=error\nassistant: Half\n\n"
    );
}

#[tokio::test]
async fn the_token_limit_cuts_an_answer() {
    let mut stage = Stage::new(vec![Play::Reply(reply(vec![text("Half")], Stop::Length))]);
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(
        matches!(
            error,
            RunError::Length {
                partial: Partial::Recorded
            }
        ),
        "{error}"
    );
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen stop=length\nassistant: Half\n\n"
    );
    let mut stage = Stage::new(vec![Play::Reply(reply(vec![], Stop::Length))]);
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(
        matches!(
            error,
            RunError::Length {
                partial: Partial::None
            }
        ),
        "{error}"
    );
    assert_eq!(stage.record(), "");
}

#[tokio::test]
async fn refusals_and_filters_are_their_own_ending() {
    for (stop, word) in [(Stop::Refusal, "refusal"), (Stop::Filter, "filter")] {
        let plays = [
            Play::Reply(reply(vec![text("I ")], stop.clone())),
            Play::Fail(
                vec![],
                failure(
                    ErrorKind::Refused,
                    Some(reply(vec![text("I ")], stop.clone())),
                ),
            ),
        ];
        for play in plays {
            let mut stage = Stage::new(vec![play]);
            let error = stage.run(vec![user("What?")]).await.unwrap_err();
            assert!(
                matches!(
                    error,
                    RunError::Refused {
                        partial: Partial::Recorded,
                        ..
                    }
                ),
                "{error}"
            );
            assert_eq!(stage.player.requests(), 1);
            assert_eq!(
                stage.record(),
                format!("meta: model=cook-1 endpoint=kitchen stop={word}\nassistant: I \n\n")
            );
        }
        let mut stage = Stage::new(vec![Play::Reply(reply(vec![], stop))]);
        let error = stage.run(vec![user("What?")]).await.unwrap_err();
        assert!(
            matches!(
                error,
                RunError::Refused {
                    partial: Partial::None,
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(stage.record(), "");
    }
}

#[tokio::test]
async fn a_reason_to_stop_that_is_not_known_is_kept() {
    let mut stage = Stage::new(vec![Play::Reply(reply(
        vec![text("Bread.")],
        Stop::Other("tea".to_owned()),
    ))]);
    stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen stop=tea\nassistant: Bread.\n\nuser: \n\n"
    );
}

#[tokio::test]
async fn an_interrupted_answer_is_recorded_as_such() {
    let mut stage = Stage::new(vec![Play::Hang(vec!["Once upon"])]);
    let (cancel, hangs) = (stage.cancel.clone(), stage.player.hangs.clone());
    let interrupts = async {
        hangs.cancelled().await;
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(stage.run(vec![user("What?")]), interrupts);
    let error = result.unwrap_err();
    assert!(matches!(error, RunError::Interrupted), "{error}");
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen stop=interrupted\nassistant: Once upon\n\n"
    );
}

#[tokio::test]
async fn the_time_limit_ends_a_request_too() {
    let mut stage = Stage::new(vec![Play::Hang(vec!["Once upon"])]);
    stage.limits.time = Some(Duration::from_millis(20));
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(
        matches!(error, RunError::Limit(LimitReached::Time(_))),
        "{error}"
    );
    assert_eq!(error.to_string(), "the run was stopped after 0.02 seconds");
    assert_eq!(
        stage.record(),
        "meta: model=cook-1 endpoint=kitchen stop=interrupted\nassistant: Once upon\n\n"
    );
}

#[tokio::test]
async fn a_run_that_was_cancelled_before_asks_nothing() {
    let mut stage = Stage::new(vec![says("Bread.")]);
    stage.cancel.cancel();
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(matches!(error, RunError::Interrupted), "{error}");
    assert_eq!(stage.player.requests(), 0);
}

#[tokio::test]
async fn a_turn_sends_its_tool_choice_once() {
    let mut stage = Stage::new(vec![
        calls(vec![call("1", "bake", json!({}))]),
        says("Bread."),
    ])
    .echo("bake", Effects::Once);
    stage.tool_choice = Some("required");
    stage.run(vec![user("What?")]).await.unwrap();
    assert_eq!(
        *stage.player.asked.lock().unwrap(),
        [(1, Some("required".to_owned())), (3, None)]
    );
}
