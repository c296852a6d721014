//! How calls are run and recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::Notify;

use super::super::{RetryCalls, RunError};
use super::play::{Stage, call, calls, definition, said, says, user};
use crate::chat::{Origin, ToolCall};
use crate::plan::Saying;
use crate::tools::{
    self, CallContext, Declaration, Effects, Executor, Output, OutputMedia, Tool, ToolError,
};

fn output(id: &str, name: &str, rest: &str) -> String {
    format!("function_call_output: {{\"name\":\"{name}\",{rest},\"id\":\"{id}\"")
}

#[tokio::test]
async fn calls_run_together_and_their_outputs_stand_in_call_order() {
    // The first call ends only after the second has: run one after the other they would hang.
    let second_ended = Arc::new(Notify::new());
    let waits = Arc::clone(&second_ended);
    let mut stage = Stage::new(vec![
        calls(vec![
            call("1", "first", json!({})),
            call("2", "second", json!({})),
        ]),
        says("Done."),
    ]);
    let first = tools::async_function(definition("first"), Effects::Once, move |_| {
        let waits = Arc::clone(&waits);
        async move {
            waits.notified().await;
            Ok("1st".to_owned())
        }
    });
    let second = tools::async_function(definition("second"), Effects::Once, move |_| {
        let ended = Arc::clone(&second_ended);
        async move {
            ended.notify_one();
            Ok("2nd".to_owned())
        }
    });
    stage.registry.register(first);
    stage.registry.register(second);
    stage.run(vec![user("What?")]).await.unwrap();
    let record = stage.record();
    let pieces: Vec<&str> = record.split("\n\n").collect();
    assert_eq!(
        pieces[1..3],
        [
            output("1", "first", "\"content\":\"1st\"") + "}",
            output("2", "second", "\"content\":\"2nd\"") + "}",
        ]
    );
}

#[tokio::test]
async fn equal_ids_are_made_unique() {
    let twice = || calls(vec![call("0", "echo", json!({}))]);
    let mut stage = Stage::new(vec![twice(), twice(), says("Done.")]).echo("echo", Effects::Once);
    stage.run(vec![user("What?")]).await.unwrap();
    let ids: Vec<String> = stage
        .transcript
        .messages()
        .iter()
        .filter_map(|message| ToolCall::read(&message.content).ok())
        .map(|call| call.id.0)
        .collect();
    assert_eq!(ids.len(), 4, "two calls and two outputs read as calls do");
    assert_eq!(ids[0], "0");
    assert_ne!(ids[2], "0");
}

#[tokio::test]
async fn calls_that_were_left_open_run_again_only_when_that_is_harmless() {
    let open = |name: &str| {
        vec![
            user("What?"),
            said(Saying::Call(Box::new(call("1", name, json!({"n": 1}))))),
            user("And?"),
        ]
    };
    let ran = output("1", "NAME", "\"content\":\"{\\\"n\\\":1}\"") + "}";
    let told = output("1", "NAME", "\"content\":\"interrupted\"") + ",\"error\":true}";
    for (name, retry, wanted) in [
        ("reads", RetryCalls::Harmless, &ran),
        ("repeats", RetryCalls::Harmless, &ran),
        ("acts", RetryCalls::Harmless, &told),
        ("gone", RetryCalls::Harmless, &told),
        ("acts", RetryCalls::All, &ran),
    ] {
        let mut stage = Stage::new(vec![says("Done.")])
            .echo("reads", Effects::ReadOnly)
            .echo("repeats", Effects::Repeatable)
            .echo("acts", Effects::Once);
        stage.retry = retry;
        stage.run(open(name)).await.unwrap();
        assert_eq!(stage.notes.warned.len(), usize::from(*wanted == told));
        assert_eq!(
            stage.record(),
            format!(
                "{}\n\nmeta: model=cook-1 endpoint=kitchen\nassistant: Done.\n\nuser: \n\n",
                wanted.replace("NAME", name)
            ),
        );
    }
}

/// Gives or fails with what it was made for.
struct Fixed(Result<Output, ToolError>);

impl Executor for Fixed {
    fn execute<'a>(
        &'a self,
        _: &'a ToolCall,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Output, ToolError>> {
        let result = self.0.clone();
        Box::pin(async { result })
    }

    fn effects(&self) -> Effects {
        Effects::Once
    }
}

fn fixed(name: &str, result: Result<Output, ToolError>) -> Tool {
    Tool {
        definition: definition(name),
        declared: Declaration {
            source: "here".to_owned(),
            at: Origin::Run,
        },
        executor: Arc::new(Fixed(result)),
    }
}

#[tokio::test]
async fn a_tool_can_end_the_run_and_all_outputs_are_recorded() {
    let mut stage = Stage::new(vec![calls(vec![
        call("1", "stops", json!({})),
        call("2", "echo", json!({})),
    ])])
    .echo("echo", Effects::Once);
    stage.registry.register(fixed(
        "stops",
        Err(ToolError::Stop {
            message: "no more flour".to_owned(),
            hint: Some("buy some".to_owned()),
        }),
    ));
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(matches!(error, RunError::Stopped { .. }), "{error}");
    assert_eq!(error.to_string(), "no more flour");
    assert_eq!(error.hint(), Some("buy some"));
    let record = stage.record();
    let pieces: Vec<&str> = record.split("\n\n").collect();
    assert_eq!(
        pieces[1..3],
        [
            output("1", "stops", "\"content\":\"no more flour\"") + ",\"error\":true}",
            output("2", "echo", "\"content\":\"{}\"") + "}",
        ]
    );
}

#[tokio::test]
async fn what_is_too_much_for_the_record_is_kept_beside_it() {
    let mut stage = Stage::new(vec![
        calls(vec![call("1", "prints", json!({}))]),
        says("Done."),
    ]);
    stage.limits.output.max_chars = 8;
    stage.registry.register(fixed(
        "prints",
        Ok(Output {
            content: "0123456789".to_owned(),
            error: false,
            media: vec![OutputMedia {
                mime: "image/png".to_owned(),
                bytes: b"png".to_vec(),
            }],
        }),
    ));
    stage.run(vec![user("What?")]).await.unwrap();
    let kept: Vec<(&str, &[u8])> = stage
        .transcript
        .kept
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let (media, text) = (kept[0], kept[1]);
    assert_eq!(kept.len(), 2);
    assert_eq!((media.1, text.1), (&b"png"[..], &b"0123456789"[..]));
    // Named after the content: the start of its SHA-256.
    assert_eq!(media.0, "media-8f8cbb7dcf46e0bc.png");
    let shown = format!(
        "\"content\":\"012345\\n\\n[2 of 10 characters are left out here; the whole output is in \
         the file `{}`]\\n\\n89\"",
        text.0
    );
    assert_eq!(
        stage.record().split("\n\n").nth(1).unwrap(),
        output("1", "prints", &shown) + &format!(",\"media\":[\"{}\"]}}", media.0)
    );
}

#[tokio::test]
async fn calls_that_are_interrupted_stay_open() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&ran);
    let mut stage = Stage::new(vec![calls(vec![
        call("1", "hangs", json!({})),
        call("2", "quick", json!({})),
    ])]);
    let quick = Output {
        content: "done".to_owned(),
        ..Output::default()
    };
    stage.registry.register(fixed("quick", Ok(quick)));
    let cancel = stage.cancel.clone();
    stage.registry.register(tools::async_function(
        definition("hangs"),
        Effects::Once,
        move |_| {
            counts.fetch_add(1, Ordering::SeqCst);
            cancel.cancel();
            std::future::pending()
        },
    ));
    let error = stage.run(vec![user("What?")]).await.unwrap_err();
    assert!(matches!(error, RunError::Interrupted), "{error}");
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let outputs: Vec<String> = stage
        .record()
        .lines()
        .filter(|line| line.starts_with("function_call_output"))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        outputs,
        [output("2", "quick", "\"content\":\"done\"") + "}"]
    );
}
