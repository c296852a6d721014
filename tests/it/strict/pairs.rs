//! Calls and their results where a whole turn of results answers a whole turn of calls.

use std::collections::HashSet;

use super::shape::Faults;

/// A turn, as far as pairs are concerned.
#[derive(Debug, Default)]
pub(super) struct Turn<'a> {
    /// Where it begins.
    pub(super) at: String,
    /// The ids of what it calls.
    pub(super) calls: Vec<&'a str>,
    /// The ids of what it answers.
    pub(super) results: Vec<&'a str>,
    /// Whether something else stands before one of its results.
    pub(super) results_late: bool,
}

/// Each call is answered exactly once in the turn right after it, before anything else there, and
/// nothing else is answered.
pub(super) fn check(faults: &mut Faults, turns: &[Turn<'_>]) {
    let mut seen = HashSet::new();
    for (place, turn) in turns.iter().enumerate() {
        let at = &turn.at;
        for id in &turn.calls {
            if !seen.insert(*id) {
                faults
                    .0
                    .push(format!("{at}: the id `{id}` of a call is used twice"));
            }
        }
        let next = turns.get(place + 1).map_or(&[][..], |next| &next.results);
        for id in &turn.calls {
            if !next.contains(id) {
                faults.0.push(format!(
                    "{at}: the call `{id}` has no result right after it"
                ));
            }
        }
        let asked = match place.checked_sub(1) {
            Some(before) => &turns[before].calls[..],
            None => &[],
        };
        let mut answered = HashSet::new();
        for id in &turn.results {
            if !asked.contains(id) {
                faults.0.push(format!(
                    "{at}: the result `{id}` has no call right before it"
                ));
            } else if !answered.insert(*id) {
                faults
                    .0
                    .push(format!("{at}: the call `{id}` has more than one result"));
            }
        }
        if turn.results_late {
            faults
                .0
                .push(format!("{at}: results must come before anything else"));
        }
    }
}
