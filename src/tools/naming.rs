//! Names of tools: made to fit every provider, told apart by their source, and found again when a
//! model gets one nearly right.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::chat::ToolName;

/// The longest name that every provider takes.
const LONGEST: usize = 64;

/// How many hexadecimal digits of a hash keep shortened names apart.
const DIGITS: usize = 8;

/// The most names that are offered for one that is not there.
const OFFERED: usize = 3;

/// From this likeness on (0 to 1) a name is offered for another.
const LIKE: f64 = 0.5;

/// Gives a name that fits every provider: the name itself where it does, else one made of its
/// fitting characters and a hash of the whole, the same each time.
pub(super) fn fitting(name: &str) -> ToolName {
    if fits(name) {
        ToolName(name.to_owned())
    } else {
        hashed(name, name)
    }
}

/// Gives the name of a tool together with that of its source.
pub(super) fn qualified(source: &str, name: &str) -> ToolName {
    let whole = format!("{}__{name}", tame(source));
    if fits(&whole) {
        ToolName(whole)
    } else {
        apart(source, name)
    }
}

/// Gives a name that only this tool of this source has, for where the plainer ones are taken.
pub(super) fn apart(source: &str, name: &str) -> ToolName {
    hashed(
        &format!("{}__{name}", tame(source)),
        &format!("{source}\0{name}"),
    )
}

/// Picks the names most like one that is not there, the most like first.
pub(super) fn nearest<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a ToolName>,
) -> Vec<ToolName> {
    // Likeness is measured in time that grows with the square of the length.
    let wanted: String = wanted.chars().take(2 * LONGEST).collect();
    let mut like: Vec<(f64, &ToolName)> = names
        .map(|name| (likeness(&wanted, &name.0), name))
        .filter(|(likeness, _)| *likeness >= LIKE)
        .collect();
    like.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    like.into_iter()
        .take(OFFERED)
        .map(|(_, name)| name.clone())
        .collect()
}

fn likeness(wanted: &str, name: &str) -> f64 {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    let contained =
        wanted.len() >= 3 && name.len() >= 3 && (name.contains(&wanted) || wanted.contains(&name));
    let by_letters = strsim::normalized_damerau_levenshtein(&wanted, &name);
    let by_pairs = strsim::sorensen_dice(&wanted, &name);
    by_letters
        .max(by_pairs)
        .max(if contained { 0.9 } else { 0.0 })
}

fn fits(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(is_tame)
}

fn is_tame(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Replaces each character that a name cannot have.
fn tame(text: &str) -> String {
    text.chars()
        .map(|c| match u8::try_from(c) {
            Ok(byte) if is_tame(byte) => c,
            _ => '_',
        })
        .collect()
}

fn hashed(readable: &str, identity: &str) -> ToolName {
    let mut name = tame(readable);
    // Tame text is ASCII, so every length is a border of characters.
    name.truncate(LONGEST - DIGITS - 1);
    name.push('_');
    for byte in &Sha256::digest(identity.as_bytes())[..DIGITS / 2] {
        write!(name, "{byte:02x}").expect("a string takes all that is written");
    }
    ToolName(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_fits_stays() {
        let longest = "a".repeat(64);
        for name in ["add", "get_sites", "A-1", longest.as_str()] {
            assert_eq!(fitting(name), ToolName(name.to_owned()));
        }
    }

    #[test]
    fn odd_and_long_names_become_stable_and_different() {
        let odd = [
            "",
            "a.b/c d",
            "a_b/c d",
            "a".repeat(65).as_str(),
            "a".repeat(66).as_str(),
            "名".repeat(200).as_str(),
        ]
        .map(fitting);
        for (at, name) in odd.iter().enumerate() {
            assert!(fits(&name.0), "{name:?}");
            assert!(!odd[..at].contains(name), "{name:?} is taken");
        }
        assert_eq!(fitting("a.b/c d"), ToolName("a_b_c_d_5da27155".to_owned()));
    }

    #[test]
    fn qualified_names_fit() {
        assert_eq!(
            qualified("my server", "add"),
            ToolName("my_server__add".to_owned())
        );
        assert!(fits(&qualified(&"s".repeat(60), "add").0));
        assert_ne!(apart("a b", "add"), apart("a.b", "add"));
    }

    #[test]
    fn near_names_are_found() {
        let names = ["get_sites", "math__add", "unlike"].map(|name| ToolName(name.to_owned()));
        let near = |wanted: &str| {
            nearest(wanted, names.iter())
                .into_iter()
                .map(|name| name.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(near("list_sites"), ["get_sites"]);
        assert_eq!(near("add"), ["math__add"]);
        assert_eq!(near("GetSites"), ["get_sites"]);
        assert_eq!(near("qqq"), Vec::<String>::new());
    }
}
