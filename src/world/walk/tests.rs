//! What walks promise.
#![expect(clippy::disallowed_methods, reason = "tests arrange the world by hand")]

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn pairs(walked: &Walked) -> Vec<(&str, &str)> {
    walked
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.text.as_str()))
        .collect()
}

fn skipped(walked: &Walked) -> Vec<(&str, &str)> {
    walked
        .skipped
        .iter()
        .map(|(name, why)| (name.as_str(), why.as_str()))
        .collect()
}

/// A scope that nobody cancels.
fn scope(reach: Reach, limits: Limits) -> Scope<'static> {
    static NEVER: std::sync::LazyLock<CancellationToken> =
        std::sync::LazyLock::new(CancellationToken::new);
    Scope {
        reach,
        limits,
        cancel: &NEVER,
    }
}

fn folder_of(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

#[test]
fn a_folder_of_every_kind_of_file() {
    let folder = folder_of(&[
        (".git/index", b"\0\x01"),
        (".hidden", b"no"),
        (".gitignore", b"*.log\n"),
        ("a b's.txt", b"odd name"),
        ("big.txt", &[b'x'; 200]),
        ("fine.txt", "real \u{FFFD} sign".as_bytes()),
        ("latin.txt", b"caf\xE9"),
        ("noise.bin", b"\x7FELF\0\x9C"),
        ("sub/deep.md", b"deep"),
        ("sub/no.log", b"no"),
        ("wide.txt", b"\xFF\xFEh\0"),
    ]);
    let path = folder.path();
    std::fs::write(path.join(OsStr::from_bytes(b"n\xFFme")), "named").unwrap();
    symlink(".", path.join("loop")).unwrap();
    symlink("nowhere", path.join("lost")).unwrap();
    symlink("sub/deep.md", path.join("zlink")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, path.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    let limits = Limits {
        file_bytes: 100,
        ..Limits::default()
    };
    let walked = directory(path, "./d", scope(Reach::Below, limits)).unwrap();
    assert_eq!(
        pairs(&walked),
        [
            ("./d/a b's.txt", "odd name"),
            ("./d/fine.txt", "real \u{FFFD} sign"),
            ("./d/n\\xFFme", "named"),
            ("./d/sub/deep.md", "deep"),
            ("./d/zlink", "deep"),
        ]
    );
    assert_eq!(
        skipped(&walked),
        [
            ("./d/big.txt", "it has 200 bytes, and 100 are the most"),
            ("./d/latin.txt", "it is not UTF-8 at byte 3"),
            ("./d/loop", "it is a link to a folder"),
            ("./d/lost", "it is a link that leads nowhere"),
            ("./d/noise.bin", "it is no text: it holds a NUL at byte 4"),
            ("./d/pipe", "it is a pipe"),
            ("./d/wide.txt", "it is UTF-16, and UTF-8 is wanted"),
        ]
    );
}

#[test]
fn a_file_that_may_not_be_read_is_told() {
    let folder = folder_of(&[("shut/in.txt", b"x"), ("shut.txt", b"x")]);
    for name in ["shut", "shut.txt"] {
        let path = folder.path().join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    let walked = directory(
        folder.path(),
        ".",
        scope(Reach::Anywhere, Limits::default()),
    )
    .unwrap();
    let denied = [
        ("shut", "permission denied"),
        ("shut.txt", "permission denied"),
    ];
    if files::own_user() == 0 {
        assert_eq!(pairs(&walked), [("shut/in.txt", "x"), ("shut.txt", "x")]);
    } else {
        assert_eq!(skipped(&walked), denied);
    }
}

#[test]
fn links_that_lead_out_are_followed_only_when_all_is_in_reach() {
    let folder = folder_of(&[("in/a", b"a"), ("out", b"secret")]);
    symlink("../out", folder.path().join("in/b")).unwrap();
    let inside = folder.path().join("in");
    let walked = |reach| directory(&inside, "in/", scope(reach, Limits::default())).unwrap();
    assert_eq!(
        pairs(&walked(Reach::Anywhere)),
        [("in/a", "a"), ("in/b", "secret")]
    );
    let below = walked(Reach::Below);
    assert_eq!(pairs(&below), [("in/a", "a")]);
    assert_eq!(
        skipped(&below),
        [("in/b", "it is a link that leads out of the folder")]
    );
}

#[test]
fn an_ignore_file_that_is_a_pipe_holds_nothing_up() {
    let folder = folder_of(&[("a/x", b"x"), ("b/y", b"y")]);
    let pipe = folder.path().join("a/.gitignore");
    rustix::fs::mkfifoat(rustix::fs::CWD, pipe, rustix::fs::Mode::RWXU).unwrap();
    let walked = directory(folder.path(), "", scope(Reach::Below, Limits::default())).unwrap();
    assert_eq!(pairs(&walked), [("b/y", "y")]);
}

#[test]
fn too_much_is_an_error() {
    let folder = folder_of(&[("a", b"12345"), ("b", b"12345")]);
    let told = |limits| {
        directory(folder.path(), "", scope(Reach::Below, limits))
            .unwrap_err()
            .to_string()
    };
    let name = folder.path().display();
    assert_eq!(
        told(Limits {
            all_bytes: 9,
            ..Limits::default()
        }),
        format!("`{name}` holds more than 9 bytes of text")
    );
    assert_eq!(
        told(Limits {
            entries: 1,
            ..Limits::default()
        }),
        format!("`{name}` holds more than 1 files")
    );
}

#[test]
fn patterns_name_files_as_in_a_shell() {
    let folder = folder_of(&[
        (".gitignore", b"made/\n"),
        (".dot.rs", b"."),
        ("a.rs", b"a"),
        ("b.txt", b"b"),
        ("made/m.rs", b"m"),
        ("src/c.rs", b"c"),
        ("src/d/e.rs", b"e"),
    ]);
    let names = |pattern: &str| -> Vec<String> {
        glob(
            folder.path(),
            pattern,
            scope(Reach::Below, Limits::default()),
        )
        .map_or_else(
            |fault| vec![fault.to_string()],
            |walked| walked.files.into_iter().map(|file| file.name).collect(),
        )
    };
    assert_eq!(names("*.rs"), ["a.rs"]);
    assert_eq!(names("*.{rs,txt}"), ["a.rs", "b.txt"]);
    assert_eq!(names(".*.rs"), [".dot.rs"]);
    assert_eq!(names("made/*"), ["made/m.rs"]);
    assert_eq!(names("**/*.rs"), ["a.rs", "src/c.rs", "src/d/e.rs"]);
    assert_eq!(names("src/**/e.rs"), ["src/d/e.rs"]);
    assert_eq!(names("src/?.rs"), ["src/c.rs"]);
    assert_eq!(names("src/*"), ["src/c.rs"]);
    let all = format!("{}/src/*.rs", folder.path().display());
    assert_eq!(
        names(&all),
        [format!("{}/src/c.rs", folder.path().display())]
    );
    assert_eq!(names("*.py"), ["no file fits `*.py`"]);
    assert_eq!(names("none/*"), ["no file fits `none/*`"]);
    assert_eq!(
        names("a[.rs"),
        ["`a[.rs` is no valid pattern: unclosed character class; missing ']'"]
    );
}

#[test]
fn a_walk_ends_when_it_is_cancelled() {
    let folder = folder_of(&[("a", b"a")]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let scope = Scope {
        cancel: &cancel,
        ..scope(Reach::Below, Limits::default())
    };
    let told = directory(folder.path(), "", scope).unwrap_err().to_string();
    let name = folder.path().display();
    assert_eq!(told, format!("reading `{name}` was interrupted"));
}
