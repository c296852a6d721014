//! The lines that are more than text, found in one pass over the file.

use super::Role;
use super::grammar::{self, Rule};

/// A line that is more than text, outside of any region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Where it starts.
    pub start: usize,
    /// Where its text ends: before the line end and each CR before that.
    pub end: usize,
    /// Where the next line starts.
    pub next: usize,
    pub form: Form<'t>,
}

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form<'t> {
    /// The value has no blanks around it; it is empty in block form.
    Header {
        role: Role,
        value: &'t str,
    },
    /// The header that starts a record: `meta: ... inference_id=...`.
    Mark {
        value: &'t str,
    },
    Escape,
    Fence(Fence),
    Element {
        name: &'t str,
    },
    BracketsOpen,
    BracketsClose,
    OutputOpen {
        word: &'t str,
        command: &'t str,
    },
    OutputClose {
        word: &'t str,
    },
}

/// A line that opens a fence, and closes one when it is bare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    pub mark: Mark,
    pub length: usize,
    pub bare: bool,
}

/// What a fence is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Backtick,
    Tilde,
}

impl Mark {
    /// Gives the character.
    pub(super) fn character(self) -> &'static str {
        match self {
            Mark::Backtick => "`",
            Mark::Tilde => "~",
        }
    }
}

impl Form<'_> {
    /// Tells whether a text line of this form has to be escaped where no region protects it.
    pub(super) fn is_special(&self) -> bool {
        match self {
            Form::Header { .. }
            | Form::Mark { .. }
            | Form::Escape
            | Form::Fence(_)
            | Form::Element { .. }
            | Form::BracketsOpen
            | Form::OutputOpen { .. } => true,
            Form::BracketsClose | Form::OutputClose { .. } => false,
        }
    }
}

/// Finds every line of `text[from..]` that is more than text.
pub(super) fn special_lines(text: &str, from: usize) -> Vec<Line<'_>> {
    let mut found = Vec::new();
    let mut start = from;
    while start < text.len() {
        let (end, next) = line_at(text, start);
        if let Some(form) = form_of(&text[start..end]) {
            found.push(Line {
                start,
                end,
                next,
                form,
            });
        }
        start = next;
    }
    found
}

/// Gives where the text of the line at `start` ends, and where the next line starts. Each CR
/// before the line end, or before the end of the file, belongs to the line end.
pub(super) fn line_at(text: &str, start: usize) -> (usize, usize) {
    let rest = &text[start..];
    let (line, next) = match rest.find('\n') {
        Some(at) => (&rest[..at], start + at + 1),
        None => (rest, text.len()),
    };
    (start + line.trim_end_matches('\r').len(), next)
}

/// Tells what a line (without its line end) looks like; `None` when it is text.
pub(super) fn form_of(line: &str) -> Option<Form<'_>> {
    if may_be_special(line) {
        form_by_grammar(line)
    } else {
        None
    }
}

fn form_by_grammar(line: &str) -> Option<Form<'_>> {
    let pair = grammar::read(Rule::line, line)?.next()?;
    let text = pair.as_str();
    let kind = pair.as_rule();
    let mut parts = pair.into_inner();
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "pest's rules that are no form of a line"
    )]
    match kind {
        Rule::escape => {
            // Whether the word of a header is a role, and whether an element is closed on its
            // line, is known only after a second look at what stands behind the backslashes.
            form_of(line.trim_start_matches('\\'))?;
            Some(Form::Escape)
        }
        Rule::header => {
            let role = Role::from_name(parts.next()?.as_str())?;
            let value = value_of(parts.next().map_or("", |rest| rest.as_str()));
            if role == Role::Meta && super::meta::names_a_record(value) {
                Some(Form::Mark { value })
            } else {
                Some(Form::Header { role, value })
            }
        }
        Rule::fence => {
            let run = parts.next()?;
            Some(Form::Fence(Fence {
                mark: if run.as_rule() == Rule::backticks {
                    Mark::Backtick
                } else {
                    Mark::Tilde
                },
                length: run.as_str().len(),
                bare: !parts
                    .next()
                    .is_some_and(|part| matches!(part.as_rule(), Rule::no_tick | Rule::info)),
            }))
        }
        Rule::element => {
            let name = parts.next()?.as_str();
            let closed = text.ends_with("/>") || line.ends_with("/>");
            let own_close = line.contains(&format!("</{name}>"));
            (!closed && !own_close).then_some(Form::Element { name })
        }
        Rule::brackets_open => Some(Form::BracketsOpen),
        Rule::brackets_close => Some(Form::BracketsClose),
        Rule::output_open => Some(Form::OutputOpen {
            word: parts.next()?.as_str(),
            command: parts.next()?.as_str(),
        }),
        Rule::output_close => Some(Form::OutputClose {
            word: parts.next()?.as_str(),
        }),
        _ => None,
    }
}

/// Gives an inline value without the blanks around it. A CR at the end of a value would be part
/// of a line end when the value is written, so it goes too.
pub(super) fn value_of(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
        .trim_end_matches([' ', '\t', '\r'])
}

/// Tells whether a line is nothing but blanks.
pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Passes over most lines of prose without asking the grammar: no line that the grammar calls
/// more than text is refused here, which a test checks.
fn may_be_special(text: &str) -> bool {
    let line = text.as_bytes();
    match line {
        [b'\\' | b'`' | b'~' | b'[' | b']', ..] => true,
        [b'<', next, ..] => next.is_ascii_alphabetic() || *next == b'_',
        [b' ' | b'\t', ..] => line
            .iter()
            .find(|byte| !matches!(byte, b' ' | b'\t'))
            .is_some_and(|byte| matches!(byte, b'`' | b'~')),
        _ => {
            let word = line
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
                .count();
            match &line[word..] {
                [b':'] | [b':', b' ' | b'\t', ..] => Role::from_name(&text[..word]).is_some(),
                [b':', b'-', b'-', ..] => true,
                _ => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::{Fence, Form, Mark, form_by_grammar, form_of};
    use crate::chat::{Keyword, Role};

    #[test]
    fn lines_have_the_form_that_the_format_gives_them() {
        let fence = |mark, length, bare| Form::Fence(Fence { mark, length, bare });
        let header = |role, value| Form::Header { role, value };
        let cases = [
            ("user:", Some(header(Role::User, ""))),
            ("user: \t ", Some(header(Role::User, ""))),
            ("user:\t a b ", Some(header(Role::User, "a b"))),
            (
                "file: a: b",
                Some(header(Role::Directive(Keyword::File), "a: b")),
            ),
            ("user:x", None),
            ("User: x", None),
            (" user: x", None),
            ("note: x", None),
            ("meta: pt=1", Some(header(Role::Meta, "pt=1"))),
            (
                "meta: inference_id=1",
                Some(Form::Mark {
                    value: "inference_id=1",
                }),
            ),
            ("\\user:", Some(Form::Escape)),
            ("\\\\\\user: x", Some(Form::Escape)),
            ("\\note: x", None),
            ("\\", None),
            ("\\ user:", None),
            ("\\  ```", Some(Form::Escape)),
            ("\\<p>", Some(Form::Escape)),
            ("\\<p></p>", None),
            ("\\]]", None),
            ("```", Some(fence(Mark::Backtick, 3, true))),
            (" \t```` \t", Some(fence(Mark::Backtick, 4, true))),
            ("```ruby x", Some(fence(Mark::Backtick, 3, false))),
            ("```a`b", None),
            ("``", None),
            ("~~~ a`b~", Some(fence(Mark::Tilde, 3, false))),
            ("~~~~~", Some(fence(Mark::Tilde, 5, true))),
            ("<p>", Some(Form::Element { name: "p" })),
            ("<a.b:c-d e='f'> g", Some(Form::Element { name: "a.b:c-d" })),
            ("<p>x</p>", None),
            ("<p>x</q>", Some(Form::Element { name: "p" })),
            ("<p/>", None),
            ("<p />", None),
            ("<p /> x", None),
            ("<p><br/>", None),
            ("<p", None),
            ("<p a", None),
            (" <p>", None),
            ("<1>", None),
            ("[[", Some(Form::BracketsOpen)),
            ("[[ ", None),
            ("]]", Some(Form::BracketsClose)),
            (
                "sh:-- ls -l {{{",
                Some(Form::OutputOpen {
                    word: "sh",
                    command: "ls -l",
                }),
            ),
            (
                ":--\ta {{{ b  {{{ ",
                Some(Form::OutputOpen {
                    word: "",
                    command: "a {{{ b",
                }),
            ),
            ("sh:-- {{{", None),
            ("sh:--ls {{{", None),
            ("sh:-- ls {{{ x", None),
            ("sh:-- }}}", Some(Form::OutputClose { word: "sh" })),
            ("sh:-- a b }}} ", Some(Form::OutputClose { word: "sh" })),
            ("sh:-- a}}}", None),
        ];
        for (line, form) in cases {
            assert_eq!(form_of(line), form, "{line:?}");
        }
    }

    proptest! {
        #[test]
        fn no_special_line_is_passed_over(
            line in "[ \\t]{0,2}(\\\\){0,2}(user|file|meta|a|_)?[:<`~\\[\\]]{0,4}[-a-z>{} ]{0,6}[ {}]{0,5}"
        ) {
            assert_eq!(form_of(&line), form_by_grammar(&line));
        }
    }
}
