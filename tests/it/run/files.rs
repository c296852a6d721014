//! What a chat file must be, and what is made beside it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use scoutai::chat::{Message, Role};
use scoutai::run::{FileTranscript, Kept, Transcript, TranscriptError};

fn error_of(path: &Path) -> TranscriptError {
    match FileTranscript::open(path) {
        Ok(_) => panic!("`{}` was opened", path.display()),
        Err(error) => error,
    }
}

fn mode_of(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_file_that_is_not_there_is_made_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.md");
    let (mut transcript, text) = FileTranscript::open(&path).unwrap();
    assert_eq!(text, "");
    transcript
        .append(&[Message::new(Role::User, "hi")])
        .unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "user:\n\nhi\n");
    assert_eq!(mode_of(&path), 0o600);
}

#[test]
fn what_is_no_chat_file_is_told_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    assert!(matches!(error_of(path), TranscriptError::Folder { .. }));
    assert!(matches!(
        error_of(Path::new("/dev/null")),
        TranscriptError::Special { .. }
    ));
    let error = error_of(&path.join("not/there.md"));
    assert_eq!(
        error.to_string(),
        format!(
            "`{0}/not/there.md` cannot be made: the folder `{0}/not` is not there",
            path.display()
        )
    );
    std::os::unix::fs::symlink(path.join("nowhere"), path.join("link.md")).unwrap();
    assert!(matches!(
        error_of(&path.join("link.md")),
        TranscriptError::LooseLink { .. }
    ));
    std::fs::write(path.join("latin.md"), b"user: caf\xe9\n").unwrap();
    let error = error_of(&path.join("latin.md"));
    assert!(
        matches!(error, TranscriptError::NotText { .. }),
        "{error} is not about text"
    );
    assert!(error.to_string().contains('9'), "{error}");
}

#[test]
fn a_link_is_followed_and_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("chat.md"), folder.path().join("link.md"));
    std::fs::write(&file, "user: hi\n").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let (mut transcript, _) = FileTranscript::open(&link).unwrap();
    transcript
        .append(&[Message::new(Role::Assistant, "yes")])
        .unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "user: hi\n\nassistant:\n\nyes\n"
    );
}

#[test]
fn what_is_kept_lies_beside_the_chat_for_its_owner_alone_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.md");
    let (mut transcript, _) = FileTranscript::open(&path).unwrap();
    let output = transcript.keep(Kept::Output("long")).unwrap();
    assert_eq!(transcript.keep(Kept::Output("long")).unwrap(), output);
    let media = transcript
        .keep(Kept::Media {
            mime: "image/png",
            bytes: b"png",
        })
        .unwrap();
    let beside = folder.path().join("chat.md.files");
    // Named after the content: the start of its SHA-256.
    assert_eq!(output, "chat.md.files/output-fc66f021c67d064c.txt");
    assert_eq!(media, "chat.md.files/media-8f8cbb7dcf46e0bc.png");
    assert_eq!(std::fs::read_dir(&beside).unwrap().count(), 2);
    assert_eq!(std::fs::read(folder.path().join(&media)).unwrap(), b"png");
    assert_eq!(mode_of(&beside), 0o700);
    assert_eq!(mode_of(&folder.path().join(&output)), 0o600);
    // Half of it, left by a run that was killed, does not pass for the whole.
    std::fs::write(folder.path().join(&output), "lo").unwrap();
    assert_eq!(transcript.keep(Kept::Output("long")).unwrap(), output);
    assert_eq!(std::fs::read(folder.path().join(&output)).unwrap(), b"long");
}

#[test]
fn line_ends_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.md");
    std::fs::write(&path, "user: hi\r\nyou\r\n").unwrap();
    let (mut transcript, _) = FileTranscript::open(&path).unwrap();
    transcript
        .append(&[Message::new(Role::Assistant, "a\nb")])
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "user: hi\r\nyou\r\n\r\nassistant:\r\n\r\na\r\nb\r\n"
    );
}

#[test]
fn an_unclear_end_is_left_alone_and_the_text_is_rescued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chat.md");
    let old = "user: hi\n\n```\nnever closed\n\nassistant: by hand\n";
    std::fs::write(&path, old).unwrap();
    let (mut transcript, _) = FileTranscript::open(&path).unwrap();
    let error = transcript
        .append(&[Message::new(Role::Assistant, "yes")])
        .unwrap_err();
    assert!(matches!(error, TranscriptError::Unclear { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), old);
    assert_eq!(
        std::fs::read_to_string(error.rescued().unwrap()).unwrap(),
        "assistant:\n\nyes\n"
    );
}
