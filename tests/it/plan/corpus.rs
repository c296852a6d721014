//! What Scout makes of its own files, and where this program differs on purpose.

use std::path::Path;

use scoutai::chat::{self, Message, Role, ToolCall, ToolOutput};
use scoutai::plan::{Exec, Trust, compiled};
use serde_json::{Map, Value};

use super::planned;
use crate::compat;

/// Files that are read as Scout reads them and planned differently, each with the reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("clear_basic", CLEAR_VALUE),
    (
        "clear_inline_and_empty",
        "a directive such as `clear:` may be empty",
    ),
    (
        "clear_role",
        "`clear_role` takes messages above it, not those below",
    ),
    ("clear_skip", "I-48: `skip` is not sent"),
    (
        "file_and_directory",
        "media keep the name that the chat gives them",
    ),
    ("hdr_agent_block", LATER),
    ("hdr_agent_rule", LATER),
    (
        "imp_nested_clear",
        "an import is processed: its own `clear` holds within it",
    ),
    ("opt_basic", LATER),
    (
        "tool_calls_block_json",
        "a call without an id is pointed at",
    ),
    ("wf_association", LATER),
    ("wf_exec_inline_task", LATER),
    ("wf_kb", LATER),
    ("wf_task", LATER),
    ("wf_tools", LATER),
    ("wf_tools_clear_introduce", LATER),
];

const LATER: &str = "the role belongs to a feature that is not built yet";
const CLEAR_VALUE: &str = "`clear` takes nothing, `true` or `false`";

#[test]
fn plans_of_the_files_of_scout() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scout");
    let mut faults = Vec::new();
    for entry in std::fs::read_dir(&top).unwrap() {
        let path = std::fs::canonicalize(entry.unwrap().path()).unwrap();
        let Some(name) = path
            .file_name()
            .and_then(|name| name.to_str()?.strip_suffix(".chat"))
        else {
            continue;
        };
        // What is read differently is listed, with its reasons, where reading is tested.
        if compat::ours(&path) != Ok(compat::theirs(&path.with_extension("json"))) {
            continue;
        }
        let listed = DIFFERENT.iter().any(|(known, _)| *known == name);
        match (difference(&path), listed) {
            (Some(difference), false) => faults.push(format!("{name}: {difference}")),
            (None, true) => faults.push(format!("{name}: listed, and the same")),
            (Some(_), true) | (None, false) => {}
        }
    }
    faults.sort();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Says how the plan of a file differs from what Scout makes of it.
fn difference(path: &Path) -> Option<String> {
    let wanted = std::fs::read_to_string(path.with_extension("options.json")).unwrap();
    let wanted: Value = serde_json::from_str(&wanted).unwrap();
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let plan = match (
        planned(&text, path, Trust::Trusted, Exec::Allowed).0,
        wanted.get("error"),
    ) {
        (Ok(plan), None) => plan,
        (Err(_), Some(_)) => return None,
        (Ok(_), Some(error)) => return Some(format!("Scout tells {error}")),
        (Err(faults), None) => {
            let told: Vec<&String> = faults.diagnostics.iter().map(|one| &one.message).collect();
            return Some(format!("is wrong: {told:?}"));
        }
    };
    let ours: Vec<(String, String)> = compiled(&plan.said).iter().map(comparable).collect();
    let theirs: Vec<(String, String)> = wanted["messages_after"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(sent)
        .collect();
    if ours != theirs {
        return Some(format!("\n  ours   {ours:?}\n  theirs {theirs:?}"));
    }
    let ours: Map<String, Value> = plan
        .options
        .iter()
        .map(|(name, setting)| (name.to_owned(), setting.value.clone()))
        .collect();
    // Scout keeps every value as text, and typing them is our doing.
    let theirs: Map<String, Value> = wanted["options"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| {
            (
                name.clone(),
                value.as_str().map_or(value.clone(), chat::literal),
            )
        })
        .collect();
    let same = ours.len() == theirs.len()
        && theirs
            .iter()
            .all(|(key, value)| ours.get(key) == Some(value));
    (!same).then(|| format!("\n  ours   {ours:?}\n  theirs {theirs:?}"))
}

/// Gives a message of Scout that is sent, in the form in which it is compared: what Scout keeps for
/// itself in the list is not part of it.
fn sent(message: &Value) -> Option<(String, String)> {
    let role = message["role"].as_str().unwrap();
    let content = message["content"].as_str().unwrap();
    let kept = matches!(role, "meta" | "previous_response_id");
    if kept || content.is_empty() {
        return None;
    }
    let known = Role::from_name(role).map(|role| Message::new(role, content));
    Some(match known {
        Some(message) => comparable(&message),
        None => (role.to_owned(), content.to_owned()),
    })
}

fn comparable(message: &Message) -> (String, String) {
    let content = match message.role {
        Role::FunctionCall => ToolCall::read(&message.content)
            .map(|call| call.write())
            .unwrap(),
        Role::FunctionCallOutput => ToolOutput::read(&message.content)
            .map(|output| output.write())
            .unwrap(),
        Role::System
        | Role::Developer
        | Role::User
        | Role::Assistant
        | Role::Reasoning
        | Role::Meta
        | Role::Directive(_) => message.content.clone(),
    };
    (message.role.name().to_owned(), content)
}
