//! The last step from draft to plan: what was found takes the place of what named it.

use std::collections::HashSet;

use super::arrange::Placed;
use super::draft::{Arranged, Draft, Stage};
use super::faults::{Fault, FaultKind, warning};
use super::format::Format;
use super::options::Setting;
use super::setting::Assigned;
use super::source::{Made, What};
use super::{Directive, Found, FoundFile, Include, NeedId, Options, Plan, Said, Saying};
use crate::chat::{CallId, Origin, Role};

/// How many characters one included text may have, unless `max_included_length` says otherwise.
const MAX_INCLUDED: usize = 1_000_000;

/// How many characters all included texts may have together.
const MAX_INCLUDED_IN_ALL: usize = 16_000_000;

impl Draft {
    /// Makes the plan; it is whole when this adds no fault.
    pub(super) fn assemble(&mut self) -> Plan {
        let stage = std::mem::replace(&mut self.stage, Stage::Reading);
        let (arranged, said, options) = match stage {
            Stage::Arranged(arranged) => {
                let options = self.options(&arranged);
                let said = self.said(&arranged, &options);
                (arranged, said, options)
            }
            Stage::Reading => (Box::default(), Vec::new(), Options::default()),
        };
        Plan {
            options,
            said,
            tools: arranged.standing.tools,
            grants: arranged.standing.grants,
            config: arranged.standing.config,
            programs: arranged.standing.programs,
            chats: self.sources.imported(),
            warnings: std::mem::take(&mut self.warnings),
        }
    }

    fn options(&mut self, arranged: &Arranged) -> Options {
        let mut settings = Vec::new();
        for (at, standard) in arranged.standing.settings.iter().enumerate() {
            let value = match &standard.assignment.value {
                Assigned::Value(value) => value.clone(),
                Assigned::SchemaFile(name) => {
                    let id = arranged.schemas.get(&at);
                    match id.and_then(|id| self.found(*id)) {
                        Some(Found::Schema(value)) => {
                            match Format::schema(value.clone(), &standard.at) {
                                Ok(schema) => schema,
                                Err(fault) => {
                                    self.faults.push(fault);
                                    continue;
                                }
                            }
                        }
                        found => {
                            let fault = mismatch(found, name, &standard.at);
                            self.faults.extend(fault);
                            continue;
                        }
                    }
                }
            };
            settings.push((
                standard.assignment.key.clone(),
                Setting {
                    value,
                    at: standard.at.clone(),
                    hold: standard.assignment.hold,
                },
            ));
        }
        Options::of(settings)
    }

    fn said(&mut self, arranged: &Arranged, options: &Options) -> Vec<Said> {
        let placed = &arranged.placed;
        let last_answer = placed
            .iter()
            .rposition(|place| self.sources.item(place.source, place.item).made == Made::Answer);
        let open = self.open_imported_calls(placed);
        let mut bound = Bound::new(options);
        let mut said = Vec::new();
        for (at, place) in placed.iter().enumerate() {
            if place.cleared {
                continue;
            }
            let item = self.sources.item(place.source, place.item);
            let origin = item.origin.clone();
            match &item.what {
                // A cut text has done its work once the whole answer is there.
                Ok(What::Said(_)) if item.made == Made::Cut && Some(at) < last_answer => {}
                Ok(What::Said(_)) if open.contains(&at) => self.warnings.push(warning(
                    origin,
                    "open-call",
                    "this call has no output and is left out: calls of imported files are not made",
                )),
                Ok(What::Said(what)) => said.push(Said {
                    what: what.clone(),
                    origin,
                }),
                Ok(What::Directive(Directive::Include(include))) => {
                    let include = include.clone();
                    let need = arranged.contents.get(&at).copied();
                    self.include(&include, need, &origin, &mut bound, &mut said);
                }
                Ok(What::Directive(_)) | Err(_) => {}
            }
        }
        said
    }

    /// Finds calls of imported files that no output follows. To make them would let whoever wrote
    /// the file choose what the user's tools do.
    fn open_imported_calls(&self, placed: &[Placed]) -> HashSet<usize> {
        let mut answered: HashSet<&CallId> = HashSet::new();
        let mut open = HashSet::new();
        for (at, place) in placed.iter().enumerate().rev() {
            let item = self.sources.item(place.source, place.item);
            match &item.what {
                Ok(What::Said(Saying::Output(output))) => {
                    answered.insert(&output.id);
                }
                Ok(What::Said(Saying::Call(call)))
                    if place.source != 0 && !answered.contains(&call.id) =>
                {
                    open.insert(at);
                }
                Ok(_) | Err(_) => {}
            }
        }
        open
    }

    /// Puts what was found in the place of the directive.
    fn include(
        &mut self,
        include: &Include,
        need: Option<NeedId>,
        origin: &Origin,
        bound: &mut Bound,
        said: &mut Vec<Said>,
    ) {
        let found = need.and_then(|id| self.found(id));
        let mut faults = Vec::new();
        let mut warnings = Vec::new();
        let mut say = |what| {
            said.push(Said {
                what,
                origin: origin.clone(),
            });
        };
        let text = |text| Saying::Text {
            role: Role::User,
            text,
        };
        match (include, found) {
            (
                Include::File { pattern: name } | Include::Directory { name },
                Some(Found::Files { files, skipped }),
            ) => {
                if files.is_empty() {
                    let message = format!("`{name}` brings in no text file");
                    warnings.push(warning(origin.clone(), "nothing-found", message));
                }
                for file in files {
                    match bound.check(&file.name, &file.text, origin) {
                        Some(fault) => faults.push(fault),
                        None => say(text(as_file(file))),
                    }
                }
                for (name, reason) in skipped {
                    let message = format!("`{name}` is passed over: {reason}");
                    warnings.push(warning(origin.clone(), "passed-over", message));
                }
            }
            (Include::Media { .. }, Some(Found::Media(media))) => say(Saying::Media(media.clone())),
            (Include::Command { command }, Some(Found::Command { output })) => {
                match bound.check(command, output, origin) {
                    Some(fault) => faults.push(fault),
                    None => say(text(as_output(command, output))),
                }
            }
            (Include::Command { command }, None) => {
                let note = format!("(would run: {command})");
                say(text(as_output(command, &note)));
            }
            (
                Include::File { pattern: name }
                | Include::Directory { name }
                | Include::Media { name, .. }
                | Include::Command { command: name },
                found,
            ) => faults.extend(mismatch(found, name, origin)),
        }
        self.faults.extend(faults);
        self.warnings.extend(warnings);
    }
}

/// What was brought in so far, and how much may be.
struct Bound {
    each: usize,
    total: usize,
}

impl Bound {
    fn new(options: &Options) -> Bound {
        let each = options
            .count("max_included_length")
            .and_then(|count| usize::try_from(count).ok());
        Bound {
            each: each.unwrap_or(MAX_INCLUDED),
            total: 0,
        }
    }

    fn check(&mut self, name: &str, text: &str, at: &Origin) -> Option<Fault> {
        let length = text.chars().count();
        let before = self.total;
        self.total += length;
        let (message, hint) = if length > self.each {
            (
                format!(
                    "`{name}` has {length} characters, {} more than the {} that one included text \
                     may have",
                    length - self.each,
                    self.each,
                ),
                "include less, or raise `option: max_included_length N`",
            )
        } else if self.total > MAX_INCLUDED_IN_ALL && before <= MAX_INCLUDED_IN_ALL {
            (
                format!(
                    "with `{name}` the included texts have {} characters, {} more than the \
                     {MAX_INCLUDED_IN_ALL} that they may have together",
                    self.total,
                    self.total - MAX_INCLUDED_IN_ALL,
                ),
                "include less",
            )
        } else {
            return None;
        };
        Some(Fault::chat(at.clone(), "too-long", message).hint(hint))
    }
}

/// Tells of an answer of the wrong kind; one that failed or was refused has its fault already.
fn mismatch(found: Option<&Found>, name: &str, at: &Origin) -> Option<Fault> {
    match found {
        None | Some(Found::Failed { .. } | Found::Refused { .. }) => None,
        Some(
            Found::Chat { .. }
            | Found::Files { .. }
            | Found::Media(_)
            | Found::Schema(_)
            | Found::Command { .. },
        ) => Some(Fault::new(
            FaultKind::Missing,
            at.clone(),
            "missing",
            format!("`{name}` is not what is wanted here"),
        )),
    }
}

fn as_file(file: &FoundFile) -> String {
    let name = attribute(&file.name);
    format!("<file name=\"{name}\">\n{}\n</file>", file.text)
}

fn as_output(command: &str, output: &str) -> String {
    let output = output.trim_end_matches(['\n', '\r']);
    let command = attribute(command);
    format!("<cmd_output cmd=\"{command}\">\n{output}\n</cmd_output>")
}

/// Escapes text for the value of an attribute on one line.
fn attribute(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            _ => escaped.push(c),
        }
    }
    escaped
}
