//! All files of a plan as one list: imports replaced by their messages, edits of the past done.

use std::collections::HashMap;
use std::rc::Rc;

use super::directive::{Clear, Directive, Gives, Take};
use super::faults::{Fault, warning};
use super::imports::{MAX_DEPTH, Sources, too_deep};
use super::source::{Item, What, brings_text};
use crate::chat::{Diagnostic, Keyword, Role};

/// How many imports one chat may have, each counted as often as it is reached.
const MAX_IMPORTS: usize = 1000;

/// How many bytes all imports together may bring in.
const MAX_IMPORTED: usize = 64_000_000;

/// One message in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) source: usize,
    pub(super) item: usize,
    /// An edit further down takes it out: nothing of it is sent or looked up.
    pub(super) cleared: bool,
}

/// Puts the messages of all files in their places. With a fault the list is of no use.
pub(super) fn arrange(
    sources: &Sources,
    faults: &mut Vec<Fault>,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<Placed> {
    let mut arranger = Arranger {
        sources,
        whole: HashMap::new(),
        way: Vec::new(),
        full: false,
        faults,
        warnings,
    };
    arranger.expand(0).placed.clone()
}

/// A file with its imports.
struct Expanded {
    placed: Vec<Placed>,
    height: usize,
    imports: usize,
    size: usize,
}

struct Arranger<'a> {
    sources: &'a Sources,
    /// Files that were expanded: an import means the same wherever it stands.
    whole: HashMap<usize, Rc<Expanded>>,
    /// The files that are being expanded, each with the import that is followed.
    way: Vec<(usize, usize)>,
    /// Too much was imported: it is told once, and nothing more is expanded.
    full: bool,
    faults: &'a mut Vec<Fault>,
    warnings: &'a mut Vec<Diagnostic>,
}

impl Arranger<'_> {
    fn expand(&mut self, source: usize) -> Rc<Expanded> {
        let sources = self.sources;
        let mut page = Page::new(sources);
        let mut height = 0;
        let mut imports = 0;
        // The main file may be as long as it likes: the bound is for what it brings in.
        let mut size = if source == 0 {
            0
        } else {
            sources.get(source).size
        };
        for (number, item) in sources.get(source).items.iter().enumerate() {
            match &item.what {
                Ok(What::Directive(Directive::Import { name, take })) => {
                    let Some(target) = sources.target(source, &item.origin, name) else {
                        continue;
                    };
                    let Some(found) = self.follow(source, number, target) else {
                        continue;
                    };
                    if self.full {
                        break;
                    }
                    height = height.max(found.height + 1);
                    imports += found.imports + 1;
                    if imports > MAX_IMPORTS || size + found.size > MAX_IMPORTED {
                        self.faults.push(too_much(item, imports));
                        self.full = true;
                        break;
                    }
                    size += found.size;
                    if !page.take(&found.placed, *take) {
                        let message = format!("`{name}` has no message to take");
                        let at = item.origin.clone();
                        self.warnings.push(warning(at, "nothing-found", message));
                    }
                }
                Ok(What::Directive(Directive::Clear(clear))) => page.clear(*clear),
                Ok(What::Directive(Directive::Nothing)) => {}
                Ok(What::Directive(_) | What::Said(_)) | Err(_) => page.placed.push(Placed {
                    source,
                    item: number,
                    cleared: false,
                }),
            }
        }
        Rc::new(Expanded {
            placed: page.placed,
            height,
            imports,
            size,
        })
    }

    /// Expands the file that an import leads to, unless that never ends.
    fn follow(&mut self, source: usize, item: usize, target: usize) -> Option<Rc<Expanded>> {
        let origin = &self.sources.item(source, item).origin;
        self.way.push((source, item));
        let start = self.way.iter().position(|(on_way, _)| *on_way == target);
        let found = if let Some(start) = start {
            let fault = self.ring(start);
            self.faults.push(fault);
            None
        } else if let Some(known) = self.whole.get(&target) {
            Some(known.clone())
        } else if self.way.len() > MAX_DEPTH {
            self.faults.push(too_deep(origin.clone()));
            None
        } else {
            let found = self.expand(target);
            self.whole.insert(target, found.clone());
            Some(found)
        };
        self.way.pop();
        let depth = self.way.len() + 1;
        match found {
            Some(found) if depth + found.height > MAX_DEPTH => {
                self.faults.push(too_deep(origin.clone()));
                None
            }
            found => found,
        }
    }

    /// Shows the files of a ring: the end of the way, from where it is entered again.
    fn ring(&self, start: usize) -> Fault {
        let ring = &self.way[start..];
        let name = |source: usize| format!("`{}`", self.sources.shown(source));
        let files: Vec<String> = ring
            .iter()
            .chain(&ring[..1])
            .map(|(source, _)| name(*source))
            .collect();
        let (last, before) = ring
            .split_last()
            .expect("the way holds the import that closes the ring");
        let at = self.sources.item(last.0, last.1).origin.clone();
        let mut fault = Fault::chat(
            at,
            "import-ring",
            format!("this import never ends: {}", files.join(" -> ")),
        )
        .hint("take one of these imports out");
        fault.diagnostic.also = before
            .iter()
            .zip(&ring[1..])
            .map(|((source, item), (next, _))| {
                let origin = self.sources.item(*source, *item).origin.clone();
                (origin, format!("imports {}", name(*next)))
            })
            .collect();
        fault
    }
}

/// The list as it grows, with how far each edit has come: no message is visited twice by edits of
/// one kind, so that a file of nothing but edits is no trap.
struct Page<'a> {
    sources: &'a Sources,
    placed: Vec<Placed>,
    done: HashMap<Clear, usize>,
}

impl<'a> Page<'a> {
    fn new(sources: &'a Sources) -> Page<'a> {
        Page {
            sources,
            placed: Vec::new(),
            done: HashMap::new(),
        }
    }

    /// Takes messages of an import; tells whether there were any, where one is wanted.
    fn take(&mut self, found: &[Placed], take: Take) -> bool {
        let item = |placed: &Placed| self.sources.item(placed.source, placed.item);
        match take {
            Take::All => {
                self.placed.extend_from_slice(found);
                true
            }
            Take::LastNonEmpty => {
                let last = found.iter().rfind(|placed| !placed.cleared);
                self.placed.extend(last);
                last.is_some()
            }
            Take::LastSaid => {
                let last = found.iter().rfind(|placed| {
                    !placed.cleared && is_said(item(placed)) && !is_record_keeping(item(placed))
                });
                self.placed.extend(last);
                last.is_some()
            }
        }
    }

    fn clear(&mut self, clear: Clear) {
        let from = self
            .done
            .insert(clear, self.placed.len())
            .unwrap_or_default();
        for placed in &mut self.placed[from..] {
            let item = self.sources.item(placed.source, placed.item);
            placed.cleared |= match clear {
                Clear::Above => is_said(item),
                Clear::Role(role) => item.role == role,
                Clear::Declared(keyword) => {
                    item.role == Role::Directive(keyword) || declares(item, keyword)
                }
                Clear::Tools => {
                    offers_tools(item)
                        || matches!(item.role, Role::FunctionCall | Role::FunctionCallOutput)
                }
            };
        }
    }
}

/// Tells whether a message is part of what is sent, or of the record of it; options, tools and
/// the like are not, and hold on.
fn is_said(item: &Item) -> bool {
    match item.role {
        Role::System
        | Role::Developer
        | Role::User
        | Role::Assistant
        | Role::FunctionCall
        | Role::FunctionCallOutput
        | Role::Reasoning
        | Role::Meta => true,
        Role::Directive(keyword) => brings_text(keyword),
    }
}

/// Tells whether a message is there for the record only.
fn is_record_keeping(item: &Item) -> bool {
    matches!(item.role, Role::Meta | Role::Reasoning)
}

fn offers_tools(item: &Item) -> bool {
    match &item.what {
        Ok(What::Directive(Directive::Mcp { .. } | Directive::WebSearch { .. })) => true,
        Ok(What::Directive(Directive::Later { gives, .. })) => *gives == Gives::Tools,
        Ok(What::Directive(_) | What::Said(_)) => false,
        Err(_) => item.role == Role::Directive(Keyword::Mcp),
    }
}

/// Tells whether an option does what a keyword does: `option: websearch true`.
fn declares(item: &Item, keyword: Keyword) -> bool {
    keyword == Keyword::Websearch
        && matches!(
            item.role,
            Role::Directive(Keyword::Option | Keyword::StickyOption)
        )
        && offers_tools(item)
}

fn too_much(item: &Item, imports: usize) -> Fault {
    let message = if imports > MAX_IMPORTS {
        format!("with this import the chat has {imports} imports, and {MAX_IMPORTS} are the most")
    } else {
        format!("with this import more than {MAX_IMPORTED} bytes are imported")
    };
    Fault::chat(item.origin.clone(), "import-size", message)
        .hint("import each file once, where it is needed")
}
