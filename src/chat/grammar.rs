//! The parser that pest makes of `grammar/chat.pest`.

use pest::Parser;
use pest::iterators::Pairs;

/// Reads lines and values by the rules of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "grammar/chat.pest"]
struct Grammar;

/// Reads the start of a text by a rule; `None` when it does not fit.
pub(super) fn read(rule: Rule, text: &str) -> Option<Pairs<'_, Rule>> {
    Grammar::parse(rule, text).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::Rule;

    /// The rules by which this room starts to read, each with the file that does.
    const STARTS: [(&str, &str); 10] = [
        ("line", include_str!("lines.rs")),
        ("almost", include_str!("lint.rs")),
        ("argument", include_str!("values.rs")),
        ("pair", include_str!("values.rs")),
        ("literal", include_str!("values.rs")),
        ("meta_junk", include_str!("meta/mod.rs")),
        ("entry", include_str!("meta/mod.rs")),
        ("bare_entry", include_str!("meta/mod.rs")),
        ("meta_escape", include_str!("meta/mod.rs")),
        ("meta_number", include_str!("meta/mod.rs")),
    ];

    #[test]
    fn every_rule_is_used() {
        let rules = rules_with_what_they_use();
        let mut used = BTreeSet::new();
        let mut open: Vec<String> = Vec::new();
        for (rule, file) in STARTS {
            assert!(
                file.contains(&format!("Rule::{rule}")),
                "`{rule}` is not read"
            );
            open.push(rule.to_owned());
        }
        while let Some(rule) = open.pop() {
            if used.insert(rule.clone()) {
                open.extend(rules[&rule].iter().cloned());
            }
        }
        let all: BTreeSet<String> = Rule::all_rules()
            .iter()
            .map(|rule| format!("{rule:?}"))
            .filter(|rule| rule != "EOI")
            .collect();
        assert_eq!(used, all);
    }

    fn rules_with_what_they_use() -> BTreeMap<String, Vec<String>> {
        let mut rules: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut current = String::new();
        for line in include_str!("../../grammar/chat.pest").lines() {
            if line.starts_with("//") {
                continue;
            }
            let mut body = line;
            if let Some((name, rest)) = line.split_once('=').filter(|_| !line.starts_with(' ')) {
                name.trim().clone_into(&mut current);
                body = rest;
            }
            // Every second part between quotes is a literal; an escaped quote is no border.
            let body = body.replace(r"\\", "").replace(r#"\""#, "");
            let words = body.split('"').step_by(2).flat_map(|part| {
                part.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()))
                    .map(str::to_owned)
            });
            rules.entry(current.clone()).or_default().extend(words);
        }
        rules
    }
}
