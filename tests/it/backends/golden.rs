//! Each protocol in folders that anyone can read: `fixtures/wire/golden/PROTOCOL/CASE/`.
//!
//! `prompt.md` is a chat, with the files that it names beside it. What is sent for it stands in
//! `request.json` (the body) and `request.head` (the rest, and what could not be said). The reply
//! in `response.json`, `response.sse`, `response.ndjson` or `response.events` (the events of an AWS
//! event stream, a line each) is read as `reply.md`: the messages that are recorded, or the error.
//! All but the first make the request a streaming one. `asks.json` may hold
//! what a chat file alone does not: `preset`, `tools`, `web_search`, `previous`.
//! `UPDATE=1` writes `request.json`, `request.head` and `reply.md` anew; the diff is the review.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use scoutai::backends::{
    Failure, ModelFacts, Note, Preset, Previous, Protocol, Question, Reply, ToolChoice, Usage,
    Wire, read_stream,
};
use scoutai::chat::{self, Message, Meta, MetaValue, Role};
use scoutai::plan::{Exec, Item, KeptFound, Media, Prompt, Trust, turn_begun};
use scoutai::tools::ToolDefinition;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::event_stream::frames_of;
use crate::plan::planned;

#[test]
fn every_protocol_is_exact() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wire/golden");
    let mut faults = Vec::new();
    for protocol in folders(&top) {
        let name = protocol.file_name().unwrap().to_str().unwrap();
        let spoken = Protocol::from_name(name).expect("a folder is named like a protocol");
        for case in folders(&protocol) {
            faults.extend(check(&case, spoken));
        }
    }
    assert!(
        faults.is_empty(),
        "{}\n(`UPDATE=1` writes what came out)",
        faults.join("\n")
    );
}

pub(super) fn folders(top: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(top)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

/// Compares what is sent and read with what the folder says.
fn check(case: &Path, protocol: Protocol) -> Vec<String> {
    let asks: Value = match fs::read(case.join("asks.json")) {
        Ok(text) => serde_json::from_slice(&text).unwrap(),
        Err(_) => Value::Null,
    };
    let preset = asks["preset"].as_str().unwrap_or(usual_preset(protocol));
    let wire = Preset::find(preset).expect("a known preset").wire(protocol);
    let reply = ["json", "sse", "ndjson", "events"].iter().find_map(|kind| {
        let body = fs::read(case.join(format!("response.{kind}"))).ok()?;
        Some((*kind, body))
    });
    let stream = !matches!(reply, Some(("json", _)));
    let (head, body) = request(case, wire.as_ref(), &asks, stream);
    let mut outcomes = vec![("request.head", head), ("request.json", body)];
    if let Some((kind, body)) = reply {
        let outcome = match kind {
            "json" => wire.decode(&serde_json::from_slice(&body).unwrap()),
            // A build without Bedrock reads no such stream.
            "events" if cfg!(not(feature = "bedrock")) => return Vec::new(),
            "events" => {
                let text = std::str::from_utf8(&body).unwrap();
                read_stream(wire.as_ref(), &[&frames_of(text)])
            }
            _ => read_stream(wire.as_ref(), &[&body]),
        };
        outcomes.push(("reply.md", told(outcome)));
    }
    outcomes
        .into_iter()
        .filter_map(|(name, came)| differs(&case.join(name), &came))
        .collect()
}

/// Names the provider that a protocol is from.
pub(super) fn usual_preset(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::ChatCompletions | Protocol::Responses => "openai",
        Protocol::Anthropic => "anthropic",
        Protocol::Gemini => "gemini",
        Protocol::Ollama => "ollama",
        Protocol::Bedrock => "bedrock",
    }
}

fn request(case: &Path, wire: &dyn Wire, asks: &Value, stream: bool) -> (String, String) {
    let path = case.join("prompt.md");
    let text = fs::read_to_string(&path).unwrap();
    let (plan, _) = planned(&text, &path, Trust::Trusted, Exec::Forbidden);
    let mut plan = plan.unwrap_or_else(|faults| panic!("{}: {faults:?}", path.display()));
    let kept = plan.kept_files().into_iter().map(|file| {
        let bytes = fs::read(case.join(&file.name)).unwrap();
        let media = Media::of_bytes(file.name.clone(), bytes).unwrap();
        (file, KeptFound::Media(media))
    });
    plan.show_kept(&kept.collect());
    let tools: Vec<ToolDefinition> = asks["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| {
            let text = |key: &str| tool[key].as_str().unwrap_or_default();
            ToolDefinition::new(
                text("name"),
                text("description"),
                tool["parameters"].clone(),
            )
        })
        .collect();
    let prompt = Prompt::of(&plan.said);
    let (parameters, cancel) = (plan.options.parameters(), CancellationToken::new());
    let choice = plan.options.tool_choice();
    let question = Question {
        tools: &tools,
        format: plan.options.format(),
        tool_choice: choice
            .filter(|_| !turn_begun(&plan.said))
            .map(ToolChoice::read),
        facts: &ModelFacts::UNKNOWN,
        web_search: asks["web_search"] == true || plan.options.web_search(),
        keep: plan.options.previous_response(),
        previous: asks["previous"].as_object().map(|previous| Previous {
            response_id: previous["response_id"].as_str().unwrap(),
            turns: usize::try_from(previous["turns"].as_u64().unwrap()).unwrap(),
        }),
        stream,
        ..Question::plain(
            &prompt,
            plan.options.model().unwrap_or("model"),
            &parameters,
            &cancel,
        )
    };
    let route = wire.route(&question);
    let encoded = wire.encode(&question);
    let mut head = format!("POST {}", route.segments.join("/"));
    for (at, (name, value)) in route.query.iter().enumerate() {
        let mark = if at == 0 { '?' } else { '&' };
        write!(head, "{mark}{name}={value}").unwrap();
    }
    head.push('\n');
    for (name, value) in wire.headers(&question) {
        writeln!(head, "{name}: {value}").unwrap();
    }
    for note in &encoded.notes {
        match note {
            Note::Warning(text) => writeln!(head, "(warning: {text})").unwrap(),
            Note::Detail(text) => writeln!(head, "(note: {text})").unwrap(),
        }
    }
    let body = serde_json::to_string_pretty(&encoded.body).unwrap() + "\n";
    (head, body)
}

/// Writes a reply as the messages that stand for it.
pub(super) fn told(outcome: Result<Reply, Failure>) -> String {
    match outcome {
        Ok(reply) => chat::print(&messages(&reply)),
        Err(failure) => {
            let mut text = format!("{:?}: {}\n", failure.error.kind, failure.error.message);
            if let Some(hint) = &failure.error.hint {
                writeln!(text, "= hint: {hint}").unwrap();
            }
            writeln!(text, "= again: {:?}", failure.again).unwrap();
            if let Some(partial) = &failure.partial {
                text.push('\n');
                text.push_str(&chat::print(&messages(partial)));
            }
            text
        }
    }
}

fn messages(reply: &Reply) -> Vec<Message> {
    let mut mark = Meta::default();
    let mut text = |key: &str, value: Option<&str>| {
        if let Some(value) = value {
            mark.push(key, MetaValue::Text(value.to_owned()));
        }
    };
    text("provider_response_id", reply.response_id.as_deref());
    text("model", reply.model.as_deref());
    text("stop", Some(reply.stop.name()));
    let Usage {
        prompt,
        completion,
        total,
        cache_read,
        cache_write,
        reasoning,
        ..
    } = reply.usage;
    for (key, count) in [
        ("pt", prompt),
        ("ct", completion),
        ("tt", total),
        ("cct", cache_read),
        ("cwt", cache_write),
        ("rt", reasoning),
    ] {
        if let Some(count) = count {
            mark.push(key, MetaValue::Integer(i64::try_from(count).unwrap()));
        }
    }
    let mut messages = vec![mark.to_message()];
    messages.extend(reply.items.iter().map(|item| match item {
        Item::Text(text) => Message::new(Role::Assistant, text.clone()),
        Item::Call(call) => call.to_message(),
        Item::Reasoning(reasoning) => reasoning.to_message(),
    }));
    messages.extend(reply.cut_calls.iter().map(|cut| {
        Message::new(
            Role::FunctionCall,
            format!("(cut: {:?}) {} {}", cut.fault, cut.name.0, cut.arguments),
        )
    }));
    messages
}

/// Tells that a file differs, or writes it.
pub(super) fn differs(path: &Path, came: &str) -> Option<String> {
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == came {
        return None;
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, came).unwrap();
        return None;
    }
    Some(format!(
        "{}\n--- expected\n{expected}\n--- came\n{came}",
        path.display()
    ))
}
