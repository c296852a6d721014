//! How chats are read: each rule of `docs/FORMAT.md` by an example, with the place of each message.

use std::path::Path;
use std::sync::Arc;

use scoutai::chat::{Diagnostic, LineEnd, Origin, decode, parse, position};

fn path() -> Arc<Path> {
    Arc::from(Path::new("chat.md"))
}

fn place<'t>(text: &'t str, origin: &Origin) -> &'t str {
    match origin {
        Origin::File { span, .. } => &text[span.start..span.end],
        Origin::Run => panic!("what was read has a place"),
    }
}

/// Checks roles, contents and the text at the place of each message.
fn check(text: &str, wanted: &[(&str, &str, &str)]) {
    let chat = parse(text, &path());
    assert_eq!(chat.diagnostics, [], "{text:?}");
    let read: Vec<(&str, &str, &str)> = chat
        .messages
        .iter()
        .map(|one| {
            (
                one.role.name(),
                one.content.as_str(),
                place(text, &one.origin),
            )
        })
        .collect();
    assert_eq!(read, wanted, "{text:?}");
}

/// Checks the errors: the messages, and the text at the places.
fn check_errors(text: &str, wanted: &[(&str, &str, &str)]) {
    let errors = parse(text, &path()).diagnostics;
    let read: Vec<(&str, &str, &str)> = errors
        .iter()
        .map(|Diagnostic { message, also, .. }| {
            let [opener, other] = also.as_slice() else {
                panic!("both lines are shown");
            };
            (
                message.as_str(),
                place(text, &opener.0),
                place(text, &other.0),
            )
        })
        .collect();
    assert_eq!(read, wanted, "{text:?}");
}

#[test]
fn headers_stand_alone_or_before_a_value() {
    check("", &[]);
    check("hi\n", &[("user", "hi", "hi")]);
    check("\n \n  hi\n\n", &[("user", "  hi", "  hi")]);
    check("user:\n\nhi\n", &[("user", "hi", "user:\n\nhi")]);
    check("user: hi", &[("user", "hi", "user: hi")]);
    check(
        "user:\t hi \nyou \n",
        &[("user", "hi\nyou ", "user:\t hi \nyou ")],
    );
    check("user:\n\nassistant:\n", &[]);
    check(
        "clear:\nfile:\n\n",
        &[("clear", "", "clear:"), ("file", "", "file:")],
    );
}

#[test]
fn text_after_a_directive_belongs_to_what_it_interrupts() {
    check(
        "system: a\nmodel: m \nb\n",
        &[
            ("system", "a", "system: a"),
            ("model", "m", "model: m"),
            ("system", "b", "b"),
        ],
    );
    check(
        "assistant: a\nmodel: m\nb\n",
        &[
            ("assistant", "a", "assistant: a"),
            ("model", "m", "model: m"),
            ("user", "b", "b"),
        ],
    );
    check(
        "developer: a\n\nskip:\n\nb\nmodel: m\nc\n",
        &[
            ("developer", "a", "developer: a"),
            ("skip", "b", "skip:\n\nb"),
            ("model", "m", "model: m"),
            ("user", "c", "c"),
        ],
    );
}

#[test]
fn a_block_of_values_ends_at_a_blank_line() {
    check(
        "system: s\nfile:\n\n a.txt \n\\user: b\n\nWhat?\n\nMore\n",
        &[
            ("system", "s", "system: s"),
            ("file", "a.txt", "a.txt"),
            ("file", "user: b", "\\user: b"),
            ("system", "What?\n\nMore", "What?\n\nMore"),
        ],
    );
    check(
        "cmd:\n\na\n\nb\n\nuser: c\n",
        &[
            ("cmd", "a\n\nb", "cmd:\n\na\n\nb"),
            ("user", "c", "user: c"),
        ],
    );
}

#[test]
fn regions_protect_their_lines() {
    check(
        "```\nuser: a\n\\user: b\n````\nuser: c",
        &[
            (
                "user",
                "```\nuser: a\n\\user: b\n````",
                "```\nuser: a\n\\user: b\n````",
            ),
            ("user", "c", "user: c"),
        ],
    );
    check(
        "````\n```\nuser: a\n````",
        &[(
            "user",
            "````\n```\nuser: a\n````",
            "````\n```\nuser: a\n````",
        )],
    );
    check(
        "~~~\n```\nuser: a\n~~~",
        &[("user", "~~~\n```\nuser: a\n~~~", "~~~\n```\nuser: a\n~~~")],
    );
    check(
        "<p>\n<p a> <p/>\nuser: a\n</p>\nuser: b\nx</p>",
        &[(
            "user",
            "<p>\n<p a> <p/>\nuser: a\n</p>\nuser: b\nx</p>",
            "<p>\n<p a> <p/>\nuser: a\n</p>\nuser: b\nx</p>",
        )],
    );
    check(
        "a\n[[\nuser: a\n\n]]\nb",
        &[("user", "a\nuser: a\n\nb", "a\n[[\nuser: a\n\n]]\nb")],
    );
    check(
        "sh:-- a \"&\" <b> {{{\nuser: a\nsh:-- a }}}",
        &[(
            "user",
            "<cmd_output cmd=\"a &quot;&amp;&quot; &lt;b&gt;\">\nuser: a\n</cmd_output>",
            "sh:-- a \"&\" <b> {{{\nuser: a\nsh:-- a }}}",
        )],
    );
    check(
        "sh:-- a {{{\nuser: a\nx:-- a }}}\nsh:-- }}}",
        &[(
            "user",
            "<cmd_output cmd=\"a\">\nuser: a\nx:-- a }}}\n</cmd_output>",
            "sh:-- a {{{\nuser: a\nx:-- a }}}\nsh:-- }}}",
        )],
    );
}

#[test]
fn what_is_left_open_at_the_end_is_closed_there() {
    check(
        "user:\n\n```\na\n\n",
        &[("user", "```\na\n\n```", "user:\n\n```\na\n\n")],
    );
    check("[[\na\n", &[("user", "a", "a")]);
    check(
        "sh:-- a {{{\nb",
        &[(
            "user",
            "<cmd_output cmd=\"a\">\nb\n</cmd_output>",
            "sh:-- a {{{\nb",
        )],
    );
    check(
        "<p>\nuser: a",
        &[("user", "<p>", "<p>"), ("user", "a", "user: a")],
    );
}

#[test]
fn what_is_left_open_before_a_header_is_unclear() {
    check_errors(
        "a\n```x\nb\nfile: c\n",
        &[(
            "this code fence is not closed before the header `file:`",
            "```x",
            "file: c",
        )],
    );
    check_errors(
        "[[\n```\n\nmeta: inference_id=1\n~~~\nuser:\n",
        &[
            (
                "this `[[` is not closed before the next record",
                "[[",
                "meta: inference_id=1",
            ),
            (
                "this code fence is not closed before the header `user:`",
                "~~~",
                "user:",
            ),
        ],
    );
    check_errors(
        "sh:-- a {{{\nmeta: pt=1\n",
        &[(
            "this command output is not closed before the header `meta:`",
            "sh:-- a {{{",
            "meta: pt=1",
        )],
    );
}

#[test]
fn a_record_mark_ends_what_is_before_it() {
    check(
        "<p>\nmeta: inference_id=1\n</p>\n",
        &[
            ("user", "<p>", "<p>"),
            ("meta", "inference_id=1", "meta: inference_id=1"),
            ("user", "</p>", "</p>"),
        ],
    );
    check(
        "<p>\nmeta: reas=\"x inference_id=1\"\n</p>\n",
        &[(
            "user",
            "<p>\nmeta: reas=\"x inference_id=1\"\n</p>",
            "<p>\nmeta: reas=\"x inference_id=1\"\n</p>",
        )],
    );
}

#[test]
fn escapes_lose_one_backslash() {
    check(
        "\\user: a\n\\\\```\n\\note: b\n\\",
        &[(
            "user",
            "user: a\n\\```\n\\note: b\n\\",
            "\\user: a\n\\\\```\n\\note: b\n\\",
        )],
    );
}

#[test]
fn line_ends_are_no_text() {
    let text = "user:\r\n\r\na\rb\r\r\nc\r";
    check(text, &[("user", "a\rb\nc", "user:\r\n\r\na\rb\r\r\nc")]);
    assert_eq!(parse(text, &path()).line_end, LineEnd::CrLf);
    assert_eq!(parse("a\nb\r\n", &path()).line_end, LineEnd::Lf);
    check(
        "file: a \r\r\n\r\n[[\r\nuser: b\r\n]]\r\n",
        &[("file", "a", "file: a"), ("user", "user: b", "user: b")],
    );
}

#[test]
fn what_stands_before_the_chat_is_no_text() {
    check("\u{feff}user: a", &[("user", "a", "user: a")]);
    check("\u{feff}#!/bin/x\r\nuser: a", &[("user", "a", "user: a")]);
    check("#!x", &[]);
    check(
        "---\ntitle: t\nmodel: m\nuser: u\noption: a 1 \nagent:\n---\nhi",
        &[
            ("model", "m", "model: m"),
            ("option", "a 1", "option: a 1"),
            ("user", "hi", "hi"),
        ],
    );
    check(
        "---\nmodel: m\nuser:\n\n---\n",
        &[
            ("user", "---", "---"),
            ("model", "m", "model: m"),
            ("user", "---", "user:\n\n---"),
        ],
    );
    check(
        "---\nmeta: inference_id=1\n---",
        &[
            ("user", "---", "---"),
            ("meta", "inference_id=1", "meta: inference_id=1"),
            ("user", "---", "---"),
        ],
    );
    check(
        "\n---\nmodel: m\n---",
        &[
            ("user", "---", "---"),
            ("model", "m", "model: m"),
            ("user", "---", "---"),
        ],
    );
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let error =
        |bytes: &[u8]| decode(bytes.to_vec(), &path()).map_err(|error| (error.message, error.hint));
    assert_eq!(error("é".as_bytes()), Ok("é".to_owned()));
    assert_eq!(error("\u{feff}a".as_bytes()), Ok("\u{feff}a".to_owned()));
    assert_eq!(
        error(b"ab\xe9c"),
        Err((
            "the file is not UTF-8: the byte at offset 2 is none of a character".to_owned(),
            Some("save the file as UTF-8".to_owned()),
        ))
    );
    assert_eq!(
        error(b"\xff\xfea\0"),
        Err((
            "the file is not UTF-8: the byte at offset 0 is none of a character".to_owned(),
            Some("save the file as UTF-8: it starts like UTF-16".to_owned()),
        ))
    );
}

#[test]
fn positions_count_lines_and_characters() {
    let text = "\u{feff}aé\n🍐b";
    for (offset, wanted) in [
        (0, (1, 1)),
        (3, (1, 1)),
        (4, (1, 2)),
        (5, (1, 2)),
        (6, (1, 3)),
        (7, (2, 1)),
        (9, (2, 1)),
        (11, (2, 2)),
        (99, (2, 3)),
    ] {
        assert_eq!(position(text, offset), wanted, "{offset}");
    }
}
