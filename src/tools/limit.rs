//! How much of an output a model is shown.

/// The most characters of an output that go into the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimit {
    pub max_chars: usize,
}

impl Default for OutputLimit {
    fn default() -> OutputLimit {
        OutputLimit { max_chars: 100_000 }
    }
}

/// What is left of an output that is too long: its start and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut<'a> {
    pub head: &'a str,
    pub tail: &'a str,
    /// How many characters the whole has.
    pub total_chars: usize,
    /// How many of them are neither in the head nor in the tail.
    pub left_out: usize,
}

impl OutputLimit {
    /// Cuts what is longer than the limit, between characters; gives nothing for what fits.
    ///
    /// Three quarters of what is kept come from the start and one from the end, where programs
    /// put their conclusions.
    pub fn cut(self, content: &str) -> Option<Cut<'_>> {
        // No text has more characters than bytes.
        if content.len() <= self.max_chars {
            return None;
        }
        let total_chars = content.chars().count();
        if total_chars <= self.max_chars {
            return None;
        }
        let tail_chars = self.max_chars / 4;
        let head_chars = self.max_chars - tail_chars;
        Some(Cut {
            head: &content[..start_of(content, head_chars)],
            tail: &content[start_of_last(content, tail_chars)..],
            total_chars,
            left_out: total_chars - self.max_chars,
        })
    }
}

impl Cut<'_> {
    /// Gives the text for the model: head, what is missing and where the whole is kept, tail.
    pub fn text(&self, kept_at: &str) -> String {
        let Cut {
            head,
            tail,
            total_chars,
            left_out,
        } = self;
        format!(
            "{head}\n\n[{left_out} of {total_chars} characters are left out here; \
             the whole output is in the file `{kept_at}`]\n\n{tail}"
        )
    }
}

/// Gives the byte at which the character of this number starts.
fn start_of(content: &str, chars: usize) -> usize {
    content
        .char_indices()
        .nth(chars)
        .map_or(content.len(), |(at, _)| at)
}

/// Gives the byte at which the last so many characters start.
fn start_of_last(content: &str, chars: usize) -> usize {
    match chars.checked_sub(1) {
        None => content.len(),
        Some(before) => content
            .char_indices()
            .rev()
            .nth(before)
            .map_or(0, |(at, _)| at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_not_cut() {
        let limit = OutputLimit { max_chars: 4 };
        for content in ["", "abcd", "────"] {
            assert_eq!(limit.cut(content), None);
        }
        assert_eq!(OutputLimit::default().cut(&"─".repeat(100_000)), None);
    }

    #[test]
    fn a_cut_keeps_both_ends() {
        assert_eq!(
            OutputLimit { max_chars: 8 }.cut("0123456789"),
            Some(Cut {
                head: "012345",
                tail: "89",
                total_chars: 10,
                left_out: 2,
            })
        );
        assert_eq!(
            OutputLimit { max_chars: 0 }.cut("ab"),
            Some(Cut {
                head: "",
                tail: "",
                total_chars: 2,
                left_out: 2,
            })
        );
    }

    #[test]
    fn cuts_fall_between_characters() {
        let limit = OutputLimit { max_chars: 10_000 };
        for shift in 0..4 {
            let content = format!("{}{}", "a".repeat(shift), "─".repeat(50_000));
            let cut = limit.cut(&content).unwrap();
            assert_eq!(cut.head.chars().count(), 7500);
            assert_eq!(cut.tail.chars().count(), 2500);
            assert!(content.starts_with(cut.head) && content.ends_with(cut.tail));
            assert_eq!(cut.total_chars, 50_000 + shift);
        }
    }

    #[test]
    fn the_text_says_what_is_missing_and_where_it_is() {
        let cut = OutputLimit { max_chars: 4 }.cut("abcdefgh").unwrap();
        assert_eq!(
            cut.text("chat.md.files/1.txt"),
            "abc\n\n[4 of 8 characters are left out here; \
             the whole output is in the file `chat.md.files/1.txt`]\n\nh"
        );
    }
}
