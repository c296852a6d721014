//! A chat whose directives are typed, while the world is asked for what they name.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::arrange::{Placed, arrange};
use super::directive::{ConfigEntry, Directive, Include};
use super::faults::{Fault, FaultKind, Faults};
use super::gate::Rules;
use super::imports::{Lookup, Sources};
use super::questions::{Questions, Subject};
use super::setting::Assigned;
use super::source::{Made, Source, What};
use super::standing::{Grant, Program, Standing, standing};
use super::{Declared, Found, Need, NeedId, Options, Said, ToolSource, Trust, Want};
use crate::chat::{self, Chat, Diagnostic, Meta, Origin, Severity};

/// All that a chat asks for, found: what a run needs to know.
#[derive(Debug, Clone)]
pub struct Plan {
    pub options: Options,
    /// The tools that hold at the end, in the order of their declarations.
    pub tools: Vec<Declared<ToolSource>>,
    /// What the model is to see, with the marks of records between.
    pub said: Vec<Said>,
    pub grants: Vec<Declared<Grant>>,
    pub config: Vec<Declared<ConfigEntry>>,
    /// Every program that a directive starts, commands with a pinned output among them.
    pub programs: Vec<Declared<Program>>,
    /// The newest mark of a record in the file itself, edited out or not: running sums go on from
    /// it.
    pub last_mark: Option<Meta>,
    /// The real paths of the chat files that were imported.
    pub chats: Vec<PathBuf>,
    /// The chat files that are not trusted.
    pub confined: HashSet<Arc<Path>>,
    pub warnings: Vec<Diagnostic>,
}

/// A chat whose directives are typed. It gives out what it needs and takes the answers.
///
/// ```text
/// loop { let needs = draft.needs(); if needs.is_empty() { break } for each: draft.supply(..) }
/// draft.finish()
/// ```
pub struct Draft {
    pub(super) sources: Sources,
    rules: Rules,
    questions: Questions,
    /// Commands wait here until all else is found: a chat that cannot be run runs nothing.
    commands: Vec<Need>,
    pub(super) stage: Stage,
    pub(super) faults: Vec<Fault>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// How far a draft has come.
pub(super) enum Stage {
    /// Chat files are read until none is named that was not read.
    Reading,
    /// Every message is in its place.
    Arranged(Box<Arranged>),
}

/// The messages in their places, with the need of each that has one.
#[derive(Default)]
pub(super) struct Arranged {
    pub(super) placed: Vec<Placed>,
    pub(super) standing: Standing,
    pub(super) contents: HashMap<usize, NeedId>,
    pub(super) schemas: HashMap<usize, NeedId>,
}

impl Draft {
    /// Types a chat that was read from `path`: its real path, links followed, so that an import
    /// of the file by itself is seen at once. Messages that the command line added to the chat have
    /// [`Origin::Run`] and are trusted.
    pub fn new(chat: Chat, path: &Arc<Path>, trust: Trust, rules: Rules) -> Draft {
        let mut draft = Draft {
            sources: Sources::new(Source::new(chat.messages, path.clone(), trust)),
            rules,
            questions: Questions::default(),
            commands: Vec::new(),
            stage: Stage::Reading,
            faults: Vec::new(),
            warnings: Vec::new(),
        };
        draft.note(chat.diagnostics);
        draft
    }

    /// Gives all that can be asked for now; nothing when no question is left. A need that is not
    /// answered before the next call stays open, and [`Draft::finish`] says what that means.
    pub fn needs(&mut self) -> Vec<Need> {
        self.faults.extend(self.questions.settle());
        if let Stage::Reading = self.stage {
            let lookups = self.sources.new_lookups(&mut self.faults);
            let needs = if lookups.is_empty() {
                self.arrange()
            } else {
                lookups
                    .into_iter()
                    .map(|(lookup, at)| self.ask_for_chat(lookup, at))
                    .collect()
            };
            if !needs.is_empty() {
                return needs;
            }
        }
        if self.faults.is_empty() {
            std::mem::take(&mut self.commands)
        } else {
            Vec::new()
        }
    }

    /// Takes the answer to a need.
    pub fn supply(&mut self, id: NeedId, found: Found) {
        if let Some((lookup, Found::Chat { path, text, trust })) = self.questions.answer(id, found)
        {
            self.read(lookup, path, &text, trust);
        }
    }

    /// Gives the plan, or every fault at once.
    ///
    /// Commands without an answer are no fault: the text says that they would be run. Anything
    /// else that was not answered is one.
    pub fn finish(mut self) -> Result<Plan, Faults> {
        while let Stage::Reading = self.stage {
            self.needs();
        }
        self.faults.extend(self.questions.settle());
        let plan = self.assemble();
        if self.faults.is_empty() {
            Ok(plan)
        } else {
            Err(self.into_faults())
        }
    }

    fn into_faults(self) -> Faults {
        let kind = self.faults.iter().map(|fault| fault.kind).max();
        let main = self.sources.get(0).path.clone();
        let mut diagnostics: Vec<Diagnostic> = self
            .faults
            .into_iter()
            .map(|fault| *fault.diagnostic)
            .collect();
        // People mend a file from top to bottom, and their own before those it imports.
        diagnostics.sort_by_key(|diagnostic| match &diagnostic.at {
            Origin::Run => (false, None),
            Origin::File { path, span } => (*path != main, Some((path.clone(), span.start))),
        });
        diagnostics.extend(self.warnings);
        Faults {
            kind: kind.unwrap_or(FaultKind::Chat),
            diagnostics,
        }
    }

    /// Reads a chat that was found, unless it was read before.
    fn read(&mut self, lookup: Lookup, path: PathBuf, text: &str, trust: Trust) {
        // A file that is not trusted cannot pass on more trust than it has.
        let trust = match lookup.base().trust {
            Trust::Trusted => trust,
            Trust::Confined => Trust::Confined,
        };
        let source = if let Some(source) = self.sources.known(&path, trust) {
            source
        } else {
            let path: Arc<Path> = path.into();
            let chat = chat::parse(text, &path);
            self.note(chat.diagnostics);
            let source = Source::new(chat.messages, path, trust);
            self.sources.add(&lookup, source)
        };
        self.sources.link(lookup, source);
    }

    /// Puts every message in its place and asks for what those that count need.
    fn arrange(&mut self) -> Vec<Need> {
        let known = self.faults.len();
        let placed = arrange(&self.sources, &mut self.faults, &mut self.warnings);
        if self.faults.len() > known {
            self.stage = Stage::Arranged(Box::default());
            return Vec::new();
        }
        let standing = standing(
            &self.sources,
            &placed,
            self.rules,
            &mut self.faults,
            &mut self.warnings,
        );
        let mut needs = Vec::new();
        let contents = self.ask_for_contents(&placed, &mut needs);
        let schemas = self.ask_for_schemas(&standing, &mut needs);
        self.stage = Stage::Arranged(Box::new(Arranged {
            placed,
            standing,
            contents,
            schemas,
        }));
        needs
    }

    fn ask_for_contents(
        &mut self,
        placed: &[Placed],
        needs: &mut Vec<Need>,
    ) -> HashMap<usize, NeedId> {
        // What an imported file was once answered says nothing about commands of this one.
        let last_made = placed.iter().rposition(|place| {
            let item = self.sources.item(place.source, place.item);
            place.source == 0 && item.made != Made::ByOthers
        });
        let mut contents = HashMap::new();
        let mut ordinals: HashMap<String, usize> = HashMap::new();
        let mut same: HashMap<(PathBuf, Trust, String), NeedId> = HashMap::new();
        for (at, place) in placed.iter().enumerate() {
            let item = self.sources.item(place.source, place.item);
            let Ok(What::Directive(Directive::Include(include))) = &item.what else {
                continue;
            };
            let (origin, include) = (item.origin.clone(), include.clone());
            let base = self.sources.base(place.source, &origin);
            let (subject, want) = match include {
                Include::Held(_) => continue,
                Include::File { pattern } => {
                    (Subject::Content(pattern.clone()), Want::File { pattern })
                }
                Include::Directory { name } => {
                    (Subject::Content(name.clone()), Want::Directory { name })
                }
                Include::Media { name, kind } => {
                    (Subject::Content(name.clone()), Want::Media { name, kind })
                }
                Include::Command { command } => {
                    // Those that are edited out count too, or an edit would move the pins.
                    let ordinal = ordinals.entry(command.clone()).or_default();
                    let want = Want::Command {
                        command: command.clone(),
                        ordinal: *ordinal,
                        settled: last_made > Some(at),
                    };
                    *ordinal += 1;
                    (Subject::Command, want)
                }
            };
            if place.cleared {
                continue;
            }
            let key = (base.folder.clone(), base.trust, format!("{want:?}"));
            let id = if let Some(id) = same.get(&key) {
                *id
            } else {
                let waits = matches!(subject, Subject::Command);
                let need = self.questions.ask(subject, origin, base, want);
                let id = need.id;
                if waits {
                    self.commands.push(need);
                } else {
                    needs.push(need);
                }
                same.insert(key, id);
                id
            };
            contents.insert(at, id);
        }
        contents
    }

    fn ask_for_schemas(
        &mut self,
        standing: &Standing,
        needs: &mut Vec<Need>,
    ) -> HashMap<usize, NeedId> {
        let mut schemas = HashMap::new();
        for (at, setting) in standing.settings.iter().enumerate() {
            let Assigned::SchemaFile(name) = &setting.assignment.value else {
                continue;
            };
            let want = Want::Schema { name: name.clone() };
            let need = self.questions.ask(
                Subject::Content(name.clone()),
                setting.at.clone(),
                setting.base.clone(),
                want,
            );
            schemas.insert(at, need.id);
            needs.push(need);
        }
        schemas
    }

    fn ask_for_chat(&mut self, lookup: Lookup, at: Origin) -> Need {
        let base = lookup.base();
        let want = Want::Chat {
            name: lookup.name.clone(),
        };
        self.questions.ask(Subject::Chat(lookup), at, base, want)
    }

    /// Gives what was found for a need.
    pub(super) fn found(&self, id: NeedId) -> Option<&Found> {
        self.questions.found(id)
    }

    /// Keeps what the reader of a file noticed.
    fn note(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Warning => self.warnings.push(diagnostic),
                Severity::Error => self.faults.push(Fault {
                    kind: FaultKind::Chat,
                    diagnostic: Box::new(diagnostic),
                }),
            }
        }
    }
}
