//! Chats of every kind and size, always the same ones.

use std::fmt::Write;

/// What a chat is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Prose, fences, files, calls and options, in messages of 1 to 6 kB.
    Mixed,
    /// One message of prose.
    Single,
    /// One message that is one fence.
    Fence,
    /// Lines that start with a tag that is never closed.
    Tags,
    /// Many short elements.
    Short,
    /// Many open `<p>`, and one closing tag on the last line.
    SameTag,
    /// Fences of growing length, none of them closed.
    Fences,
    /// Brackets and command outputs, none of them closed.
    Opens,
    /// Many records, each with its mark, a call and an answer.
    Records,
    /// One line.
    Line,
    /// One line of `:--`.
    Marks,
    /// One line of blanks in a tag without an end.
    Spaces,
    /// Meta lines of quotes that are never closed.
    Quotes,
    /// Tags in tags on one line, without an end.
    Angles,
    /// Headers behind fences that are never closed.
    Unclear,
}

const WORDS: [&str; 28] = [
    "harbour", "lamp", "tide", "rope", "gull", "anchor", "mist", "keeper", "brass", "oil", "stair",
    "glass", "signal", "storm", "quiet", "ledger", "chalk", "kettle", "window", "north", "south",
    "crate", "barrel", "sail", "mast", "deck", "buoy", "net",
];

impl Mode {
    /// Every mode.
    pub(crate) const ALL: [Mode; 15] = [
        Mode::Mixed,
        Mode::Single,
        Mode::Fence,
        Mode::Tags,
        Mode::Short,
        Mode::SameTag,
        Mode::Fences,
        Mode::Opens,
        Mode::Records,
        Mode::Line,
        Mode::Marks,
        Mode::Spaces,
        Mode::Quotes,
        Mode::Angles,
        Mode::Unclear,
    ];

    /// Makes a chat of at least `size` bytes.
    pub(crate) fn chat(self, size: usize) -> String {
        let mut maker = Maker {
            state: 20_240_501,
            out: String::with_capacity(size + 10_000),
        };
        if self != Mode::Mixed && self != Mode::Records {
            maker.out.push_str("user:\n\n");
        }
        if self == Mode::Fence {
            maker.out.push_str("```\n");
        }
        let mut count = 0;
        while maker.out.len() < size {
            maker.piece(self, count, size);
            count += 1;
        }
        match self {
            Mode::Fence => maker.out.push_str("```\n"),
            Mode::SameTag => maker.out.push_str("</p>\n"),
            Mode::Spaces => maker.out.push_str("x\n"),
            Mode::Mixed
            | Mode::Single
            | Mode::Tags
            | Mode::Short
            | Mode::Fences
            | Mode::Opens
            | Mode::Records
            | Mode::Line
            | Mode::Marks
            | Mode::Quotes
            | Mode::Angles
            | Mode::Unclear => maker.out.push('\n'),
        }
        maker.out
    }
}

struct Maker {
    state: u64,
    out: String,
}

impl Maker {
    fn piece(&mut self, mode: Mode, count: usize, size: usize) {
        match mode {
            Mode::Mixed => self.turn(),
            Mode::Single | Mode::Fence => self.prose(10, "\n"),
            Mode::Tags => {
                self.prose(10, "\n");
                if self.below(10) == 0 {
                    let word = self.word();
                    self.write(&format!("<item_{word}> "));
                    self.prose(3, "\n");
                }
                if self.below(50) == 0 {
                    self.write("\nassistant:\n\n");
                }
            }
            Mode::Short => {
                self.prose(10, "\n");
                if self.below(10) == 0 {
                    self.write("<p>para\n</p>\n");
                }
            }
            Mode::SameTag => {
                self.write("<p>\n");
                self.prose(6, "\n");
            }
            Mode::Fences => {
                let bars = "`".repeat((count + 3).min(2000));
                self.write(&bars);
                self.write("x\n");
                self.prose(6, "\n");
            }
            Mode::Opens => {
                let opener = ["[[\n", "sh:-- ls {{{\n"][self.below(2)];
                self.write(opener);
                self.prose(6, "\n");
            }
            Mode::Records => self.record(count),
            Mode::Line => self.prose(10, " "),
            Mode::Marks => self.write(&":--".repeat(size / 3)),
            Mode::Spaces => {
                self.write("<a");
                self.write(&" ".repeat(size));
            }
            Mode::Quotes => self.write("meta: inference_id=\"x a=\"y b=\"z\" z "),
            Mode::Angles => self.write("<a <a <a <a"),
            Mode::Unclear => {
                self.write("```x\n[[\n");
                self.prose(20, "\n\nuser:\n\n");
            }
        }
    }

    /// A question, a call or none, and an answer.
    fn turn(&mut self) {
        if self.out.is_empty() {
            self.write("system:\n\nBe brief.\n\nmodel: tiny-7\noption: temperature 0.1\n\n");
        }
        self.write("user:\n\n");
        for _ in 0..=self.below(4) {
            match self.below(4) {
                0 | 1 => self.paragraph(),
                2 => self.fence(),
                _ => self.file(),
            }
        }
        if self.below(10) < 3 {
            let (name, id) = (self.word(), self.below(1_000_000));
            self.write(&format!(
                "function_call: {{\"name\":\"{name}\",\"arguments\":{{\"a\":\""
            ));
            self.prose(4, &format!("\"}},\"id\":\"call_{id}\"}}\n\n"));
            self.write(&format!(
                "function_call_output: {{\"id\":\"call_{id}\",\"content\":\""
            ));
            self.prose(40, "\"}\n\n");
        }
        self.write("assistant:\n\n");
        for _ in 0..=self.below(4) {
            if self.below(3) == 0 {
                self.fence();
            } else {
                self.paragraph();
            }
        }
    }

    fn record(&mut self, count: usize) {
        self.write("user:\n\n");
        self.prose(
            8,
            &format!("\n\nmeta: inference_id=id{count} pt=10 ct=5\n\n"),
        );
        self.write("function_call: {\"name\":\"look\",\"arguments\":{\"a\":\"");
        self.prose(3, &format!("\"}},\"id\":\"c{count}\"}}\n\n"));
        self.write(&format!(
            "function_call_output: {{\"id\":\"c{count}\",\"name\":\"look\",\"content\":\""
        ));
        self.prose(40, "\"}\n\n");
        self.write(&format!(
            "meta: inference_id=id{count}b pt=20 ct=9\n\nassistant:\n\n"
        ));
        self.paragraph();
    }

    fn paragraph(&mut self) {
        for _ in 0..self.below(7) + 2 {
            let words = self.below(9) + 6;
            self.prose(words, "\n");
        }
        self.write("\n");
    }

    fn fence(&mut self) {
        let language = ["", "ruby", "yaml", "python"][self.below(4)];
        self.write(&format!("```{language}\n"));
        for _ in 0..self.below(28) + 3 {
            let (word, number) = (self.word(), self.below(1000));
            self.write(&format!("{word}: {number}\n"));
        }
        self.write("```\n\n");
    }

    fn file(&mut self) {
        let word = self.word();
        self.write(&format!("<file name=\"{word}.txt\">\n"));
        for _ in 0..self.below(28) + 3 {
            self.prose(8, "\n");
        }
        self.write("</file>\n\n");
    }

    fn prose(&mut self, words: usize, end: &str) {
        for at in 0..words {
            let word = self.word();
            if at == 0 {
                self.out
                    .push(char::from(word.as_bytes()[0].to_ascii_uppercase()));
                self.out.push_str(&word[1..]);
            } else {
                write!(self.out, " {word}").expect("a string takes all");
            }
        }
        self.out.push('.');
        self.out.push_str(end);
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    /// The next number of a fixed row of numbers below a limit.
    fn below(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap_or(0) % limit
    }
}
