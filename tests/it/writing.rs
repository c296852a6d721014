//! How chats are written and appended to: each rule of `docs/FORMAT.md` by an example.

use scoutai::chat::{
    AppendRefused, Keyword, LineEnd, Message, Role, Span, appendix, last_segment, normal, print,
};

fn user(text: &str) -> Message {
    Message::new(Role::User, text)
}

fn directive(keyword: Keyword, value: &str) -> Message {
    Message::new(Role::Directive(keyword), value)
}

#[test]
fn messages_are_written_in_their_form() {
    let messages = [
        Message::new(Role::System, "Be\n\nbrief."),
        directive(Keyword::Model, "m"),
        directive(Keyword::Clear, ""),
        directive(Keyword::Skip, "one line"),
        directive(Keyword::Skip, "two\nlines"),
        directive(Keyword::Cmd, "  ls"),
        Message::new(Role::Meta, "inference_id=1"),
        Message::new(Role::FunctionCall, "{}"),
        Message::new(Role::Assistant, "Yes."),
    ];
    let text = "system:\n\nBe\n\nbrief.\n\nmodel: m\n\nclear:\n\nskip: one line\n\nskip:\n\ntwo\nlines\n\n\
                cmd:\n\n  ls\n\nmeta: inference_id=1\n\nfunction_call: {}\n\nassistant:\n\nYes.\n";
    assert_eq!(print(&messages), text);
}

#[test]
fn what_is_not_normal_is_written_as_its_normal_form() {
    let messages = [
        user("\r\n a\r\nb\r"),
        user(" \n"),
        directive(Keyword::File, " a \n\nb"),
    ];
    assert_eq!(print(&messages), "user:\n\n a\nb\n\nfile: a\n\nfile: b\n");
    let normals: Vec<bool> = messages.iter().map(Message::is_normal).collect();
    assert_eq!(normals, [false, false, false]);
    assert_eq!(normal("\n\n a\rb\r\r\n \t\nc \n \r\n"), " a\rb\n \t\nc ");
}

#[test]
fn special_lines_are_escaped_outside_of_closed_regions() {
    for (text, written) in [
        ("user: a\nnote: b", "\\user: a\nnote: b"),
        ("\\user: a\n\\note: b", "\\\\user: a\n\\note: b"),
        ("```\nuser: a\n```\nuser: b", "```\nuser: a\n```\n\\user: b"),
        ("```\nuser: a", "\\```\n\\user: a"),
        ("<p>\nuser: a\n</p>", "<p>\nuser: a\n</p>"),
        ("<p>\n<p>\nuser: a\n</p>", "\\<p>\n<p>\nuser: a\n</p>"),
        ("[[\nuser: a\n]]", "\\[[\n\\user: a\n]]"),
        ("sh:-- a {{{\nsh:-- a }}}", "\\sh:-- a {{{\nsh:-- a }}}"),
        (
            "```\nmeta: inference_id=1\n```",
            "\\```\n\\meta: inference_id=1\n\\```",
        ),
        ("```\nmeta: pt=1\n```", "```\nmeta: pt=1\n```"),
        ("---\n#!x", "---\n#!x"),
    ] {
        assert_eq!(print(&[user(text)]), format!("user:\n\n{written}\n"));
    }
}

/// Checks what is appended, with LF.
fn check(old: &str, messages: &[Message], wanted: &str) {
    assert_eq!(
        appendix(old, messages, LineEnd::Lf).as_deref(),
        Ok(wanted),
        "{old:?}"
    );
}

#[test]
fn messages_go_behind_a_blank_line() {
    let a = [user("a")];
    check("", &a, "user:\n\na\n");
    check("\u{feff}", &a, "user:\n\na\n");
    check("\u{feff}\u{feff}", &a, "\n\nuser:\n\na\n");
    check("#!x", &a, "\n\nuser:\n\na\n");
    check("---\nmodel: m\n---\n", &a, "\nuser:\n\na\n");
    check("x", &a, "\n\nuser:\n\na\n");
    check("x\n", &a, "\nuser:\n\na\n");
    check("x\n \n", &a, "user:\n\na\n");
    check("x\n ", &a, "\nuser:\n\na\n");
    check("x", &[], "");
    assert_eq!(
        appendix("x\r\n", &[user("a\nb\rc")], LineEnd::CrLf).as_deref(),
        Ok("\r\nuser:\r\n\r\na\r\nb\rc\r\n")
    );
}

#[test]
fn a_question_goes_into_the_place_to_type() {
    let place = [user("")];
    check("x\n", &place, "\nuser:\n");
    check("x\n\nuser:\n", &place, "");
    check(
        "x\n\nuser:\n",
        &[user("a\nuser: b"), user("")],
        "\na\n\\user: b\n\nuser:\n",
    );
    check("user:\n\n", &[user("a")], "a\n");
    check("user: ", &[user("a")], "\n\na\n");
    check("user:\n", &[directive(Keyword::Model, "m")], "\nmodel: m\n");
    check("user:\nmodel: m\n", &[user("a")], "\nuser:\n\na\n");
    check("user:\n[[\n]]\n", &[user("a")], "\nuser:\n\na\n");
}

#[test]
fn an_open_region_is_closed_first() {
    let a = [user("a")];
    check("````x\nb", &a, "\n````\n\nuser:\n\na\n");
    check("~~~\n\n", &a, "~~~\n\nuser:\n\na\n");
    check("[[\n", &a, "]]\n\nuser:\n\na\n");
    check("sh:-- </p> {{{\n", &a, "sh:-- }}}\n\nuser:\n\na\n");
    check("```\n", &[], "");
}

#[test]
fn what_would_be_read_differently_is_refused() {
    let refused = |old: &str, text: &str| appendix(old, &[user(text)], LineEnd::Lf).err();
    assert_eq!(
        refused("a\n<p b>\nc\n", "</p>"),
        Some(AppendRefused::WouldClose {
            opener: Span { start: 2, end: 7 }
        })
    );
    assert_eq!(
        refused("```x\nuser: a\n", "b"),
        Some(AppendRefused::Unclear {
            opener: Span { start: 0, end: 4 }
        })
    );
    // A question cannot close what stands between `---`, but another block can.
    assert_eq!(refused("---\n", "---"), None);
    let skipped = directive(Keyword::Skip, "a\n---\nb");
    assert_eq!(
        appendix("---\n", &[skipped], LineEnd::Lf),
        Err(AppendRefused::ReadsDifferently)
    );
}

#[test]
fn the_last_segment_starts_at_the_last_mark() {
    for (text, at) in [
        ("", 0),
        ("a\nmeta: pt=1\n", 0),
        ("meta: inference_id=1\n", 0),
        ("\u{feff}meta: inference_id=1\n", 3),
        (
            "a\nmeta: inference_id=1\nmeta: inference_id=2\nmeta: x=\"a inference_id=3\"",
            23,
        ),
        ("a meta: inference_id=1\n\\meta: inference_id=1\n", 0),
    ] {
        assert_eq!(last_segment(text), at, "{text:?}");
    }
}
