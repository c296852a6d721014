//! Calls of a server's tools.

use std::time::Duration;

use scoutai::chat::ToolName;
use scoutai::mcp::Annotations;
use scoutai::tools::{CallContext, Effects, Output, OutputMedia};
use serde_json::{Value, json};

use super::{Fake, call, calling, registry, says, tells};

#[tokio::test]
async fn results_of_every_kind_come_through() {
    let fake = Fake::new(&[]);
    let connection = fake.connect().await;
    let tools = registry(&connection);
    assert_eq!(
        call(&tools, "echo", &json!({"text": "a\nuser: ü\u{0}"})).await,
        says("a\nuser: ü\u{0}")
    );
    assert_eq!(
        call(&tools, "image", &json!({})).await,
        Ok(Output {
            media: vec![OutputMedia {
                mime: "image/png".to_owned(),
                bytes: b"\x89PNG".to_vec(),
            }],
            ..Output::default()
        })
    );
    assert_eq!(
        call(&tools, "fail", &json!({})).await,
        Ok(Output {
            content: "out of flour".to_owned(),
            error: true,
            ..Output::default()
        })
    );
    assert_eq!(
        call(&tools, "refuse", &json!({})).await,
        tells("the MCP server `fake` refused the call: never heard of refuse")
    );
    connection.close().await;
}

#[tokio::test]
async fn a_result_longer_than_the_sdk_reads_comes_through() {
    let fake = Fake::new(&[]);
    let connection = fake.connect().await;
    let size = 20_000_000;
    let output = call(&registry(&connection), "big", &json!({"size": size})).await;
    assert_eq!(output.map(|output| output.content.len()), Ok(size));
    connection.close().await;
}

#[tokio::test]
async fn a_server_sees_only_what_it_was_given() {
    let mut fake = Fake::new(&[]);
    // A launcher of that name may add variables of its own.
    fake.server.command[0] = interpreter();
    fake.server
        .environment
        .push(("DECLARED".to_owned(), "1".to_owned()));
    let connection = fake.connect().await;
    let seen = call(&registry(&connection), "env", &json!({}))
        .await
        .unwrap();
    let seen: Value = serde_json::from_str(&seen.content).unwrap();
    let given: Value = fake
        .server
        .environment
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    assert_eq!(seen, given);
    connection.close().await;
}

#[tokio::test]
async fn effects_are_believed_when_the_user_says_so() {
    for (annotations, effects) in [
        (Annotations::Ignored, Effects::Once),
        (Annotations::Trusted, Effects::ReadOnly),
    ] {
        let mut fake = Fake::new(&[]);
        fake.server.annotations = annotations;
        let connection = fake.connect().await;
        assert_eq!(
            registry(&connection).effects(&ToolName("add".to_owned())),
            Some(effects)
        );
        connection.close().await;
    }
}

#[tokio::test]
async fn calls_run_side_by_side() {
    let fake = Fake::new(&[]);
    let connection = fake.connect().await;
    let tools = registry(&connection);
    let cancel = CallContext::default();
    let hanging = calling("hang", &json!({}));
    let waiting = tools.call(&hanging, &cancel);
    let (hung, sum) = tokio::join!(waiting, async {
        fake.until_logged("call hang").await;
        let sum = call(&tools, "add", &json!({"a": 1, "b": 2})).await;
        cancel.cancel.cancel();
        sum
    });
    assert_eq!(sum, says("3"));
    assert_eq!(hung, tells("the call was interrupted"));
    fake.until_logged("cancelled").await;
    assert_eq!(call(&tools, "cancelled", &json!({})).await, says("1"));
    connection.close().await;
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let fake = Fake::new(&[]);
    let connection = fake.connect().await;
    let tools = registry(&connection);
    let none = json!({});
    tokio::select! {
        output = call(&tools, "hang", &none) => panic!("it answered: {output:?}"),
        () = fake.until_logged("call hang") => {}
    }
    fake.until_logged("cancelled").await;
    connection.close().await;
}

#[tokio::test]
async fn a_silent_call_ends_and_is_cancelled() {
    let mut fake = Fake::new(&[]);
    fake.server.call_timeout = Duration::from_millis(500);
    let connection = fake.connect().await;
    let tools = registry(&connection);
    assert_eq!(
        call(&tools, "hang", &json!({})).await,
        tells(
            "the tool `hang` of the MCP server `fake` gave no result within 0.5 s, and the call \
             was cancelled"
        )
    );
    fake.until_logged("cancelled").await;
    connection.close().await;
}

#[tokio::test]
async fn progress_keeps_a_call_alive_up_to_its_limit() {
    let mut fake = Fake::new(&[]);
    fake.server.call_timeout = Duration::from_secs(2);
    let connection = fake.connect().await;
    let longer = json!({"steps": 5, "pause": 0.5});
    assert_eq!(
        call(&registry(&connection), "slow", &longer).await,
        says("done")
    );
    connection.close().await;

    fake.server.call_limit = Duration::from_secs(1);
    let connection = fake.connect().await;
    assert_eq!(
        call(&registry(&connection), "slow", &longer).await,
        tells(
            "the tool `slow` of the MCP server `fake` gave no result within 1 s, and the call \
             was cancelled"
        )
    );
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_dies_is_told_and_stays_dead() {
    let fake = Fake::new(&["grandchild"]);
    let connection = fake.connect().await;
    let tools = registry(&connection);
    let gone = "the MCP server `fake` ended, and its tools cannot be used any more: \
                exit status: 7; its last words: the oven / is on fire";
    assert_eq!(call(&tools, "die", &json!({})).await, tells(gone));
    assert_eq!(
        call(&tools, "add", &json!({"a": 1, "b": 2})).await,
        tells(gone)
    );
    fake.until_gone().await;
    connection.close().await;
}

fn interpreter() -> String {
    let told = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .unwrap();
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}
