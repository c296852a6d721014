//! Ids and names that every provider accepts, the same ones each time for the same history.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::chat::{CallId, ToolName};

/// The most characters that an id or a name may have.
const LONGEST: usize = 64;

/// Gives ids to calls: what was given does not depend on what comes later, so that a longer history
/// begins as the shorter one did and stays in the provider's cache.
#[derive(Default)]
pub(super) struct Ids {
    taken: HashSet<String>,
    /// How often an id was asked for already.
    seen: HashMap<String, usize>,
}

impl Ids {
    /// Gives the id under which a call is sent.
    pub(super) fn give(&mut self, id: &CallId) -> CallId {
        let seen = self.seen.entry(id.0.clone()).or_insert(0);
        loop {
            *seen += 1;
            let wanted = match *seen {
                1 => id.0.clone(),
                again => format!("{}_{again}", id.0),
            };
            let given = clean_id(&wanted);
            if self.taken.insert(given.clone()) {
                return CallId(given);
            }
        }
    }
}

/// Keeps an id that fits, and gives a stable other one for one that does not.
fn clean_id(id: &str) -> String {
    if fits(id) {
        return id.to_owned();
    }
    let mut given = "call_".to_owned();
    for byte in &Sha256::digest(id.as_bytes())[..12] {
        write!(given, "{byte:02x}").expect("a string takes every write");
    }
    given
}

/// Keeps a name that fits, and puts `_` for what does not.
pub(super) fn clean_name(name: &ToolName) -> ToolName {
    if fits(&name.0) {
        return name.clone();
    }
    let cleaned: String = name
        .0
        .chars()
        .map(|c| if accepted(c) { c } else { '_' })
        .take(LONGEST)
        .collect();
    ToolName(if cleaned.is_empty() {
        "tool".to_owned()
    } else {
        cleaned
    })
}

fn fits(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && text.chars().all(accepted)
}

fn accepted(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
