//! Plans and findings as text that people can review.

use scoutai::chat::{Diagnostic, Origin, Severity};
use scoutai::plan::{Declared, Need, Plan, Program, ToolSource, Want};
use serde_json::{Map, Value, json};

/// Names the commands that were asked for.
pub(crate) fn commands(asked: &[Need]) -> Vec<String> {
    asked
        .iter()
        .filter_map(|need| match &need.want {
            Want::Command { command, .. } => Some(command.clone()),
            Want::Chat { .. }
            | Want::File { .. }
            | Want::Directory { .. }
            | Want::Media { .. }
            | Want::Schema { .. } => None,
        })
        .collect()
}

/// Shows what a plan holds besides what is said; what is empty is left out.
pub(crate) fn plan(plan: &Plan, commands: &[String]) -> String {
    let options: Map<String, Value> = plan
        .options
        .iter()
        .map(|(name, setting)| (name.to_owned(), setting.value.clone()))
        .collect();
    let tools = list(&plan.tools, |tool| match tool {
        ToolSource::McpStdio {
            command,
            only,
            folder,
        } => json!({"command": command, "only": only, "folder": format!("{}/", folder.display())}),
    });
    let grants = list(&plan.grants, |grant| {
        json!([
            grant.path,
            format!("{:?}", grant.access),
            format!("{:?}", grant.base.trust)
        ])
    });
    let config = list(&plan.config, |entry| {
        json!([entry.key, entry.value, entry.tokens])
    });
    let programs = list(&plan.programs, |program| match program {
        Program::Command(command) => json!(command),
        Program::Server(command) => json!(command),
    });
    let parameters = Value::Object(plan.options.parameters());
    let chats: Vec<String> = plan
        .chats
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut all = Map::new();
    for (key, value) in [
        ("options", Value::Object(options)),
        ("parameters", parameters),
        ("tools", tools),
        ("grants", grants),
        ("config", config),
        ("programs", programs),
        ("chats", json!(chats)),
        ("asked", json!(commands)),
    ] {
        let empty = match &value {
            Value::Object(map) => map.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        if !empty {
            all.insert(key.to_owned(), value);
        }
    }
    if all.is_empty() {
        return String::new();
    }
    serde_json::to_string_pretty(&all).unwrap() + "\n"
}

fn list<T>(declared: &[Declared<T>], show: impl Fn(&T) -> Value) -> Value {
    declared.iter().map(|one| show(&one.value)).collect()
}

/// Shows findings, each with the text that it points at.
pub(crate) fn diagnostics(all: &[Diagnostic]) -> String {
    all.iter().map(diagnostic).collect()
}

fn diagnostic(one: &Diagnostic) -> String {
    let severity = match one.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut shown = format!("{severity}: {} [{}]\n", one.message, one.code);
    shown += &place(&one.at);
    for (at, what) in &one.also {
        shown.extend([place(at), format!("      {what}\n")]);
    }
    if let Some(hint) = &one.hint {
        shown.extend(["  = hint: ", hint, "\n"]);
    }
    shown
}

fn place(at: &Origin) -> String {
    let Origin::File { path, span } = at else {
        return "  --> the command line\n".to_owned();
    };
    let text = std::fs::read_to_string(path).unwrap();
    let line = text[..span.start].matches('\n').count() + 1;
    let pointed = &text[span.start..span.end];
    format!("  --> {}:{line} {pointed:?}\n", path.display())
}
