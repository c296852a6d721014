//! Laws of prompts: whatever was said, what is sent is accepted.

use std::collections::HashSet;

use proptest::prelude::*;
use scoutai::backends::{Question, Wire};
use scoutai::chat::{CallId, Meta, Origin, Reasoning, Role, ToolCall, ToolName, ToolOutput};
use scoutai::plan::{
    Item, Media, MediaKind, MediaSource, Part, Prompt, Returned, Said, Saying, Turn,
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::asking::chat_wire;
use crate::fakellm::Rules;
use crate::strict::Api;

/// Few ids, so that they meet: plain, odd, empty, too long, and one that a renamed one would take.
fn id() -> impl Strategy<Value = CallId> {
    let ids = ["0", "1", "call_1", "0_2", "", "é é", "a:b/c"].map(str::to_owned);
    let long = "x".repeat(80);
    proptest::sample::select(ids.into_iter().chain([long]).collect::<Vec<_>>()).prop_map(CallId)
}

fn name() -> impl Strategy<Value = ToolName> {
    proptest::sample::select(vec!["add", "neg", "do it", ""])
        .prop_map(|name| ToolName(name.to_owned()))
}

fn text() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "a",
        "b\n\nc",
        "",
        " \n\t",
        "\u{a0}",
        "péra 那 🍐",
        "user: x",
    ])
    .prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    proptest::sample::select(vec![
        json!({}),
        json!({"x": 1, "s": "\"\\é"}),
        json!({"a": [null]}),
    ])
    .prop_map(|value| value.as_object().cloned().unwrap_or_default())
}

fn media() -> impl Strategy<Value = Media> {
    proptest::sample::select(vec![
        (
            MediaKind::Image,
            MediaSource::Url("http://x/i.png".to_owned()),
        ),
        (
            MediaKind::Image,
            MediaSource::Bytes {
                mime: "image/png".to_owned(),
                bytes: vec![1, 2, 3].into(),
            },
        ),
        (
            MediaKind::Pdf,
            MediaSource::Bytes {
                mime: "application/pdf".to_owned(),
                bytes: vec![].into(),
            },
        ),
    ])
    .prop_map(|(kind, source)| Media {
        kind,
        name: "folder/".to_owned(),
        source,
    })
}

fn saying() -> impl Strategy<Value = Saying> {
    let role = proptest::sample::select(vec![
        Role::System,
        Role::Developer,
        Role::User,
        Role::User,
        Role::Assistant,
        Role::Assistant,
        Role::Meta,
    ]);
    prop_oneof![
        6 => (role, text()).prop_map(|(role, text)| Saying::Text { role, text }),
        1 => media().prop_map(Saying::Media),
        5 => (id(), name(), arguments())
            .prop_map(|(id, name, arguments)| Saying::Call(Box::new(ToolCall { id, name, arguments }))),
        5 => (id(), proptest::option::of(name()), text(), any::<bool>()).prop_map(
            |(id, name, content, error)| Saying::Output(Box::new(Returned::from(ToolOutput {
                id,
                name,
                content,
                error,
                media: Vec::new(),
                start_timestamp: None,
                timestamp: None,
                other: Map::new(),
            })))
        ),
        2 => proptest::sample::select(vec!["openai", "other"]).prop_map(|provider| {
            Saying::Reasoning(Box::new(Reasoning {
                text: Some("hm".to_owned()),
                provider: provider.to_owned(),
                data: Some(json!({"reasoning_details": [{"type": "x"}], "role": "evil"})),
            }))
        }),
        1 => Just(Saying::Meta(Meta::default())),
    ]
}

pub(super) fn history() -> impl Strategy<Value = Vec<Said>> {
    proptest::collection::vec(
        saying().prop_map(|what| Said {
            what,
            origin: Origin::Run,
        }),
        0..14,
    )
}

/// Gives what is wrong with turns, by the promises in the documentation of `Prompt`.
fn faults(prompt: &Prompt) -> Vec<String> {
    let mut faults = Vec::new();
    let mut ids = HashSet::new();
    let mut open: Vec<(&CallId, &ToolName)> = Vec::new();
    let mut before = "";
    for turn in &prompt.turns {
        let kind = match turn {
            Turn::System(text) => {
                said(&mut faults, text);
                "system"
            }
            Turn::User(parts) => {
                user(&mut faults, parts);
                "user"
            }
            Turn::Assistant(_) => "assistant",
            Turn::Results(_) => "results",
        };
        if kind == before {
            faults.push(format!("two turns of {kind} meet"));
        }
        if (kind == "results") == open.is_empty() {
            faults.push(format!("{kind} with {} open calls", open.len()));
        }
        before = kind;
        match turn {
            Turn::Assistant(items) => {
                assistant(&mut faults, items);
                for item in items {
                    if let Item::Call(call) = item {
                        open.push((&call.id, &call.name));
                        if !is_name(&call.id.0) || !is_name(&call.name.0) {
                            faults.push(format!("{call:?} does not fit"));
                        }
                        if !ids.insert(&call.id) {
                            faults.push(format!("{:?} is used twice", call.id));
                        }
                    }
                }
            }
            Turn::Results(outputs) => {
                let given: Vec<_> = outputs
                    .iter()
                    .map(|one| (&one.output.id, one.output.name.as_ref().expect("named")))
                    .collect();
                if given != open {
                    faults.push(format!("{given:?} do not answer {open:?}"));
                }
                for output in outputs {
                    said(&mut faults, &output.output.content);
                }
                open.clear();
            }
            Turn::System(_) | Turn::User(_) => {}
        }
    }
    let mut spoken = prompt
        .turns
        .iter()
        .filter(|turn| !matches!(turn, Turn::System(_)));
    let first = spoken.clone().next();
    let last = spoken.next_back();
    let fine = matches!(first, Some(Turn::User(_)))
        && matches!(last, Some(Turn::User(_) | Turn::Results(_)));
    if !fine && !prompt.turns.is_empty() {
        faults.push("the ends are not the user's".to_owned());
    }
    faults
}

fn said(faults: &mut Vec<String>, text: &str) {
    if text.trim().is_empty() {
        faults.push("a text is blank".to_owned());
    }
}

fn user(faults: &mut Vec<String>, parts: &[Part]) {
    if parts.is_empty() {
        faults.push("a user turn is empty".to_owned());
    }
    for pair in parts.windows(2) {
        if let [Part::Text(_), Part::Text(_)] = pair {
            faults.push("two texts meet".to_owned());
        }
    }
    for part in parts {
        if let Part::Text(text) = part {
            said(faults, text);
        }
    }
}

fn assistant(faults: &mut Vec<String>, items: &[Item]) {
    if matches!(items.last(), None | Some(Item::Reasoning(_))) {
        faults.push("a model's turn ends in reasoning, or is empty".to_owned());
    }
    for pair in items.windows(2) {
        if let [Item::Text(_), Item::Text(_)] = pair {
            faults.push("two texts meet".to_owned());
        }
    }
    for item in items {
        if let Item::Text(text) = item {
            said(faults, text);
        }
    }
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// Encodes a prompt for a preset.
fn body(prompt: &Prompt, wire: &dyn Wire) -> String {
    let (parameters, cancel) = (Map::new(), CancellationToken::new());
    wire.encode(&Question::plain(prompt, "m", &parameters, &cancel))
        .body
        .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_history_is_accepted_everywhere(history in history()) {
        let prompt = Prompt::of(&history);
        prop_assert_eq!(faults(&prompt), Vec::<String>::new());
        if prompt.turns.is_empty() {
            return Ok(());
        }
        for (name, rules) in [
            ("openai", Rules::OpenAi),
            ("llamacpp", Rules::Template),
            ("mistral", Rules::Mistral),
        ] {
            let wire = chat_wire(name);
            let sent = body(&prompt, wire.as_ref());
            prop_assert_eq!(Api::Chat(rules).faults_of_text(&sent), Vec::<String>::new(), "{} {}", name, sent);
        }
    }

    #[test]
    fn a_longer_history_begins_like_the_shorter_one(history in history(), more in history()) {
        let calls = |said: &[Said]| -> Vec<String> {
            Prompt::of(said).call_ids().map(str::to_owned).collect()
        };
        let before = calls(&history);
        let mut longer = history;
        longer.extend(more);
        prop_assert_eq!(&calls(&longer)[..before.len()], &before[..]);
    }
}
