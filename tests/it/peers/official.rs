//! Requests, held to the types of the providers' own libraries.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use scoutai::backends::{Preset, Protocol, Question};
use scoutai::plan::Prompt;
use scoutai::tools::ToolDefinition;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::backends::golden::usual_preset;
use crate::backends::laws::history;

/// How many requests each protocol has to make.
const SAMPLES: usize = 80;

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn requests_of_any_history_have_the_types_of_the_official_libraries() {
    let folder = tempfile::tempdir().unwrap();
    for protocol in Protocol::ALL {
        for (number, request) in requests(protocol).iter().enumerate() {
            let name = format!("{}-{number}.json", protocol.name());
            std::fs::write(folder.path().join(name), request.to_string()).unwrap();
        }
    }
    let total = SAMPLES * Protocol::ALL.len();
    assert_eq!(check(folder.path()), format!("{total} requests pass\n"));
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn the_types_of_the_official_libraries_refuse_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    for protocol in Protocol::ALL {
        let mut request = requests(protocol).remove(0);
        request["wish"] = json!("a pony");
        let name = format!("{}-0.json", protocol.name());
        std::fs::write(folder.path().join(name), request.to_string()).unwrap();
    }
    let told = check(folder.path());
    let refused = format!("0 requests pass, {} do not\n", Protocol::ALL.len());
    assert!(told.ends_with(&refused), "{told}");
}

/// Gives requests with random histories, half of them with tools. They are the same in each run.
fn requests(protocol: Protocol) -> Vec<Value> {
    // What other speakers of Chat Completions want back is not among OpenAI's types.
    let preset = if protocol == Protocol::ChatCompletions {
        "vllm"
    } else {
        usual_preset(protocol)
    };
    let wire = Preset::find(preset).unwrap().wire(protocol);
    let schema = json!({"type": "object", "properties": {"x": {"type": "number", "minimum": 0},
        "s": {"type": ["string", "null"], "pattern": "^a"}}, "required": ["x"]});
    let tools = [ToolDefinition::new("add", "Adds two numbers.", schema)];
    let (parameters, cancel) = (serde_json::Map::new(), CancellationToken::new());
    let mut runner = TestRunner::deterministic();
    let histories = history();
    let mut made = Vec::new();
    while made.len() < SAMPLES {
        let said = histories.new_tree(&mut runner).unwrap().current();
        let prompt = Prompt::of(&said);
        if prompt.turns.is_empty() {
            continue;
        }
        let question = Question {
            tools: if made.len() % 2 == 0 { &tools } else { &[] },
            ..Question::plain(&prompt, "m", &parameters, &cancel)
        };
        let body = wire.encode(&question).body.to_string();
        made.push(serde_json::from_str(&body).unwrap());
    }
    made
}

/// Gives what the checker says of a folder of requests.
fn check(folder: &Path) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/sdkcheck.py");
    let output = Command::new(Peers::here().variable("SCOUTAI_SDK_PYTHON"))
        .arg(script)
        .arg(folder)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let failed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(failed, "", "{told}");
    told
}
