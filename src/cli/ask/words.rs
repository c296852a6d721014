//! The words of `ask`: which chat, which prompt, and what stdin adds. Pure.

use std::path::PathBuf;

/// What the words of the command line come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) chat: Option<PathBuf>,
    pub(super) prompt: Option<String>,
}

/// Tells the chat from the prompt.
///
/// The first word is a chat when it ends in `.md`, `.chat` or `.txt`, when it holds a `/` and no
/// blank, or when it is the only word and names a file. A sentence such as `is 1/2 even?` in one
/// word stays a prompt.
pub(super) fn sort(
    words: Vec<String>,
    outright: Option<PathBuf>,
    is_file: impl Fn(&str) -> bool,
) -> Words {
    let mut words = words;
    let chat = outright.or_else(|| {
        let first = words.first()?;
        let named = [".md", ".chat", ".txt"]
            .iter()
            .any(|end| first.ends_with(end));
        let blank = first.contains(char::is_whitespace);
        let looks = (named || first.contains('/')) && !blank;
        let is_chat = looks || (words.len() == 1 || named || first.contains('/')) && is_file(first);
        is_chat.then(|| PathBuf::from(words.remove(0)))
    });
    let prompt = words.join(" ");
    Words {
        chat,
        prompt: (!prompt.trim().is_empty()).then_some(prompt),
    }
}

/// Puts what stdin said and the prompt together: alone each is the prompt; with both, stdin stands
/// where a lone `...` is in the prompt, or before it. What is put in is text and is not looked
/// through again.
pub(super) fn join(prompt: Option<String>, stdin: Option<String>) -> Option<String> {
    match (prompt, stdin) {
        (prompt, None) => prompt,
        (None, stdin) => stdin,
        (Some(prompt), Some(stdin)) => Some(match lone_dots(&prompt) {
            Some(at) => {
                format!("{}{}{}", &prompt[..at], stdin.trim_end(), &prompt[at + 3..])
            }
            None => format!("{}\n\n{prompt}", stdin.trim_end_matches(['\n', '\r'])),
        }),
    }
}

/// Puts a prompt into a template: where its first `???` is, or after it.
pub(super) fn fill(template: &str, prompt: Option<String>) -> String {
    let template = template.trim_end();
    match (template.find("???"), prompt) {
        (Some(at), prompt) => {
            format!(
                "{}{}{}",
                &template[..at],
                prompt.unwrap_or_default(),
                &template[at + 3..]
            )
        }
        (None, Some(prompt)) => format!("{template}\n\n{prompt}"),
        (None, None) => template.to_owned(),
    }
}

/// Finds `...` that is a word of its own.
fn lone_dots(text: &str) -> Option<usize> {
    text.match_indices("...").map(|(at, _)| at).find(|at| {
        let before = text[..*at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        let after = text[at + 3..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace);
        before && after
    })
}

#[cfg(test)]
mod tests {
    use super::{Words, fill, join, sort};

    fn sorted(words: &[&str], files: &[&str]) -> (Option<String>, Option<String>) {
        let Words { chat, prompt } = sort(
            words.iter().map(|word| (*word).to_owned()).collect(),
            None,
            |name| files.contains(&name),
        );
        (chat.map(|path| path.display().to_string()), prompt)
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "every expected value is an option"
    )]
    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_first_word_may_be_a_chat() {
        assert_eq!(sorted(&["a.md"], &[]), (some("a.md"), None));
        assert_eq!(
            sorted(&["a.chat", "why", "so?"], &[]),
            (some("a.chat"), some("why so?"))
        );
        assert_eq!(
            sorted(&["chats/a", "why?"], &[]),
            (some("chats/a"), some("why?"))
        );
        assert_eq!(sorted(&["plan"], &["plan"]), (some("plan"), None));
        assert_eq!(sorted(&["plan", "it"], &["plan"]), (None, some("plan it")));
        assert_eq!(sorted(&["why?"], &[]), (None, some("why?")));
        assert_eq!(sorted(&["is 1/2 even?"], &[]), (None, some("is 1/2 even?")));
        assert_eq!(sorted(&["what is a.md"], &[]), (None, some("what is a.md")));
        assert_eq!(
            sorted(&["my notes/a.md"], &["my notes/a.md"]),
            (some("my notes/a.md"), None)
        );
        assert_eq!(sorted(&[], &[]), (None, None));
    }

    #[test]
    fn stdin_goes_before_or_at_the_dots() {
        assert_eq!(join(some("sum up"), some("text\n")), some("text\n\nsum up"));
        assert_eq!(
            join(some("sum up ... please"), some("a ... b")),
            some("sum up a ... b please")
        );
        assert_eq!(
            join(some("well... sum up"), some("text")),
            some("text\n\nwell... sum up")
        );
        assert_eq!(join(None, some("text")), some("text"));
        assert_eq!(join(some("why?"), None), some("why?"));
    }

    #[test]
    fn a_template_takes_the_prompt_as_it_is() {
        assert_eq!(
            fill("Say ??? twice.\n", some("a ??? \\1 b")),
            "Say a ??? \\1 b twice."
        );
        assert_eq!(fill("Be short.\n", some("why?")), "Be short.\n\nwhy?");
        assert_eq!(fill("Be short.\n", None), "Be short.");
    }
}
