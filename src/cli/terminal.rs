//! What others wrote, made harmless for a terminal.
//!
//! On a terminal, text of a model, a tool, a server or a file must not move the cursor, write the
//! clipboard, make links or hide its direction. Each control character is shown as a mark instead;
//! line feeds and tabs stay.

/// Gives the text as it may be shown on a terminal.
pub(crate) fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return text.into();
    }
    text.chars().map(shown).collect::<String>().into()
}

fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || is_direction(c)
}

/// Marks of writing direction, which can make a text read as another.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{061c}')
}

fn shown(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        // The pictures of the control characters stand in their order.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        other if is_harmful(other) => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn plain_text_is_left_alone() {
        assert_eq!(harmless("péra 那 🍐\n\tend"), "péra 那 🍐\n\tend");
    }

    #[test]
    fn every_way_to_drive_a_terminal_is_shown() {
        for text in [
            "\u{1b}]52;c;eA==\u{7}",
            "\u{1b}]0;x\u{7}",
            "\u{1b}]8;;http://x\u{1b}\\",
            "\u{1b}[2J",
            "\u{1b}[10A",
            "\u{1b}c",
            "a\u{8}b",
            "a\rb",
            "\u{9b}2J",
            "\u{202e}abc",
            "\u{7f}",
        ] {
            let out = harmless(text);
            assert!(
                out.chars()
                    .all(|c| c == '\n' || c == '\t' || (!c.is_control() && c != '\u{202e}')),
                "{out:?}"
            );
        }
        assert_eq!(harmless("a\u{1b}[2J"), "a␛[2J");
    }
}
