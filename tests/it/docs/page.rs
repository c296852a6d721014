//! A Markdown page as its fenced blocks, with the marks that stand before them.

use std::ops::Range;

/// One fenced block of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// What stands after the opening fence.
    pub(super) info: String,
    pub(super) body: String,
    /// The lines of the body, counted from 0.
    pub(super) lines: Range<usize>,
    pub(super) marks: Vec<Mark>,
}

/// A mark: an HTML comment `<!-- WORD: VALUE -->` right before a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The block is the content of this file, which the commands below it use.
    File(String),
    /// The commands get the model's replies from a chat under `docs/guide/replays`, and the page
    /// tells of the endpoint that they once came from: `replay: CHAT as ENDPOINT`.
    Replay { chat: String, endpoint: String },
    /// The commands start real MCP servers.
    Peers,
}

impl Block {
    /// Tells whether the block is of a kind: the first word after its fence.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.info.split_whitespace().next() == Some(kind)
    }

    /// Gives the line on which the block opens, as people count.
    pub(super) fn line(&self) -> usize {
        self.lines.start
    }
}

/// Finds the fenced blocks of a page. Unknown marks are faults of the page.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut found = Vec::new();
    let mut marks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at].trim();
        let fence = line.len() - line.trim_start_matches('`').len();
        if fence >= 3 {
            let length = lines[at + 1..]
                .iter()
                .position(|end| end.trim() == "`".repeat(fence))
                .unwrap_or_else(|| panic!("the fence of line {} is not closed", at + 1));
            let body = at + 1..at + 1 + length;
            found.push(Block {
                info: line[fence..].trim().to_owned(),
                body: lines[body.clone()]
                    .iter()
                    .flat_map(|line| [line, "\n"])
                    .collect(),
                marks: std::mem::take(&mut marks),
                lines: body.clone(),
            });
            at = body.end;
        } else if let Some(mark) = mark(line) {
            marks.push(mark);
        } else if !line.is_empty() {
            marks.clear();
        }
        at += 1;
    }
    found
}

/// Reads a mark, if the line is one.
fn mark(line: &str) -> Option<Mark> {
    let inside = line.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let (word, value) = inside.split_once(':').unwrap_or((inside, ""));
    match word {
        "file" => Some(Mark::File(value.trim().to_owned())),
        "replay" => {
            let (chat, endpoint) = value.trim().split_once(" as ").expect("CHAT as ENDPOINT");
            let (chat, endpoint) = (chat.to_owned(), endpoint.to_owned());
            Some(Mark::Replay { chat, endpoint })
        }
        "peers" => Some(Mark::Peers),
        _ => panic!("`{line}` is no mark that the docs test knows: file, replay, peers"),
    }
}

#[test]
fn blocks_are_found_with_their_marks() {
    let page = "text\n\n<!-- file: a.md -->\n```chat\nuser: a\n```\n<!-- peers -->\ntext\n\
        <!-- replay: b.md as small -->\n````console\n$ x\n```\n````\n";
    assert_eq!(
        blocks(page),
        [
            Block {
                info: "chat".into(),
                body: "user: a\n".into(),
                lines: 4..5,
                marks: vec![Mark::File("a.md".into())],
            },
            Block {
                info: "console".into(),
                body: "$ x\n```\n".into(),
                lines: 10..12,
                marks: vec![Mark::Replay {
                    chat: "b.md".into(),
                    endpoint: "small".into(),
                }],
            },
        ]
    );
}
