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
    use super::Rule;

    /// Where each rule is used: by another rule, or by a file of this room.
    const USED: [(&str, &str); 0] = [];

    #[test]
    fn every_rule_is_used() {
        let _ = (Rule::all_rules(), USED);
    }
}
