//! How servers start, and how they fail to.

use std::time::Duration;

use scoutai::mcp::{self, McpError, StdioServer};
use scoutai::tools::ToolDefinition;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Fake, call, registry, says};

#[tokio::test]
async fn a_good_server_gives_its_tools_and_instructions() {
    let mut fake = Fake::new(&[]);
    fake.server.only = vec!["add".to_owned()];
    let connection = fake.connect().await;
    assert_eq!(connection.name(), "fake");
    assert_eq!(connection.instructions(), Some("Add with care."));
    assert_eq!(connection.warnings(), Vec::<String>::new());
    let definitions: Vec<ToolDefinition> = connection
        .tools()
        .into_iter()
        .map(|(definition, _)| definition)
        .collect();
    assert_eq!(
        definitions,
        [ToolDefinition::new(
            "add",
            "Does add.",
            json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}})
        )]
    );
    connection.close().await;
    assert_eq!(fake.log()[1..], ["offered 2025-11-25", "end of input"]);
}

#[tokio::test]
async fn noise_on_both_outputs_spoils_nothing() {
    let fake = Fake::new(&["noise", "loud"]);
    let connection = fake.connect().await;
    assert_eq!(
        call(&registry(&connection), "add", &json!({"a": 1, "b": 2})).await,
        says("3")
    );
    assert_eq!(
        connection.warnings(),
        [
            "the MCP server `fake`: 16 lines that are no messages on stdout were skipped: \
             Starting… / 🚀 ready [31mred / {\"log\":1}"
        ]
    );
    connection.close().await;
}

#[tokio::test]
async fn a_server_of_the_new_era_is_started_afresh() {
    let fake = Fake::new(&["modern"]);
    let connection = fake.connect().await;
    assert_eq!(
        call(&registry(&connection), "add", &json!({"a": 1, "b": 2})).await,
        says("3")
    );
    connection.close().await;
    let starts = fake
        .log()
        .iter()
        .filter(|line| line.starts_with("pid"))
        .count();
    assert_eq!(starts, 2);
    fake.until_gone().await;
}

#[tokio::test]
async fn bad_tools_take_no_good_one_down() {
    let fake = Fake::new(&["bad-tools"]);
    let connection = fake.connect().await;
    assert_eq!(registry(&connection).names().count(), 2);
    assert_eq!(
        connection.warnings(),
        [
            "the MCP server `fake`: the tool `none` is left out, because its `inputSchema` is no object",
            "the MCP server `fake`: the tool `null` is left out, because its `inputSchema` is no object",
            "the MCP server `fake`: a tool that is no object is left out",
        ]
    );
    connection.close().await;
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    for (mode, tools) in [("paged", 2), ("endless", 100)] {
        let fake = Fake::new(&[mode]);
        let connection = fake.connect().await;
        assert_eq!(connection.tools().len(), tools);
        connection.close().await;
    }
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_an_error() {
    let mut fake = Fake::new(&["paged"]);
    fake.server.only = vec!["add".to_owned(), "bake".to_owned()];
    assert_eq!(
        fake.refused().await,
        "the MCP server `fake` has no tool `bake`; it has `add`, `echo`"
    );
    fake.until_gone().await;
}

#[tokio::test]
async fn a_crash_is_told_with_its_last_words() {
    let fake = Fake::new(&["crash", "grandchild"]);
    assert_eq!(
        fake.refused().await,
        "the MCP server `fake` (`COMMAND`) ended while it started: exit status: 3; \
         its last words: Traceback / line 1 / ImportError: no oven"
    );
    fake.until_gone().await;
}

#[tokio::test]
async fn a_refusal_is_told_in_the_words_of_the_server() {
    let fake = Fake::new(&["refuse"]);
    assert_eq!(
        fake.refused().await,
        "the MCP server `fake` (`COMMAND`) refused the connection: no such method"
    );
    let fake = Fake::new(&["leave"]);
    assert_eq!(
        fake.refused().await,
        "the MCP server `fake` (`COMMAND`) ended while it started: exit status: 0; it said nothing"
    );
    fake.until_gone().await;
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let mut fake = Fake::new(&["silent"]);
    fake.server.startup_timeout = Duration::from_secs(3);
    assert_eq!(
        fake.refused().await,
        "the MCP server `fake` (`COMMAND`) was not ready within 3 s: \
         its last words: still looking for the oven"
    );
    fake.until_gone().await;
}

#[tokio::test]
async fn a_start_can_be_interrupted() {
    let fake = Fake::new(&["silent", "grandchild"]);
    let cancel = CancellationToken::new();
    let (connected, ()) = tokio::join!(mcp::connect(&fake.server, &cancel), async {
        super::until(|| fake.log().len() == 2).await;
        cancel.cancel();
    });
    assert_eq!(
        connected.unwrap_err(),
        McpError::Cancelled {
            server: "fake".to_owned()
        }
    );
    fake.until_gone().await;
}

#[tokio::test]
async fn one_server_delays_or_spoils_no_other() {
    let mut sleeper = StdioServer::new("sleeper", vec!["sleep".to_owned(), "1000".to_owned()]);
    let good = Fake::new(&[]);
    sleeper.environment.clone_from(&good.server.environment);
    sleeper.startup_timeout = Duration::from_secs(2);
    let missing = StdioServer::new("missing", vec!["no-such-program".to_owned()]);
    let none = StdioServer::new("none", Vec::new());
    let servers = [sleeper, good.server.clone(), missing, none];
    let connected = mcp::connect_all(&servers, &CancellationToken::new()).await;
    let mut told = Vec::new();
    let mut running = Vec::new();
    for result in connected {
        match result {
            Ok(connection) => {
                told.push(connection.name().to_owned());
                running.push(connection);
            }
            Err(error) => told.push(error.to_string()),
        }
    }
    assert_eq!(
        told,
        [
            "the MCP server `sleeper` (`sleep 1000`) was not ready within 2 s: it said nothing",
            "fake",
            "cannot start the MCP server `missing`: the program `no-such-program` was not found",
            "the MCP server `none` has no command",
        ]
    );
    mcp::close_all(running).await;
    good.until_gone().await;
}
