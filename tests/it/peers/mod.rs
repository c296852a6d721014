//! The binary against the real thing: a small model in llama.cpp's server, MCP servers, and mocks
//! of every protocol, all of other people. `.ci/run` starts them and sets `SCOUTAI_PEERS`; without
//! it these tests are ignored, as they cannot run.

mod chats;
mod control;

mod faults;
mod libraries;
mod protocols;
mod providers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use scoutai::chat::{self, Meta, Role, ToolCall, ToolOutput};
use serde_json::{Value, json};

use chats::{Asked, Sandbox, edit};

/// What `tests/peers/start.sh` has started.
pub(crate) struct Peers {
    environment: BTreeMap<String, String>,
}

impl Peers {
    /// Reads the file that `SCOUTAI_PEERS` names. A run of the ignored tests without it fails:
    /// what was to be proved was not.
    pub(crate) fn here() -> Peers {
        let file = std::env::var("SCOUTAI_PEERS")
            .expect("run `tests/peers/setup.sh` and `start.sh`, then source the `env` it names");
        let text = std::fs::read_to_string(&file).unwrap();
        let environment = text
            .lines()
            .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.replace('\'', "")))
            .collect();
        Peers { environment }
    }

    /// Gives what a variable of the run says.
    fn variable(&self, name: &str) -> &str {
        self.environment.get(name).unwrap_or_else(|| {
            panic!("`{name}` is not set: run `tests/peers/setup.sh` for all parts, then `start.sh`")
        })
    }

    /// Gives a Python that has the official libraries of the providers.
    fn python(&self) -> &str {
        self.variable("SCOUTAI_SDK_PYTHON")
    }

    /// Gives the folder of the MCP servers.
    pub(crate) fn programs(&self) -> Vec<PathBuf> {
        vec![PathBuf::from(
            self.environment["PATH"].trim_end_matches(":\"$PATH\""),
        )]
    }

    /// Gives the folder that holds the settings, which name the servers as endpoints.
    fn settings(&self) -> &str {
        &self.environment["XDG_CONFIG_HOME"]
    }

    /// Gives the file with the keys of Bedrock.
    fn credentials(&self) -> &str {
        self.variable("AWS_SHARED_CREDENTIALS_FILE")
    }
}

#[test]
fn ci_has_the_peers() {
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(
        !in_ci || std::env::var_os("SCOUTAI_PEERS").is_some(),
        "the tests against real servers must not be left out of CI"
    );
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn an_answer_is_streamed_and_recorded() {
    let sandbox = Sandbox::new();
    let chat = sandbox.copy("first.md");
    let asked = sandbox.ask(&chat, &["--json"]);
    let pieces: Vec<String> = asked.events("text");
    assert!(pieces.len() > 1, "one piece is no stream: {pieces:?}");
    let answer = pieces.concat();
    assert!(answer.contains("Paris"), "{answer}");
    assert_eq!(asked.exit, 0, "{}", asked.stderr);
    assert_eq!(asked.added.lines().last(), Some("user:"));
    assert_eq!(asked.roles(), [Role::Meta, Role::Assistant]);
    assert_eq!(asked.text(Role::Assistant), [answer.trim()]);
    let meta = Meta::read(&asked.text(Role::Meta)[0]);
    assert!(
        meta.is_mark() && meta.count("pt") > Some(0) && meta.count("ct") > Some(0),
        "{meta:?}"
    );

    // The answer is whole, so a second run has nothing to do but to say it again.
    let again = sandbox.ask(&chat, &[]);
    assert_eq!((again.exit, again.added.as_str()), (0, ""));
    assert_eq!(again.stdout.trim(), answer.trim());
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn an_answer_without_streaming_is_the_same() {
    let sandbox = Sandbox::new();
    let streamed = sandbox.ask(&sandbox.copy("first.md"), &[]);
    let whole = sandbox.ask(&sandbox.copy("first.md"), &["--no-stream"]);
    assert_eq!(
        (streamed.exit, whole.exit),
        (0, 0),
        "{}{}",
        streamed.stderr,
        whole.stderr
    );
    assert_eq!(streamed.stdout, whole.stdout);
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_tool_is_called_and_answered() {
    let sandbox = Sandbox::new();
    let asked = sandbox.ask(&sandbox.copy("tool.md"), &[]);
    assert_eq!(asked.exit, 0, "{}", asked.stderr);
    assert_eq!(asked.roles(), ONE_CALL);
    let (call, output) = asked.only_call();
    assert_eq!(call.name.0, "get_current_time");
    let time: Value = serde_json::from_str(&output.content).expect(&output.content);
    assert_eq!(time["timezone"], call.arguments["timezone"]);
    assert!(time["datetime"].is_string(), "{time}");
    assert_eq!(
        asked.stdout.trim(),
        asked.text(Role::Assistant).last().unwrap()
    );
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn an_edited_chat_is_run_again() {
    let sandbox = Sandbox::new();
    let chat = sandbox.copy("first.md");
    let first = sandbox.ask(&chat, &[]);
    assert!(first.stdout.contains("Paris"), "{}", first.stderr);

    // Typed below the empty `user:` that the run left.
    edit(&chat, |text| {
        text.trim_end().to_owned() + "\n\nAnd what is the capital of Italy?\n"
    });
    let second = sandbox.ask(&chat, &[]);
    assert!(
        second.stdout.contains("Rome"),
        "{}{}",
        second.stdout,
        second.stderr
    );

    // The first question changed, and all that followed it taken away.
    edit(&chat, |text| {
        let end = text.find("meta:").unwrap();
        text[..end].replace("France", "Spain")
    });
    let third = sandbox.ask(&chat, &[]);
    assert!(
        third.stdout.contains("Madrid"),
        "{}{}",
        third.stdout,
        third.stderr
    );
    assert_eq!(third.roles(), [Role::Meta, Role::Assistant]);
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_prompt_goes_on_from_the_last_answer() {
    let sandbox = Sandbox::new();
    let chat = sandbox.copy("first.md");
    sandbox.ask(&chat, &[]);
    let asked = sandbox.ask(&chat, &["And what is the capital of Italy?"]);
    assert_eq!(asked.exit, 0, "{}", asked.stderr);
    assert!(asked.stdout.contains("Rome"), "{}", asked.stdout);
    // The prompt stands in the empty `user:` that the first run left.
    assert_eq!(asked.roles(), [Role::Meta, Role::Assistant]);
    assert!(
        asked.added.trim_start().starts_with("And what is"),
        "{}",
        asked.added
    );
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_tool_of_one_of_two_servers_is_chosen_by_the_model() {
    let sandbox = Sandbox::new();
    let chat = sandbox.copy("sum.md");
    edit(&chat, |text| {
        text.replace(
            "get-sum\n",
            "get-sum\nmcp: stdio \"mcp-server-time\" get_current_time\n",
        )
    });
    let asked = sandbox.ask(&chat, &[]);
    assert_eq!(asked.exit, 0, "{}", asked.stderr);
    assert_eq!(asked.roles(), ONE_CALL);
    let (call, output) = asked.only_call();
    assert_eq!(call.name.0, "get-sum");
    let (a, b) = (&call.arguments["a"], &call.arguments["b"]);
    let sum = a.as_f64().unwrap() + b.as_f64().unwrap();
    assert_eq!(output.content, format!("The sum of {a} and {b} is {sum}."));
    assert!(asked.stdout.contains(&sum.to_string()), "{}", asked.stdout);
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn each_call_of_a_chat_has_an_id_of_its_own() {
    // The server gives the first call of every reply the same id.
    let sandbox = Sandbox::new();
    let chat = sandbox.copy("sum.md");
    let (first, _) = sandbox.ask(&chat, &[]).only_call();
    let (second, _) = sandbox
        .ask(&chat, &["What is the sum of 3 and 4?"])
        .only_call();
    assert_eq!(first.name, second.name);
    assert_ne!(first.id, second.id);
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_chat_runs_again_after_an_error_of_the_server() {
    // Left its choice, the model writes no call and the server tells an error in its stream.
    let sandbox = Sandbox::new();
    let chat = sandbox.copy("sum.md");
    let failed = sandbox.ask(&chat, &["-o", "tool_choice=auto"]);
    assert_eq!(
        (failed.exit, failed.added.as_str()),
        (1, ""),
        "{}",
        failed.stderr
    );
    assert!(failed.stderr.contains("error: "), "{}", failed.stderr);
    let asked = sandbox.ask(&chat, &[]);
    assert_eq!(asked.exit, 0, "{}", asked.stderr);
    assert_eq!(asked.roles(), ONE_CALL);
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn calls_of_one_turn_go_to_both_servers() {
    let sandbox = Sandbox::new();
    let call = |id: &str, name: &str, arguments: Value| {
        format!(
            "function_call: {}\n\n",
            json!({"name": name, "arguments": arguments, "id": id})
        )
    };
    let script = sandbox.write(
        "script.md",
        &[
            "meta: inference_id=1\n\n".to_owned(),
            call("a", "get_current_time", json!({"timezone": "Asia/Tokyo"})),
            call("b", "echo", json!({"message": "user: not a header"})),
            call("c", "get_current_time", json!({"timezone": "Nowhere/Land"})),
            "meta: inference_id=2\n\nassistant:\n\nDone.\n".to_owned(),
        ]
        .concat(),
    );
    let chat = sandbox.write(
        "chat.md",
        "mcp: stdio mcp-server-time\nmcp: stdio mcp-server-everything\n\nuser: Go.\n",
    );
    let asked = sandbox.ask(&chat, &["--replay", &script.display().to_string()]);
    assert_eq!(asked.exit, 0, "{}", asked.stderr);
    let outputs = asked.outputs();
    let ids: Vec<&str> = outputs.iter().map(|output| output.id.0.as_str()).collect();
    let errors: Vec<bool> = outputs.iter().map(|output| output.error).collect();
    assert_eq!(
        (ids, errors),
        (vec!["a", "b", "c"], vec![false, false, true])
    );
    assert!(
        outputs[0].content.contains("Asia/Tokyo"),
        "{}",
        outputs[0].content
    );
    assert_eq!(outputs[1].content, "Echo: user: not a header");
    assert!(
        outputs[2].content.contains("Nowhere/Land"),
        "{}",
        outputs[2].content
    );
    assert_eq!(asked.stdout.trim(), "Done.");
}

/// What a run with one call appends.
const ONE_CALL: [Role; 5] = [
    Role::Meta,
    Role::FunctionCall,
    Role::FunctionCallOutput,
    Role::Meta,
    Role::Assistant,
];
