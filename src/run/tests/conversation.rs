//! Which part of a chat a provider is taken to know.

use serde_json::json;

use super::play::{Play, Stage, call, calls, failure, reply, said, says, user};
use crate::backends::{ErrorKind, Reply, Stop};
use crate::chat::{Meta, MetaValue, Role};
use crate::plan::{Item, Said, Saying};
use crate::tools::Effects;

/// The same, known to the provider under an id.
fn under(id: &str, play: Play) -> Play {
    match play {
        Play::Reply(reply) => Play::Reply(Reply {
            response_id: Some(id.to_owned()),
            ..reply
        }),
        other @ (Play::Fail(..) | Play::Hang(_)) => other,
    }
}

fn keeping(plays: Vec<Play>) -> Stage {
    let mut stage = Stage::new(plays).echo("f", Effects::ReadOnly);
    stage.keep = true;
    stage.player.keeps = true;
    stage
}

/// Gives what the record says, as a later run reads it.
fn read_again(stage: &Stage) -> Vec<Said> {
    let text = crate::chat::print(&stage.transcript.messages());
    let path: std::sync::Arc<std::path::Path> = std::path::Path::new("chat.md").into();
    let rules = crate::plan::Rules {
        exec: crate::plan::Exec::Forbidden,
    };
    let trust = crate::plan::Trust::Trusted;
    let chat = crate::chat::parse(&text, &path);
    let draft = crate::plan::Draft::new(chat, &path, trust, rules);
    draft.finish().expect("a record is a chat").said
}

fn text(role: Role, text: &str) -> Said {
    said(Saying::Text {
        role,
        text: text.to_owned(),
    })
}

/// A chat of a system text, a question with a call, and an answer, kept as `r1` and `r2`.
async fn kept_chat() -> Vec<Said> {
    let mut stage = keeping(vec![
        under("r1", calls(vec![call("1", "f", json!({"x": 1.5}))])),
        under("r2", says("It is \"so\".")),
    ]);
    let begun = [text(Role::System, "Be terse."), user("why?")];
    stage.run(begun.to_vec()).await.unwrap();
    assert_eq!(
        stage.player.kept(),
        ["keep, all of 2", "keep, r1 from 3 of 4"]
    );
    let mut chat = begun.to_vec();
    chat.extend(read_again(&stage));
    chat
}

/// Gives what a request for a chat goes on from.
async fn asked_for(chat: Vec<Said>) -> Vec<String> {
    let mut stage = keeping(vec![under("r3", says("Fine."))]);
    stage.run(chat).await.unwrap();
    stage.player.kept()
}

#[tokio::test]
async fn a_later_run_goes_on_from_the_newest_response() {
    let mut chat = kept_chat().await;
    chat.push(user("and?"));
    assert_eq!(asked_for(chat.clone()).await, ["keep, r2 from 5 of 6"]);
    // The text at the start is sent each time, so it may change.
    chat[0] = text(Role::System, "Be long.");
    assert_eq!(asked_for(chat).await, ["keep, r2 from 5 of 6"]);
}

#[tokio::test]
async fn what_was_edited_is_sent_again_with_all_behind_it() {
    let chat = kept_chat().await;
    let replaced = |old: &str, new: &str| -> Vec<Said> {
        let mut chat = chat.clone();
        let mut done = false;
        for one in &mut chat {
            match &mut one.what {
                Saying::Text { text, .. } if text == old => {
                    new.clone_into(text);
                    done = true;
                }
                Saying::Output(output) if output.output.content == old => {
                    new.clone_into(&mut output.output.content);
                    done = true;
                }
                Saying::Text { .. }
                | Saying::Media(_)
                | Saying::Call(_)
                | Saying::Output(_)
                | Saying::Reasoning(_)
                | Saying::Meta(_) => {}
            }
        }
        assert!(done, "{old} is in the chat");
        chat.push(user("and?"));
        chat
    };
    let answer = "It is \"so\".";
    assert_eq!(
        asked_for(replaced(answer, "No.")).await,
        ["keep, r1 from 3 of 6"]
    );
    assert_eq!(
        asked_for(replaced("{\"x\":1.5}", "{}")).await,
        ["keep, r1 from 3 of 6"]
    );
    assert_eq!(
        asked_for(replaced("why?", "how?")).await,
        ["keep, all of 6"]
    );
    let mut more = chat.clone();
    more.extend([text(Role::Assistant, "Or not."), user("and?")]);
    assert_eq!(asked_for(more).await, ["keep, r1 from 3 of 6"]);
    let mut other = chat.clone();
    for one in &mut other {
        if let Saying::Meta(mark) = &mut one.what {
            for (key, value) in &mut mark.entries {
                if key == "endpoint" {
                    *value = MetaValue::Text("elsewhere".to_owned());
                }
            }
        }
    }
    other.push(user("and?"));
    assert_eq!(asked_for(other).await, ["keep, all of 6"]);
}

#[tokio::test]
async fn turns_of_others_behind_a_kept_response_are_sent() {
    let mut chat = kept_chat().await;
    let mut mark = Meta::default();
    mark.push("inference_id", MetaValue::Text("i".to_owned()));
    mark.push("endpoint", MetaValue::Text("elsewhere".to_owned()));
    mark.push("provider_response_id", MetaValue::Text("x".to_owned()));
    chat.extend([
        user("and?"),
        said(Saying::Meta(mark)),
        text(Role::Assistant, "Others say."),
        user("so?"),
    ]);
    assert_eq!(asked_for(chat).await, ["keep, r2 from 5 of 8"]);
}

#[tokio::test]
async fn an_answer_that_is_no_turn_of_its_own_is_not_gone_on_from() {
    // The model was told to continue, and what it said is one turn with what it had said.
    let chat = vec![
        user("why?"),
        said(Saying::Meta(Meta::read("inference_id=1 stop=length"))),
        text(Role::Assistant, "Half"),
        text(Role::Assistant, " of it"),
    ];
    let mut stage = keeping(vec![under("r1", says("and the rest."))]);
    stage.run(chat).await.unwrap();
    assert!(
        !stage.record().contains("conversation="),
        "{}",
        stage.record()
    );
}

#[tokio::test]
async fn a_response_that_is_forgotten_is_told_and_all_is_sent() {
    let mut chat = kept_chat().await;
    chat.push(user("and?"));
    let mut stage = keeping(vec![
        Play::Fail(vec![], failure(ErrorKind::Request, None)),
        under("r3", calls(vec![call("2", "f", json!({}))])),
        under("r4", says("Fine.")),
    ]);
    let outcome = stage.run(chat).await.unwrap();
    assert_eq!((outcome.answer.as_str(), outcome.rounds), ("Fine.", 2));
    assert_eq!(
        stage.player.kept(),
        [
            "keep, r2 from 5 of 6",
            "keep, all of 6",
            "keep, r3 from 7 of 8"
        ]
    );
    assert_eq!(
        stage.notes.warned,
        [
            "the provider does not go on from the conversation that it kept (the oven is out): the \
          whole chat is sent"
        ]
    );
}

#[tokio::test]
async fn a_provider_that_forgets_at_once_is_asked_to_keep_nothing() {
    let refuses = || Play::Fail(vec![], failure(ErrorKind::NotFound, None));
    let calls_f = |id: &str| under(id, calls(vec![call(id, "f", json!({}))]));
    let mut stage = keeping(vec![
        calls_f("a"),
        refuses(),
        calls_f("b"),
        refuses(),
        calls_f("c"),
        says("Fine."),
    ]);
    stage.run(vec![user("why?")]).await.unwrap();
    assert_eq!(
        stage.player.kept(),
        [
            "keep, all of 1",
            "keep, a from 2 of 3",
            "keep, all of 3",
            "keep, b from 4 of 5",
            "keep, all of 5",
            "all of 7",
        ]
    );
}

#[tokio::test]
async fn other_failures_are_not_tried_with_the_whole_chat() {
    let mut chat = kept_chat().await;
    chat.push(user("and?"));
    for kind in [
        ErrorKind::Server,
        ErrorKind::TooLong,
        ErrorKind::Authentication,
    ] {
        let mut stage = keeping(vec![Play::Fail(vec![], failure(kind, None))]);
        stage.run(chat.clone()).await.unwrap_err();
        assert_eq!(stage.player.requests(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn only_whole_answers_are_gone_on_from() {
    let text = vec![Item::Text("It".to_owned())];
    let mut stage = keeping(vec![under("r1", Play::Reply(reply(text, Stop::Length)))]);
    stage.run(vec![user("why?")]).await.unwrap_err();
    let record = stage.record();
    assert!(record.contains("provider_response_id=r1"), "{record}");
    assert!(!record.contains("conversation="), "{record}");
}

#[tokio::test]
async fn a_provider_that_keeps_nothing_is_told_of_once() {
    let mut stage = keeping(vec![
        under("a", calls(vec![call("a", "f", json!({}))])),
        under("b", says("Fine.")),
    ]);
    stage.player.keeps = false;
    stage.run(vec![user("why?")]).await.unwrap();
    assert_eq!(stage.player.kept(), ["all of 1", "all of 3"]);
    assert_eq!(
        stage.notes.warned,
        ["`previous_response` does nothing here: the provider keeps no conversations"]
    );
    assert!(!stage.record().contains("conversation="));
}
