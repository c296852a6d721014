//! The values of directives: words, one pair, or a typed literal.

use std::ops::Range;

use serde_json::Value;

use super::grammar::{self, Rule};

/// A word of a directive such as `Workflow task input=value "two words"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What it says: without its key, quotes undone.
    pub text: String,
    /// What stands before the `=` of `key=value`.
    pub key: Option<String>,
    /// True when the text stands in quotes.
    pub quoted: bool,
    /// Where the word stands in the value, key and quotes included.
    pub range: Range<usize>,
}

/// Why a value cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A quoted word has no end, or something stands right behind its end.
    #[error("the quote at character {} of the value does not end a word", .at + 1)]
    Quote { at: usize },
}

/// Reads a value as words between blanks. A word, or what follows its `key=`, may stand in double
/// quotes (`\"` and `\\` are escapes in it) or in single quotes.
pub fn words(text: &str) -> Result<Vec<Word>, ValueError> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        at += blanks(&text[at..]);
        if at == text.len() {
            return Ok(words);
        }
        let Some(argument) =
            grammar::read(Rule::argument, &text[at..]).and_then(|mut pairs| pairs.next())
        else {
            let quote = text[at..].find(['"', '\'']).unwrap_or(0);
            return Err(ValueError::Quote {
                at: text[..at + quote].chars().count(),
            });
        };
        let range = at..at + argument.as_str().len();
        at = range.end;
        words.push(word(argument, range));
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "pest's rules that are no part of a word"
)]
fn word(argument: pest::iterators::Pair<'_, Rule>, range: Range<usize>) -> Word {
    let mut word = Word {
        text: String::new(),
        key: None,
        quoted: false,
        range,
    };
    for part in argument.into_inner() {
        let text = part.as_str();
        match part.as_rule() {
            Rule::key => word.key = Some(text.to_owned()),
            Rule::double => {
                word.quoted = true;
                word.text = unescaped(&text[1..text.len() - 1]);
            }
            Rule::single => {
                word.quoted = true;
                text[1..text.len() - 1].clone_into(&mut word.text);
            }
            Rule::bare => text.clone_into(&mut word.text),
            _ => {}
        }
    }
    word
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\\' {
            out.push(
                characters
                    .next_if(|next| matches!(next, '"' | '\\'))
                    .unwrap_or('\\'),
            );
        } else {
            out.push(character);
        }
    }
    out
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\n']).len()
}

/// Reads the value of an option: numbers, `true`, `false`, `null` (or `nil`), JSON objects, arrays
/// and quoted strings are typed; anything else is text. So are numbers that a JSON number could
/// not hold exactly, such as `0123`.
pub fn literal(text: &str) -> Value {
    let text = text.trim_matches([' ', '\t', '\n']);
    let rule = grammar::read(Rule::literal, text)
        .and_then(|mut pairs| pairs.next())
        .map(|pair| pair.as_rule());
    let typed = match rule {
        Some(Rule::null) => Some(Value::Null),
        Some(Rule::number) => serde_json::from_str(text)
            .ok()
            .filter(|number: &Value| text.contains(['.', 'e', 'E']) || !number.is_f64()),
        Some(_) => serde_json::from_str(text).ok(),
        None => None,
    };
    typed.unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Splits a value into its first word and the rest, which may be empty; `None` when it is blank.
pub fn key_value(text: &str) -> Option<(&str, &str)> {
    let mut parts = grammar::read(Rule::pair, text)?;
    let key = parts.next()?.as_str();
    let value = parts
        .next()
        .filter(|part| part.as_rule() == Rule::rest)
        .map_or("", |rest| rest.as_str());
    Some((key, value.trim_end_matches([' ', '\t', '\n'])))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ValueError, Word, key_value, literal, words};

    fn word(text: &str, key: Option<&str>, quoted: bool, range: std::ops::Range<usize>) -> Word {
        Word {
            text: text.to_owned(),
            key: key.map(str::to_owned),
            quoted,
            range,
        }
    }

    #[test]
    fn words_are_split_at_blanks() {
        assert_eq!(
            words("  Toy greet name=\"Ann \\\"B\\\"\" n= 'a \\' \n\"x\\y\" --a=b it's"),
            Ok(vec![
                word("Toy", None, false, 2..5),
                word("greet", None, false, 6..11),
                word("Ann \"B\"", Some("name"), true, 12..28),
                word("", Some("n"), false, 29..31),
                word("a \\", None, true, 32..37),
                word("x\\y", None, true, 39..44),
                word("--a=b", None, false, 45..50),
                word("it's", None, false, 51..55),
            ])
        );
        assert_eq!(words(" \t\n"), Ok(Vec::new()));
        assert_eq!(
            words("http://x?a=b"),
            Ok(vec![word("http://x?a=b", None, false, 0..12)])
        );
    }

    #[test]
    fn a_quote_ends_its_word() {
        for (text, at) in [("é \"a", 2), ("a=\"b\"c", 2), ("'a'b", 0), ("x \"a\\\"", 2)] {
            assert_eq!(words(text), Err(ValueError::Quote { at }), "{text}");
        }
    }

    #[test]
    fn literals_are_typed() {
        for (text, value) in [
            ("1", json!(1)),
            (" -2 ", json!(-2)),
            ("0.10", json!(0.1)),
            ("1e3", json!(1000.0)),
            ("true", json!(true)),
            ("false", json!(false)),
            ("null", Value::Null),
            ("nil", Value::Null),
            ("[1, \"a\"]", json!([1, "a"])),
            ("{\"a\": {}}", json!({"a": {}})),
            ("\"1\"", json!("1")),
            ("", json!("")),
            ("0123", json!("0123")),
            ("1.", json!("1.")),
            ("+1", json!("+1")),
            ("1e999", json!("1e999")),
            (
                "123456789012345678901234567890",
                json!("123456789012345678901234567890"),
            ),
            ("True", json!("True")),
            ("[a]", json!("[a]")),
            ("\"a\" b", json!("\"a\" b")),
            ("a b c", json!("a b c")),
        ] {
            assert_eq!(literal(text), value, "{text}");
        }
    }

    #[test]
    fn a_pair_is_a_word_and_the_rest() {
        assert_eq!(key_value("temperature 0.1"), Some(("temperature", "0.1")));
        assert_eq!(key_value(" stop\n a  b \n"), Some(("stop", "a  b")));
        assert_eq!(key_value("lonely "), Some(("lonely", "")));
        assert_eq!(key_value(" \n"), None);
    }
}
