//! However a connection ends, nothing that the server started is left.

use serde_json::json;

use super::{Fake, call, registry};

#[tokio::test]
async fn a_server_that_hears_the_end_of_its_input_ends_by_itself() {
    let fake = Fake::new(&["grandchild"]);
    fake.connect().await.close().await;
    assert_eq!(fake.log().last().map(String::as_str), Some("end of input"));
    fake.until_gone().await;
}

#[tokio::test]
async fn a_server_that_does_not_is_terminated() {
    let fake = Fake::new(&["no-end", "grandchild"]);
    fake.connect().await.close().await;
    fake.until_gone().await;
}

#[tokio::test]
async fn a_server_that_will_not_is_killed() {
    let fake = Fake::new(&["no-terminate", "grandchild"]);
    fake.connect().await.close().await;
    fake.until_gone().await;
}

#[tokio::test]
async fn a_dropped_connection_leaves_nothing() {
    let fake = Fake::new(&["no-terminate", "grandchild"]);
    let connection = fake.connect().await;
    let tools = registry(&connection);
    drop(connection);
    fake.until_gone().await;
    let told = call(&tools, "add", &json!({"a": 1, "b": 2}))
        .await
        .unwrap_err();
    assert!(
        told.to_string().starts_with(
            "the MCP server `fake` ended, and its tools cannot be used any more: signal: 9"
        ),
        "{told}"
    );
}

#[test]
fn a_runtime_that_ends_leaves_nothing() {
    let fake = Fake::new(&["no-terminate", "grandchild"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let connection = runtime.block_on(fake.connect());
    drop(runtime);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(fake.until_gone());
    drop(connection);
}
