//! Whatever a chat says and the world answers, a draft comes to an end and says what it found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use scoutai::chat::{self, Message, Role, Severity};
use scoutai::plan::{
    Draft, Exec, Found, FoundFile, Need, Rules, Saying, Trust, Want, check, compiled,
};

/// Contents that directives and records make something of, well or badly.
const CONTENTS: [&str; 30] = [
    "",
    "true",
    "false",
    "a",
    "b",
    "c.json",
    "nil",
    "json",
    "temperature 0.2",
    "model x",
    "url u",
    "max_included_length 3",
    "k",
    "stdio x y",
    "stdio \"x 'y'\" z",
    "stdio",
    "\"",
    "https://x.y z",
    "user",
    "assistant",
    "system",
    "format c",
    "{\"a\": \"string\"}",
    "{\"name\":\"f\",\"id\":\"1\"}",
    "{\"content\":\"r\",\"id\":\"1\"}",
    "{\"provider\":\"p\"}",
    "inference_id=1",
    "inference_id=2 stop=error",
    "persist true",
    "{",
];

/// Messages that are right, so that many chats come to a plan.
const RIGHT: [(&str, &str); 26] = [
    ("system", "s"),
    ("user", "q"),
    ("assistant", "a"),
    ("user", "clear:"),
    ("file", "f"),
    ("directory", "d"),
    ("import", "a"),
    ("import", "bb"),
    ("continue", "ccc"),
    ("last", "a"),
    ("cmd", "date"),
    ("cmd", "who"),
    ("option", "temperature 0.2"),
    ("sticky_option", "seed 1"),
    ("model", "m"),
    ("format", "c.json"),
    ("mcp", "stdio x"),
    ("clear", ""),
    ("clear_tools", ""),
    ("clear_role", "user"),
    ("meta", "inference_id=1"),
    ("meta", "inference_id=1 stop=error"),
    ("function_call", "{\"name\":\"f\",\"id\":\"1\"}"),
    ("function_call_output", "{\"content\":\"r\",\"id\":\"1\"}"),
    ("reasoning", "{\"provider\":\"p\"}"),
    ("skip", "x"),
];

fn message() -> impl Strategy<Value = Message> {
    let roles: Vec<Role> = Role::all().collect();
    prop_oneof![
        30 => prop::sample::select(&RIGHT[..])
            .prop_map(|(role, content)| Message::new(Role::from_name(role).unwrap(), content)),
        1 => (prop::sample::select(roles), prop::sample::select(&CONTENTS[..]))
            .prop_map(|(role, content)| Message::new(role, content)),
    ]
}

fn is_directive(message: &Message) -> bool {
    matches!(message.role, Role::Directive(_))
}

fn answer(need: &Need, chats: &[String], dice: u8) -> Found {
    if dice == 0 {
        return Found::Failed {
            message: "gone".to_owned(),
            hint: None,
        };
    }
    match &need.want {
        Want::Chat { name } => {
            let number = name.len() % chats.len();
            Found::Chat {
                path: PathBuf::from(format!("/x/{number}")),
                text: chats[number].clone(),
                trust: if dice == 1 {
                    Trust::Confined
                } else {
                    Trust::Trusted
                },
            }
        }
        Want::File { pattern } | Want::Directory { name: pattern } => Found::Files {
            files: vec![FoundFile {
                name: pattern.clone(),
                text: "user: x\ncmd: y".to_owned(),
            }],
            skipped: Vec::new(),
        },
        Want::Media { .. } | Want::Schema { .. } => {
            Found::Schema(serde_json::json!({"a": "string"}))
        }
        Want::Command { .. } => Found::Command {
            output: String::new(),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_chat_is_planned_or_its_faults_are_told(
        main in prop::collection::vec(message(), 0..12),
        imports in prop::collection::vec(prop::collection::vec(message(), 0..6), 1..4),
        dice in prop::collection::vec(0_u8..40, 64),
        confined: bool,
    ) {
        let chats: Vec<String> = imports.iter().map(|messages| chat::print(messages)).collect();
        let path: Arc<Path> = Path::new("/x/main").into();
        let trust = if confined { Trust::Confined } else { Trust::Trusted };
        let read = chat::parse(&chat::print(&main), &path);
        let found = check(&read);
        let mut draft = Draft::new(read, &path, trust, Rules { exec: Exec::Allowed });
        let mut dice = dice.into_iter();
        let mut commands = 0;
        for _ in 0..10 {
            for need in draft.needs() {
                commands += usize::from(matches!(need.want, Want::Command { .. }));
                draft.supply(need.id, answer(&need, &chats, dice.next().unwrap_or(39)));
            }
        }
        prop_assert!(draft.needs().is_empty());
        match draft.finish() {
            Ok(plan) => {
                prop_assert!(plan.warnings.iter().all(|one| one.severity == Severity::Warning));
                // What is sent holds what the chat says and nothing that was left to be done.
                let left = compiled(&plan.said)
                    .into_iter()
                    .find(is_directive);
                prop_assert_eq!(left, None);
                prop_assert!(!confined || commands == 0);
                prop_assert!(plan.said.iter().all(|said| !matches!(said.what, Saying::Media(_))));
            }
            Err(faults) => {
                prop_assert!(faults.diagnostics.iter().any(|one| one.severity == Severity::Error));
                prop_assert!(!confined || commands == 0);
            }
        }
        for one in found {
            prop_assert!(!one.message.ends_with('.'));
        }
    }
}
