//! The chat files of a plan: each is read once, however often it is imported.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directive::Directive;
use super::faults::Fault;
use super::source::{Item, Source, What};
use super::{Base, Saying, Trust};
use crate::chat::Origin;

/// How deep imports may be nested: deeper ones are a mistake, or an attack.
pub(super) const MAX_DEPTH: usize = 100;

/// The main file, first, and all that it imports.
pub(super) struct Sources {
    list: Vec<Source>,
    /// How many imports lead to each, by the shortest way.
    depths: Vec<usize>,
    known: HashMap<(PathBuf, Trust), usize>,
    links: HashMap<Lookup, Link>,
    scanned: usize,
}

/// A name and the place from which it is looked up: equal ones mean the same file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Lookup {
    folder: PathBuf,
    trust: Trust,
    pub(super) name: String,
}

/// What a lookup led to.
enum Link {
    /// Nothing yet, from a file at this depth.
    Asked {
        depth: usize,
    },
    Found(usize),
}

impl Lookup {
    /// Gives the base from which the name is looked up.
    pub(super) fn base(&self) -> Base {
        Base {
            folder: self.folder.clone(),
            trust: self.trust,
        }
    }
}

impl Sources {
    /// Begins with the main file.
    pub(super) fn new(main: Source) -> Sources {
        let key = (main.path.to_path_buf(), main.trust);
        Sources {
            list: vec![main],
            depths: vec![0],
            known: HashMap::from([(key, 0)]),
            links: HashMap::new(),
            scanned: 0,
        }
    }

    /// Gives the source of a number that this collection gave out.
    pub(super) fn get(&self, source: usize) -> &Source {
        &self.list[source]
    }

    /// Gives one message of a source.
    pub(super) fn item(&self, source: usize, item: usize) -> &Item {
        &self.list[source].items[item]
    }

    /// Gives what a message says, as the plan keeps it. Each message of the main file has one place,
    /// so it is moved there: the file may be large. One of an import may have several.
    pub(super) fn take_said(&mut self, source: usize, item: usize) -> Option<Saying> {
        let what = &mut self.list[source].items[item].what;
        if source != 0 {
            return match what {
                Ok(What::Said(saying)) => Some(saying.clone()),
                Ok(What::Directive(_)) | Err(_) => None,
            };
        }
        match std::mem::replace(what, Ok(What::Directive(Directive::Nothing))) {
            Ok(What::Said(saying)) => Some(saying),
            Ok(What::Directive(_)) | Err(_) => None,
        }
    }

    /// Gives the paths of all that was imported, in the order in which it was read.
    pub(super) fn imported(&self) -> Vec<PathBuf> {
        let mut seen = HashSet::new();
        self.list[1..]
            .iter()
            .filter(|source| seen.insert(source.path.clone()))
            .map(|source| source.path.to_path_buf())
            .collect()
    }

    /// Gives the base from which a message looks names up. What the command line added is the
    /// user's own, whoever owns the file.
    pub(super) fn base(&self, source: usize, origin: &Origin) -> Base {
        let source = &self.list[source];
        Base {
            folder: source.folder(),
            trust: match origin {
                Origin::Run => Trust::Trusted,
                Origin::File { .. } => source.trust,
            },
        }
    }

    /// Gives the files that are not trusted, those among them that are trusted elsewhere.
    pub(super) fn confined(&self) -> HashSet<Arc<Path>> {
        let mut confined = HashSet::new();
        for source in &self.list {
            match source.trust {
                Trust::Confined => {
                    confined.insert(Arc::clone(&source.path));
                }
                Trust::Trusted => {}
            }
        }
        confined
    }

    /// Gives the lookups of sources that were added since, each once, with its first place.
    pub(super) fn new_lookups(&mut self, faults: &mut Vec<Fault>) -> Vec<(Lookup, Origin)> {
        let mut fresh = Vec::new();
        for source in self.scanned..self.list.len() {
            let depth = self.depths[source];
            for item in &self.list[source].items {
                let Ok(What::Directive(Directive::Import { name, .. })) = &item.what else {
                    continue;
                };
                let lookup = self.lookup(source, &item.origin, name);
                if self.links.contains_key(&lookup) {
                    continue;
                }
                if depth >= MAX_DEPTH {
                    faults.push(too_deep(item.origin.clone()));
                    continue;
                }
                self.links.insert(lookup.clone(), Link::Asked { depth });
                fresh.push((lookup, item.origin.clone()));
            }
        }
        self.scanned = self.list.len();
        fresh
    }

    /// Finds a file that was read before.
    pub(super) fn known(&self, path: &Path, trust: Trust) -> Option<usize> {
        self.known.get(&(path.to_path_buf(), trust)).copied()
    }

    /// Adds the file that a lookup led to.
    pub(super) fn add(&mut self, lookup: &Lookup, source: Source) -> usize {
        let number = self.list.len();
        let depth = match self.links.get(lookup) {
            Some(Link::Asked { depth }) => depth + 1,
            Some(Link::Found(_)) | None => 1,
        };
        self.known
            .insert((source.path.to_path_buf(), source.trust), number);
        self.list.push(source);
        self.depths.push(depth);
        number
    }

    /// Notes to which source a lookup led.
    pub(super) fn link(&mut self, lookup: Lookup, source: usize) {
        self.links.insert(lookup, Link::Found(source));
    }

    /// Gives the source that an import leads to, when it was found.
    pub(super) fn target(&self, source: usize, origin: &Origin, name: &str) -> Option<usize> {
        match self.links.get(&self.lookup(source, origin, name)) {
            Some(Link::Found(target)) => Some(*target),
            Some(Link::Asked { .. }) | None => None,
        }
    }

    /// Gives the path of a source as people name it: from the folder of the main file on, where it
    /// lies below that.
    pub(super) fn shown(&self, source: usize) -> String {
        let path: &Arc<Path> = &self.list[source].path;
        let below = path.strip_prefix(self.list[0].folder()).unwrap_or(path);
        below.display().to_string()
    }

    fn lookup(&self, source: usize, origin: &Origin, name: &str) -> Lookup {
        let base = self.base(source, origin);
        Lookup {
            folder: base.folder,
            trust: base.trust,
            name: name.to_owned(),
        }
    }
}

/// Makes the fault of an import that is nested too deep.
pub(super) fn too_deep(at: Origin) -> Fault {
    Fault::chat(
        at,
        "import-depth",
        format!("this import is nested more than {MAX_DEPTH} deep"),
    )
    .hint("import what is needed from the main file")
}
