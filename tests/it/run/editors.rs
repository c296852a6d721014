//! Someone saves the chat while it runs: their bytes stay, ours go behind them or are rescued.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use scoutai::chat::{Message, Meta, MetaValue, Role};
use scoutai::run::{FileTranscript, Transcript, TranscriptError};

/// A chat in a folder, open for appending.
struct Open {
    folder: tempfile::TempDir,
    transcript: FileTranscript,
}

impl Open {
    fn new(text: &str) -> Open {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("chat.md"), text).unwrap();
        let (transcript, _) = FileTranscript::open(&folder.path().join("chat.md")).unwrap();
        Open { folder, transcript }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("chat.md")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    /// Appends a record with this text.
    fn says(&mut self, text: &str) -> Result<(), TranscriptError> {
        self.transcript.append(&record(text))
    }

    /// Saves as editors do that write a new file and put it in the place of the old one.
    fn replace(&self, text: &str) {
        let new = self.folder.path().join(".chat.md.new");
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, self.path()).unwrap();
    }
}

fn record(text: &str) -> Vec<Message> {
    let mut mark = Meta::default();
    mark.push("inference_id", MetaValue::Text(id(text)));
    vec![mark.to_message(), Message::new(Role::Assistant, text)]
}

fn shown(text: &str) -> String {
    format!("meta: inference_id={}\n\nassistant:\n\n{text}\n", id(text))
}

fn id(text: &str) -> String {
    format!("i-{}", text.lines().next().unwrap())
}

fn add(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn lines_that_were_added_stay_where_they_are() {
    let mut open = Open::new("user: hi\n");
    open.says("one").unwrap();
    add(&open.path(), "\nuser: and this?");
    open.says("two").unwrap();
    assert_eq!(
        open.text(),
        format!(
            "user: hi\n\n{}\nuser: and this?\n\n{}",
            shown("one"),
            shown("two")
        )
    );
}

#[test]
fn a_file_that_was_replaced_is_appended_to_and_locked() {
    let mut open = Open::new("user: hi\n");
    open.says("one").unwrap();
    let edited = open.text().replace("hi", "hello");
    open.replace(&edited);
    open.says("two").unwrap();
    assert_eq!(open.text(), format!("{edited}\n{}", shown("two")));
    assert!(matches!(
        FileTranscript::open(&open.path()),
        Err(TranscriptError::InUse { .. })
    ));
}

#[test]
fn an_edit_of_the_same_length_is_seen() {
    let mut open = Open::new("user: hi\n");
    open.says("aa\nlast line").unwrap();
    // A region is opened: what was known of the last segment is no longer so.
    let edited = open.text().replace("\naa\n", "\n[[\n");
    std::fs::write(open.path(), &edited).unwrap();
    open.says("two").unwrap();
    assert_eq!(open.text(), format!("{edited}]]\n\n{}", shown("two")));
}

#[test]
fn a_record_that_was_edited_a_little_is_not_appended_again() {
    let mut open = Open::new("user: hi\n");
    open.says("one\ntwo\nthree").unwrap();
    let edited = open.text().replace("two", "2");
    std::fs::write(open.path(), &edited).unwrap();
    open.says("four").unwrap();
    assert_eq!(open.text(), format!("{edited}\n{}", shown("four")));
}

#[test]
fn what_an_older_text_was_saved_over_is_appended_again() {
    let mut open = Open::new("user: hi\n");
    open.says("one").unwrap();
    let loaded = open.text();
    open.says("two").unwrap();
    open.says("three").unwrap();
    let edited = format!("{loaded}\nuser: and this?\n");
    std::fs::write(open.path(), &edited).unwrap();
    open.says("four").unwrap();
    assert_eq!(
        open.text(),
        format!(
            "{edited}\n{}\n{}\n{}",
            shown("two"),
            shown("three"),
            shown("four")
        )
    );
}

#[test]
fn what_the_user_took_out_stays_out() {
    let mut open = Open::new("user: hi\n");
    open.says("one").unwrap();
    open.says("two").unwrap();
    let edited = open.text().replace(&shown("one"), "");
    std::fs::write(open.path(), &edited).unwrap();
    open.says("three").unwrap();
    assert_eq!(open.text(), format!("{edited}\n{}", shown("three")));
}

#[test]
fn a_file_that_was_emptied_is_appended_to() {
    let mut open = Open::new("user: hi\n");
    std::fs::write(open.path(), "").unwrap();
    open.says("one").unwrap();
    assert_eq!(open.text(), shown("one"));
}

#[test]
fn text_that_cannot_go_to_the_end_is_rescued() {
    let edits: [(&str, &[u8]); 3] = [
        ("unclear", b"user: hi\n```\nopen\n\nuser: more\n"),
        ("a tag", b"user: hi\n<one>\n"),
        ("not UTF-8", b"user: caf\xe9\n"),
    ];
    for (what, edited) in edits {
        let mut open = Open::new("user: hi\n");
        open.says("one").unwrap();
        std::fs::write(open.path(), edited).unwrap();
        let result = open.transcript.append(&[Message::new(
            Role::Assistant,
            if what == "a tag" { "</one>" } else { "two" },
        )]);
        let now = std::fs::read(open.path()).unwrap();
        assert!(now.starts_with(edited), "{what}");
        match result {
            // A way was found to append it.
            Ok(()) => assert_eq!(what, "a tag"),
            Err(error) => {
                assert!(matches!(error, TranscriptError::Edited { .. }), "{error}");
                assert_eq!(now, edited, "{what}");
                let rescued = std::fs::read_to_string(error.rescued().unwrap()).unwrap();
                assert!(rescued.contains("one"), "{what}: {rescued}");
            }
        }
    }
}

#[test]
fn a_file_that_is_gone_is_not_made_again() {
    let mut open = Open::new("user: hi\n");
    open.says("one").unwrap();
    std::fs::remove_file(open.path()).unwrap();
    let error = open.says("two").unwrap_err();
    assert!(matches!(error, TranscriptError::Edited { .. }), "{error}");
    assert!(!open.path().exists());
    let rescued = std::fs::read_to_string(error.rescued().unwrap()).unwrap();
    assert_eq!(rescued, format!("{}\n{}", shown("one"), shown("two")));
}

#[test]
fn a_replaced_file_that_another_run_has_is_left_to_it() {
    let mut open = Open::new("user: hi\n");
    open.replace("user: hello\n");
    let (_other, _) = FileTranscript::open(&open.path()).unwrap();
    let error = open.says("one").unwrap_err();
    assert!(matches!(error, TranscriptError::Edited { .. }), "{error}");
    assert_eq!(open.text(), "user: hello\n");
    let rescued = std::fs::read_to_string(error.rescued().unwrap()).unwrap();
    assert_eq!(rescued, shown("one"));
}

/// What a person does at an editor while the chat runs.
#[derive(Debug, Clone, Copy)]
enum Edit {
    /// Takes over what is in the file.
    Load,
    /// Writes a line at the end, or the start, of what was loaded.
    Below,
    Above,
    Save(Way),
}

#[derive(Debug, Clone, Copy)]
enum Way {
    InPlace,
    Replace,
    /// The old file gets another name first, as some editors make their backups.
    Backup,
}

fn any_edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        Just(Edit::Load),
        Just(Edit::Below),
        Just(Edit::Above),
        Just(Edit::Save(Way::InPlace)),
        Just(Edit::Save(Way::Replace)),
        Just(Edit::Save(Way::Backup)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// What was saved is the start of the file from then on, and each answer is in the end.
    #[test]
    fn nothing_is_lost_whatever_is_saved(
        turns in prop::collection::vec(prop::collection::vec(any_edit(), 0..4), 1..6),
    ) {
        let mut open = Open::new("user: hi\n");
        let mut buffer = open.text();
        for (turn, edits) in turns.iter().enumerate() {
            let mut saved = None;
            for (at, edit) in edits.iter().enumerate() {
                match edit {
                    Edit::Load => buffer = open.text(),
                    Edit::Below => buffer = format!("{buffer}\nuser: below-{turn}-{at}\n"),
                    Edit::Above => buffer = format!("user: above-{turn}-{at}\n\n{buffer}"),
                    Edit::Save(way) => {
                        match way {
                            Way::InPlace => std::fs::write(open.path(), &buffer).unwrap(),
                            Way::Replace => open.replace(&buffer),
                            Way::Backup => {
                                std::fs::rename(open.path(), open.folder.path().join("chat.md~")).unwrap();
                                std::fs::write(open.path(), &buffer).unwrap();
                            }
                        }
                        saved = Some(buffer.clone());
                    }
                }
            }
            let before = saved.unwrap_or_else(|| open.text());
            open.says(&format!("answer-{turn}")).unwrap();
            let after = open.text();
            prop_assert!(after.starts_with(&before));
            for turn in 0..=turn {
                prop_assert!(after.contains(&shown(&format!("answer-{turn}"))), "{}", after);
            }
        }
    }
}
