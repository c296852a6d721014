//! How a draft asks and takes answers, apart from any world.

use std::path::Path;
use std::sync::Arc;

use scoutai::chat::{self, Message, Origin, Role};
use scoutai::plan::{
    Draft, Exec, FaultKind, Faults, Found, FoundFile, NeedId, Plan, Rules, Saying, Trust, Want,
    compiled, turn_begun,
};

fn draft(text: &str) -> Draft {
    let path: Arc<Path> = Path::new("/x/chat.md").into();
    let rules = Rules {
        exec: Exec::Allowed,
    };
    Draft::new(chat::parse(text, &path), &path, Trust::Trusted, rules)
}

fn said(plan: &Plan) -> Vec<String> {
    compiled(&plan.said)
        .into_iter()
        .map(|message| message.content)
        .collect()
}

fn told(faults: &Faults) -> (FaultKind, Vec<String>) {
    let told = |one: &chat::Diagnostic| one.message.clone();
    (faults.kind, faults.diagnostics.iter().map(told).collect())
}

fn file(name: &str, text: &str) -> Found {
    Found::Files {
        files: vec![FoundFile {
            name: name.to_owned(),
            text: text.to_owned(),
        }],
        skipped: vec![("b.bin".to_owned(), "it is not text".to_owned())],
    }
}

#[test]
fn independent_needs_come_together_and_commands_last() {
    let mut draft = draft("import: a.md\nimport: b.md\nfile: c\nformat: d\ncmd: e\nimport: a.md\n");
    let mut rounds = Vec::new();
    loop {
        let needs = draft.needs();
        if needs.is_empty() {
            break;
        }
        let mut round = Vec::new();
        for need in needs {
            round.push(format!("{:?}", need.want));
            draft.supply(
                need.id,
                match need.want {
                    Want::Chat { name } => Found::Chat {
                        path: Path::new("/x").join(name),
                        text: "file: c\nuser: hi\n".to_owned(),
                        trust: Trust::Trusted,
                    },
                    Want::File { .. } => file("c", "text"),
                    Want::Schema { .. } => Found::Schema(serde_json::json!({"type": "object"})),
                    Want::Command { .. } => Found::Command {
                        output: "out".to_owned(),
                    },
                    Want::Directory { .. } | Want::Media { .. } => unreachable!("not named"),
                },
            );
        }
        rounds.push(round);
    }
    assert_eq!(
        rounds,
        [
            vec![r#"Chat { name: "a.md" }"#, r#"Chat { name: "b.md" }"#],
            vec![r#"File { pattern: "c" }"#, r#"Schema { name: "d" }"#],
            vec![r#"Command { command: "e", ordinal: 0, settled: false }"#],
        ]
    );
    let plan = draft.finish().unwrap();
    let c = "<file name=\"c\">\ntext\n</file>";
    let e = "<cmd_output cmd=\"e\">\nout\n</cmd_output>";
    assert_eq!(said(&plan), [c, "hi", c, "hi", c, e, c, "hi"]);
    let warned = plan.warnings.iter().map(|one| one.message.as_str());
    assert_eq!(warned.count(), 4);
}

#[test]
fn commands_need_no_answer_and_all_else_does() {
    let mut asked = draft("cmd: date\nuser: q\n");
    asked.needs();
    let plan = asked.finish().unwrap();
    assert_eq!(
        said(&plan),
        [
            "<cmd_output cmd=\"date\">\n(would run: date)\n</cmd_output>",
            "q"
        ]
    );
    assert_eq!(
        told(
            &draft("import: a.md\nfile: b\nuser: q\n")
                .finish()
                .unwrap_err()
        ),
        (
            FaultKind::Missing,
            vec![
                "`a.md` was not looked up".to_owned(),
                "`b` was not looked up".to_owned()
            ]
        )
    );
}

#[test]
fn faults_say_the_first_and_count_the_rest() {
    let said = |text: &str| draft(text).finish().unwrap_err().to_string();
    assert_eq!(
        said("persist: true\nuser: q\n"),
        "`persist` is not built yet"
    );
    assert_eq!(
        said("option: lonely\nmodel:\ntask: x\nkb: y\nuser: q\n"),
        "`model` has no value (and 2 more)"
    );
}

#[test]
fn answers_of_the_wrong_kind_are_told() {
    let mut draft = draft("import: a.md\nfile: b\nuser: q\n");
    for _ in 0..3 {
        for need in draft.needs() {
            draft.supply(need.id, Found::Schema(serde_json::json!({})));
        }
    }
    draft.supply(NeedId(99), file("nobody", "asked"));
    assert_eq!(
        told(&draft.finish().unwrap_err()),
        (
            FaultKind::Missing,
            vec![
                "`a.md` is no chat file".to_owned(),
                "`b` is not what is wanted here".to_owned()
            ]
        )
    );
}

#[test]
fn a_command_that_is_refused_or_fails_is_told() {
    let mut draft = draft("cmd: a\ncmd: b\nuser: q\n");
    let needs = draft.needs();
    draft.supply(
        needs[0].id,
        Found::Refused {
            message: "no".to_owned(),
            hint: None,
        },
    );
    draft.supply(
        needs[1].id,
        Found::Failed {
            message: "no shell".to_owned(),
            hint: None,
        },
    );
    assert!(draft.needs().is_empty());
    assert_eq!(
        told(&draft.finish().unwrap_err()),
        (
            FaultKind::Refused,
            vec!["no".to_owned(), "no shell".to_owned()]
        )
    );
}

#[test]
fn what_the_command_line_adds_is_trusted() {
    let path: Arc<Path> = Path::new("/x/chat.md").into();
    let mut chat = chat::parse("user: q\nmodel: theirs\n", &path);
    for (role, content) in [
        ("endpoint", "mine"),
        ("model", "mine"),
        ("option", "seed 1"),
    ] {
        let role = Role::from_name(role).unwrap();
        chat.messages.push(Message::new(role, content));
    }
    let rules = Rules {
        exec: Exec::Allowed,
    };
    let plan = Draft::new(chat, &path, Trust::Confined, rules)
        .finish()
        .unwrap();
    assert_eq!(plan.options.endpoint(), Some("mine"));
    assert_eq!(plan.options.model(), Some("mine"));
    assert_eq!(plan.options.get("seed").unwrap().at, Origin::Run);
}

#[test]
fn a_turn_begins_with_the_first_call() {
    let begun = |text: &str| turn_begun(&draft(text).finish().unwrap().said);
    let call = "function_call: {\"name\":\"f\",\"id\":\"1\"}\n";
    let output = "function_call_output: {\"content\":\"r\",\"id\":\"1\"}\n";
    assert!(!begun("user: q\n"));
    assert!(begun(&format!("user: q\n{call}")));
    assert!(begun(&format!("user: q\n{call}{output}")));
    assert!(!begun(&format!("user: q\n{call}{output}user: more\n")));
    assert!(!begun(&format!("user: q\n{call}user: more\n{output}")));
    assert!(!begun(
        "user: q\n\nmeta: inference_id=1 stop=error\nassistant: cut\n"
    ));
}

#[test]
fn a_record_that_is_edited_out_takes_its_mark() {
    let text =
        "user: q\n\nmeta: inference_id=1 pt_c=7\nfunction_call: {\"name\":\"f\",\"id\":\"1\"}\n";
    let marks = |text: &str| {
        let plan = draft(text).finish().unwrap();
        let marks = plan.said.iter();
        marks
            .filter(|said| matches!(said.what, Saying::Meta(_)))
            .count()
    };
    assert_eq!(marks(text), 1);
    assert_eq!(marks(&format!("{text}clear_tools:\n")), 0);
    assert_eq!(
        marks(&format!("{text}assistant: beside\nclear_tools:\n")),
        1
    );
    assert_eq!(
        marks(&format!(
            "{text}clear_tools:\nmeta: inference_id=2\nassistant: a\n"
        )),
        1
    );
}

#[test]
fn the_newest_mark_is_known_though_it_is_edited_out() {
    let text = "user: q\n\nmeta: inference_id=1 pt_c=7\nassistant: a\nclear:\nuser: more\n";
    let plan = draft(text).finish().unwrap();
    assert_eq!(plan.last_mark.unwrap().count("pt_c"), Some(7));
    assert!(
        !plan
            .said
            .iter()
            .any(|said| matches!(said.what, Saying::Meta(_)))
    );
}

#[test]
fn media_that_are_named_twice_are_asked_for_once_and_those_in_the_chat_never() {
    let mut draft = draft("image: a.png\nimage: data:,GIF89a\npdf: b.pdf\nimage: a.png\nuser: q\n");
    let asked: Vec<String> = draft
        .needs()
        .iter()
        .map(|need| format!("{:?}", need.want))
        .collect();
    assert_eq!(
        asked,
        [
            r#"Media { name: "a.png", kind: Image }"#,
            r#"Media { name: "b.pdf", kind: Pdf }"#
        ]
    );
}
