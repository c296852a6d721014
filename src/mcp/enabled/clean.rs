//! Text of a server, made safe to show: to a model as a description, to people as a message.

use serde_json::Value;

/// Takes out control characters and characters that cannot be seen, which hide instructions from
/// people; line ends and tabs stay.
pub(super) fn visible(text: &str) -> String {
    text.chars().filter(|&c| is_visible(c)).collect()
}

/// Makes text fit one line of a message: visible, blanks for line ends, not too long.
pub(super) fn line(text: &str, longest: usize) -> String {
    let text = visible(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Makes the descriptions and titles inside a schema visible.
pub(super) fn schema(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                match value {
                    Value::String(text) if field == "description" || field == "title" => {
                        *text = visible(text);
                    }
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_)
                    | Value::Object(_) => schema(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(schema),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_visible(c: char) -> bool {
    !((c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{00AD}'
                | '\u{200B}'..='\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_be_seen_goes() {
        assert_eq!(
            visible("a\u{1b}[31mb\u{200b}c\u{202e}d\u{e0041}\r\n\te名"),
            "a[31mbcd\n\te名"
        );
    }

    #[test]
    fn lines_are_one_line() {
        assert_eq!(line(" a\n\n b\tc ", 80), "a b c");
        assert_eq!(line("名名名名", 3), "名名名...");
    }

    #[test]
    fn schemas_keep_all_but_the_unseen() {
        let mut value = json!({
            "description": "a\u{200b}",
            "properties": {"description": {"title": "b\u{7}", "enum": ["c\u{7}"]}},
            "anyOf": [{"title": "d\u{7}"}],
        });
        schema(&mut value);
        assert_eq!(
            value,
            json!({
                "description": "a",
                "properties": {"description": {"title": "b", "enum": ["c\u{7}"]}},
                "anyOf": [{"title": "d"}],
            })
        );
    }
}
