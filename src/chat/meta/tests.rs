//! Meta lines as Scout writes them, and as we do.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any};
use proptest::{prop_oneof, proptest};

use super::{Meta, MetaValue};

fn text(text: &str) -> MetaValue {
    MetaValue::Text(text.to_owned())
}

fn meta(entries: &[(&str, MetaValue)]) -> Meta {
    Meta {
        entries: entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    }
}

fn check(line: &str, entries: &[(&str, MetaValue)]) {
    assert_eq!(Meta::read(line), meta(entries), "{line}");
}

#[test]
fn lines_of_scout_are_read() {
    check(
        r#"job=/tmp/a b/c.chat pt=3 f=1.5 n=-2 e= q="x y""#,
        &[
            ("job", text("/tmp/a b/c.chat")),
            ("pt", MetaValue::Integer(3)),
            ("f", MetaValue::Number(1.5)),
            ("n", MetaValue::Integer(-2)),
            ("e", text("")),
            ("q", text("x y")),
        ],
    );
    check(
        r#"pt=1 reas="say \"hi\" then a=b \"x\" c=d""#,
        &[
            ("pt", MetaValue::Integer(1)),
            ("reas", text(r#"say "hi" then a=b "x" c=d"#)),
        ],
    );
    check(
        r#"pt=100 reas="text total=48M end." ct=2"#,
        &[
            ("pt", MetaValue::Integer(100)),
            ("reas", text("text total=48M end.")),
            ("ct", MetaValue::Integer(2)),
        ],
    );
}

#[test]
fn odd_lines_are_read() {
    check("", &[]);
    check("only words", &[]);
    check("some words a=1", &[("a", MetaValue::Integer(1))]);
    check(
        "a=1\nb=two words\n",
        &[("a", MetaValue::Integer(1)), ("b", text("two words"))],
    );
    check("=x a==b", &[("a", text("=b"))]);
    check(
        "id=007 big=99999999999999999999",
        &[("id", text("007")), ("big", text("99999999999999999999"))],
    );
    check(
        r#"q="open b=1"#,
        &[("q", text("\"open")), ("b", MetaValue::Integer(1))],
    );
    check(
        r#"q="a "b" c" r=""#,
        &[("q", text(r#"a "b" c"#)), ("r", text("\""))],
    );
    check(r#"q="\n\r\u0007\x\\""#, &[("q", text("\n\r\u{7}\\x\\"))]);
}

#[test]
fn pairs_are_written_on_one_line() {
    let all = meta(&[
        ("pt", MetaValue::Integer(100)),
        ("reas", text("a=b")),
        ("job", text("W/t/n.chat")),
        ("two", text("two words")),
        ("code", text("12")),
        ("cost", MetaValue::Number(1.0)),
        ("odd", text(" \"\\\n\r\t\u{85} ")),
        ("none", text("")),
    ]);
    let line = r#"pt=100 reas="a=b" job=W/t/n.chat two=two words code="12" cost=1.0 odd=" \"\\\n\r\u0009\u0085 " none="#;
    assert_eq!(all.write(), line);
    assert_eq!(Meta::read(line), all);
}

#[test]
fn a_key_stays_a_key() {
    assert_eq!(meta(&[("a b=\n", text("x"))]).write(), "a_b__=x");
    assert_eq!(meta(&[("", text("x"))]).write(), "_=x");
}

#[test]
fn only_a_key_makes_a_mark() {
    for (line, mark) in [
        ("inference_id=a", true),
        ("pt=1 inference_id=", true),
        (r#"reas="x inference_id=a""#, false),
        (r#"reas="x inference_id=a"#, true),
        ("my_inference_id=a", false),
        ("x=inference_id", false),
    ] {
        assert_eq!(Meta::read(line).is_mark(), mark, "{line}");
        assert_eq!(super::names_a_record(line), mark, "{line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_written_is_read(
        entries in vec((
            "[a-z\"\\\\_é]{1,4}",
            prop_oneof![
                any::<i64>().prop_map(MetaValue::Integer),
                any::<f64>()
                    .prop_filter("no number of a line", |number| number.is_finite())
                    .prop_map(MetaValue::Number),
                "( |=|\"|\\\\|\n|\r|\t|a|[0-9]|-|\\.|inference_id|.){0,9}".prop_map(MetaValue::Text),
            ],
        ), 0..5),
    ) {
        let meta = Meta { entries };
        let line = meta.write();
        assert_eq!(Meta::read(&line), meta, "{line}");
        assert!(!line.contains(char::is_control), "{line}");
        assert_eq!(super::names_a_record(&line), meta.is_mark());
    }

    #[test]
    fn any_line_is_read(line in "( |=|\"|\\\\|\n|a=|b=\"|\\\\u00e|inference_id=|.){0,20}") {
        let meta = Meta::read(&line);
        assert_eq!(Meta::read(&meta.write()), meta, "{line}");
        assert_eq!(super::names_a_record(&line), meta.is_mark(), "{line}");
    }
}
