//! Scripts and what is asked of them.

use std::path::Path;
use std::sync::Arc;

use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::{Scripted, as_messages};
use crate::backends::{
    AskFailure, Backend, CallFault, CutCall, Delta, ErrorKind, Question, Reply, Stop, Usage,
};
use crate::chat::{self, CallId, Message, Origin, Role, ToolCall, ToolName};
use crate::plan::{Item, Prompt, Said, Saying};

fn messages(text: &str) -> Vec<Message> {
    chat::parse(text, &Arc::from(Path::new("script.md"))).messages
}

fn prompt() -> Prompt {
    Prompt::of(&[Said {
        what: Saying::Text {
            role: Role::User,
            text: "q".into(),
        },
        origin: Origin::Run,
    }])
}

/// Asks once, and gives what was told too. Nothing in these scripts waits.
fn ask(scripted: &Scripted, cancel: &CancellationToken) -> (Result<Reply, AskFailure>, Vec<Delta>) {
    let mut told = Vec::new();
    let prompt = prompt();
    let parameters = Map::new();
    let question = Question::plain(&prompt, "m", &parameters, cancel);
    let mut tell = |delta: Delta| {
        if delta == Delta::Text("stop".into()) {
            cancel.cancel();
        }
        told.push(delta);
    };
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(scripted.ask(question, &mut tell));
    (outcome, told)
}

fn reply(items: Vec<Item>, stop: Stop) -> Reply {
    Reply {
        items,
        cut_calls: Vec::new(),
        stop,
        usage: Usage::default(),
        model: None,
        response_id: None,
    }
}

#[test]
fn each_meta_begins_a_reply_and_people_and_tools_are_passed_over() {
    let script = messages(
        "assistant: before any meta\n\nmeta: inference_id=1 model=m-1 pt=3 ct=4\n\nfunction_call: \
         {\"name\": \"add\", \"arguments\": {}, \"id\": \"a\"}\n\nfunction_call_output: \
         {\"content\": \"1\", \"id\": \"a\"}\n\nassistant: not of a reply\n\nmeta: inference_id=2 \
         stop=length chunk=2\n\nassistant:\n\nhällo\n\nuser: bye\n",
    );
    let scripted = Scripted::new(&script, 0).unwrap();
    let cancel = CancellationToken::new();
    let call = ToolCall {
        id: CallId("a".into()),
        name: ToolName("add".into()),
        arguments: Map::new(),
    };
    assert_eq!(
        ask(&scripted, &cancel),
        (
            Ok(Reply {
                usage: Usage {
                    prompt: Some(3),
                    completion: Some(4),
                    ..Usage::default()
                },
                model: Some("m-1".into()),
                ..reply(vec![Item::Call(call)], Stop::Calls)
            }),
            vec![]
        )
    );
    assert_eq!(
        ask(&scripted, &cancel),
        (
            Ok(reply(vec![Item::Text("hällo".into())], Stop::Length)),
            ["hä", "ll", "o"]
                .map(|piece| Delta::Text(piece.into()))
                .to_vec()
        )
    );
    let (end, _) = ask(&scripted, &cancel);
    assert_eq!(
        end.unwrap_err().error.message,
        "the script holds 2 replies, and all were given"
    );
    let resumed = Scripted::new(&script, 1).unwrap();
    assert_eq!(ask(&resumed, &cancel).0.unwrap().stop, Stop::Length);
}

#[test]
fn failures_cuts_and_empty_replies_are_played() {
    let script = messages(
        "meta: error=cut message=\"lost it\"\n\nassistant: half\n\nmeta: cut_call=save \
         cut_arguments=\"{\\\"path\\\":\" stop=length\n\nmeta: model=x\n",
    );
    let scripted = Scripted::new(&script, 0).unwrap();
    let cancel = CancellationToken::new();
    let failure = ask(&scripted, &cancel).0.unwrap_err();
    assert_eq!(
        (failure.error.kind, failure.error.message.as_str()),
        (ErrorKind::Cut, "lost it")
    );
    assert_eq!(failure.partial.unwrap().items, [Item::Text("half".into())]);
    assert_eq!(
        ask(&scripted, &cancel).0.unwrap().cut_calls,
        [CutCall {
            id: CallId("call_cut_1".into()),
            name: ToolName("save".into()),
            arguments: "{\"path\":".into(),
            fault: CallFault::Cut,
        }]
    );
    assert_eq!(
        ask(&scripted, &cancel).0.unwrap_err().error.kind,
        ErrorKind::Empty
    );
    assert_eq!(
        Scripted::new(&messages("meta: error=maybe\n"), 0)
            .unwrap_err()
            .to_string(),
        "`error=maybe` names no kind of failure"
    );
}

#[test]
fn a_cancelled_question_gives_what_was_told() {
    let script = messages("meta: chunk=4\n\nassistant: now stop here\n");
    let scripted = Scripted::new(&script, 0).unwrap();
    let (outcome, told) = ask(&scripted, &CancellationToken::new());
    let failure = outcome.unwrap_err();
    assert_eq!(failure.error.kind, ErrorKind::Cancelled);
    assert_eq!(
        failure.partial,
        Some(reply(
            vec![Item::Text("now stop".into())],
            Stop::Interrupted
        ))
    );
    assert_eq!(told.len(), 2);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let waiting = Scripted::new(&messages("meta: wait=600000\n\nassistant: a\n"), 0).unwrap();
    let (outcome, told) = ask(&waiting, &cancel);
    let failure = outcome.unwrap_err();
    assert_eq!((failure.error.kind, told.len()), (ErrorKind::Cancelled, 0));
    assert_eq!(failure.partial, None);
}

#[test]
fn what_it_was_asked_is_kept_as_a_chat() {
    let (scripted, asked) = Scripted::new(&messages("meta: x=1\n\nassistant: a\n"), 0)
        .unwrap()
        .recording();
    assert!(ask(&scripted, &CancellationToken::new()).0.is_ok());
    let questions = asked.questions();
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0].messages, [Message::new(Role::User, "q")]);
    assert_eq!(questions[0].messages, as_messages(&prompt()));
}
