//! Included files, media and command outputs: what was found becomes user text, within bounds.

use super::draft::Draft;
use super::faults::{Fault, FaultKind, warning};
use super::{Found, FoundFile, Include, NeedId, Options, Said, Saying};
use crate::chat::{self, Origin, Role};

/// How many characters one included text may have, unless `max_included_length` says otherwise.
const MAX_INCLUDED: usize = 1_000_000;

/// How many characters all included texts may have together.
const MAX_INCLUDED_IN_ALL: usize = 16_000_000;

impl Draft {
    /// Puts what was found in the place of the directive.
    pub(super) fn include(
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
            (Include::Held(media), _) | (Include::Media { .. }, Some(Found::Media(media))) => {
                say(Saying::Media(media.clone()));
            }
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
pub(super) struct Bound {
    each: usize,
    total: usize,
}

impl Bound {
    pub(super) fn new(options: &Options) -> Bound {
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
pub(super) fn mismatch(found: Option<&Found>, name: &str, at: &Origin) -> Option<Fault> {
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
    let name = chat::attribute(&file.name);
    format!(
        "<file name=\"{name}\">\n{}\n</file>",
        file.text.trim_end_matches('\n')
    )
}

fn as_output(command: &str, output: &str) -> String {
    let output = output.trim_end_matches(['\n', '\r']);
    let command = chat::attribute(command);
    format!("<cmd_output cmd=\"{command}\">\n{output}\n</cmd_output>")
}
