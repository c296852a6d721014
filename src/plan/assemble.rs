//! The last step from draft to plan: what was found takes the place of what named it.

use std::collections::HashSet;

use super::arrange::Placed;
use super::bring::{Bound, mismatch};
use super::draft::{Arranged, Draft, Stage};
use super::faults::{Fault, warning};
use super::format::Format;
use super::options::Setting;
use super::setting::Assigned;
use super::source::{Made, What};
use super::{Directive, Found, Options, Plan, Said, Saying};
use crate::chat::{CallId, Meta, Role};

impl Draft {
    /// Makes the plan; it is whole when this adds no fault.
    pub(super) fn assemble(&mut self) -> Plan {
        let stage = std::mem::replace(&mut self.stage, Stage::Reading);
        let last_mark = self.last_mark();
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
            last_mark,
            chats: self.sources.imported(),
            confined: self.sources.confined(),
            warnings: std::mem::take(&mut self.warnings),
        }
    }

    fn last_mark(&self) -> Option<Meta> {
        let mut items = self.sources.get(0).items.iter().rev();
        items.find_map(|item| match &item.what {
            Ok(What::Said(Saying::Meta(meta))) if meta.is_mark() => Some(meta.clone()),
            Ok(_) | Err(_) => None,
        })
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
        // What comes after the last words of a person is still to be answered: a cut answer there
        // is asked for anew and must not be carried on as if it were the beginning of the next.
        let last_words = placed.iter().rposition(|place| {
            let item = self.sources.item(place.source, place.item);
            item.made == Made::ByOthers && brings_words(&item.what)
        });
        let open = self.open_imported_calls(placed);
        let kept: Vec<bool> = placed
            .iter()
            .enumerate()
            .map(|(at, place)| {
                let item = self.sources.item(place.source, place.item);
                // A cut text has done its work once the whole answer is there.
                let replaced =
                    item.made == Made::Cut && (Some(at) < last_answer || Some(at) > last_words);
                !place.cleared && !replaced && !open.contains(&at)
            })
            .collect();
        let emptied = self.emptied_records(placed, &kept);
        let mut bound = Bound::new(options);
        let mut said = Vec::new();
        for (at, place) in placed.iter().enumerate() {
            if open.contains(&at) && !place.cleared {
                let origin = self.sources.item(place.source, place.item).origin.clone();
                let message = "this call has no output and is left out: calls of imported files \
                               are not made";
                self.warnings.push(warning(origin, "open-call", message));
            }
            if !kept[at] || emptied.contains(&at) {
                continue;
            }
            let item = self.sources.item(place.source, place.item);
            let origin = item.origin.clone();
            match &item.what {
                Ok(What::Said(_)) => {
                    let what = self.sources.take_said(place.source, place.item);
                    said.extend(what.map(|what| Said { what, origin }));
                }
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
                    answered.insert(&output.output.id);
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

    /// Finds marks of records of which nothing is left. Such a mark goes with them: alone it would
    /// say that a model was asked and said nothing.
    fn emptied_records(&self, placed: &[Placed], kept: &[bool]) -> HashSet<usize> {
        let mut emptied = HashSet::new();
        let mut open = None;
        for (at, place) in placed.iter().enumerate() {
            let item = self.sources.item(place.source, place.item);
            if item.role == Role::Meta {
                if item.made != Made::ByOthers {
                    open = Some(at);
                }
            } else if item.made != Made::ByOthers {
                if let Some(mark) = open {
                    if kept[at] {
                        emptied.remove(&mark);
                        open = None;
                    } else {
                        emptied.insert(mark);
                    }
                }
            } else if let Ok(What::Said(_) | What::Directive(Directive::Include(_))) = &item.what {
                open = None;
            }
        }
        emptied
    }
}

/// Tells whether a message brings words of a person, or what they want looked at.
fn brings_words(what: &Result<What, Fault>) -> bool {
    match what {
        Ok(What::Said(Saying::Text { role, .. })) => *role == Role::User,
        Ok(What::Said(Saying::Media(_)) | What::Directive(Directive::Include(_))) => true,
        Ok(What::Said(_) | What::Directive(_)) | Err(_) => false,
    }
}
