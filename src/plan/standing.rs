//! What holds at the end of a chat: options, tools, grants, and the faults on the way.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::arrange::Placed;
use super::directive::{Access, ConfigEntry, Directive, Include};
use super::faults::{Fault, warning};
use super::gate::{self, Rules};
use super::imports::Sources;
use super::options::is_idle;
use super::setting::{Assigned, Assignment, Hold};
use super::source::{Made, What};
use super::{Base, Declared, ToolSource};
use crate::chat::{Diagnostic, Origin};

/// A path that tools may use, looked up from its base.
#[derive(Debug, Clone)]
pub struct Grant {
    pub path: String,
    pub access: Access,
    pub base: Base,
}

/// A program that a directive starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A shell command: `cmd`.
    Command(String),
    /// A server of tools, and its arguments: `mcp: stdio`.
    Server(Vec<String>),
}

/// What holds at the end.
#[derive(Default)]
pub(super) struct Standing {
    pub(super) settings: Vec<Standard>,
    pub(super) tools: Vec<Declared<ToolSource>>,
    pub(super) grants: Vec<Declared<Grant>>,
    pub(super) config: Vec<Declared<ConfigEntry>>,
    pub(super) programs: Vec<Declared<Program>>,
    servers: HashSet<ToolSource>,
}

/// One option that holds.
#[derive(Clone)]
pub(super) struct Standard {
    pub(super) assignment: Assignment,
    pub(super) at: Origin,
    pub(super) base: Base,
}

/// Works out what holds at the end, and finds every fault of the messages that count.
pub(super) fn standing(
    sources: &Sources,
    placed: &[Placed],
    rules: Rules,
    faults: &mut Vec<Fault>,
    warnings: &mut Vec<Diagnostic>,
) -> Standing {
    let mut standing = Standing::default();
    let mut ledger = Ledger::default();
    for place in placed {
        let item = sources.item(place.source, place.item);
        if item.made == Made::Answer {
            ledger.answered();
        }
        if let Ok(What::Said(_)) = &item.what {
            continue;
        }
        let base = sources.base(place.source, &item.origin);
        let file = || sources.shown(place.source);
        if let Some(fault) = gate::refused_by_trust(item, base.trust, file) {
            faults.push(fault);
        } else if place.cleared {
            // What was edited out harms nobody, and asks for nothing.
        } else if let Some(fault) = gate::refused_by_rules(item, rules) {
            faults.push(fault);
        } else {
            match &item.what {
                Err(fault) => faults.push(fault.clone()),
                Ok(What::Said(_)) => {}
                Ok(What::Directive(directive)) => {
                    let at = item.origin.clone();
                    match directive {
                        Directive::Later { what, .. } => faults.push(gate::not_built(item, what)),
                        Directive::Set(assignment) => ledger.set(Standard {
                            assignment: assignment.clone(),
                            at,
                            base,
                        }),
                        Directive::WebSearch { hold } => ledger.set(Standard {
                            assignment: Assignment {
                                key: "websearch".to_owned(),
                                value: Assigned::Value(Value::Bool(true)),
                                hold: *hold,
                            },
                            at,
                            base,
                        }),
                        Directive::Config(entry) => standing.config.push(Declared {
                            value: entry.clone(),
                            at,
                        }),
                        Directive::Mcp { command, only } => {
                            standing.server(command, only, base, at);
                        }
                        Directive::Grant { path, access } => standing.grants.push(Declared {
                            value: Grant {
                                path: path.clone(),
                                access: *access,
                                base,
                            },
                            at,
                        }),
                        Directive::Include(Include::Command { command }) => {
                            standing.programs.push(Declared {
                                value: Program::Command(command.clone()),
                                at,
                            });
                        }
                        // The world is asked for the first; the others did their work when the
                        // messages were put in their places.
                        Directive::Include(_)
                        | Directive::Import { .. }
                        | Directive::Clear(_)
                        | Directive::Nothing => {}
                    }
                }
            }
        }
    }
    standing.settings = ledger.settings();
    for setting in &standing.settings {
        review(setting, faults, warnings);
    }
    standing
}

impl Standing {
    /// Declares a server, once however often its file is imported.
    fn server(&mut self, command: &[String], only: &[String], base: Base, at: Origin) {
        let value = ToolSource::McpStdio {
            command: command.to_vec(),
            only: only.to_vec(),
            folder: base.folder,
        };
        if !self.servers.insert(value.clone()) {
            return;
        }
        self.programs.push(Declared {
            value: Program::Server(command.to_vec()),
            at: at.clone(),
        });
        self.tools.push(Declared { value, at });
    }
}

/// Looks at an option that holds: only what holds can be asked of features that are not built.
fn review(setting: &Standard, faults: &mut Vec<Fault>, warnings: &mut Vec<Diagnostic>) {
    let Assigned::Value(value) = &setting.assignment.value else {
        return;
    };
    let key = setting.assignment.key.as_str();
    match (key, value) {
        (_, Value::Null) => {}
        ("agent", Value::String(_)) | ("persist", Value::Bool(true)) => faults.push(
            Fault::chat(
                setting.at.clone(),
                "not-built",
                format!("`{key}` is not built yet"),
            )
            .hint("take it out, or put it below `skip:`"),
        ),
        _ if is_idle(key) => warnings.push(warning(
            setting.at.clone(),
            "no-effect",
            format!("option `{key}` has no effect"),
        )),
        (_, Value::String(text)) if text.is_empty() => warnings.push(warning(
            setting.at.clone(),
            "no-value",
            format!("option `{key}` has no value, and counts as an empty text"),
        )),
        _ => {}
    }
}

/// Options as they come and go.
#[derive(Default)]
struct Ledger {
    rows: Vec<Row>,
    by_key: HashMap<String, usize>,
    /// Rows that the next answer changes.
    passing: Vec<usize>,
}

#[derive(Default)]
struct Row {
    sticky: Option<Standard>,
    passing: Option<Standard>,
}

impl Ledger {
    fn set(&mut self, standard: Standard) {
        let key = &standard.assignment.key;
        let next = self.rows.len();
        let row = *self.by_key.entry(key.clone()).or_insert(next);
        if row == next {
            self.rows.push(Row::default());
        }
        match standard.assignment.hold {
            Hold::UntilAnswer => {
                self.rows[row].passing = Some(standard);
                self.passing.push(row);
            }
            // The later line counts, so it also ends what was to hold until the next answer.
            Hold::Sticky => {
                self.rows[row] = Row {
                    sticky: Some(standard),
                    passing: None,
                };
            }
        }
    }

    fn answered(&mut self) {
        for row in self.passing.drain(..) {
            self.rows[row].passing = None;
        }
    }

    fn settings(self) -> Vec<Standard> {
        self.rows
            .into_iter()
            .filter_map(|row| row.passing.or(row.sticky))
            .collect()
    }
}
