//! What files promise.
#![expect(clippy::disallowed_methods, reason = "tests arrange the world by hand")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn text_loses_its_mark_and_its_carriage_returns() {
    let bytes = b"\xEF\xBB\xBFone\r\ntwo\rthree\n".to_vec();
    assert_eq!(text_of(bytes), Ok("one\ntwo\rthree\n".into()));
    assert_eq!(text_of("a \u{FFFD} b".into()), Ok("a \u{FFFD} b".into()));
}

#[test]
fn what_is_no_text_is_told_apart() {
    assert_eq!(text_of(b"\xFF\xFEh\0i\0".to_vec()), Err(TextFault::Utf16));
    assert_eq!(text_of(b"h\0i\0".to_vec()), Err(TextFault::Utf16));
    assert_eq!(text_of(b"\0h\0i".to_vec()), Err(TextFault::Utf16));
    assert_eq!(text_of(b"ab\0c".to_vec()), Err(TextFault::Nul { at: 2 }));
    assert_eq!(text_of(b"\0\0".to_vec()), Err(TextFault::Nul { at: 0 }));
    assert_eq!(
        text_of(b"caf\xE9".to_vec()),
        Err(TextFault::NotUtf8 { at: 3 })
    );
}

#[test]
fn names_show_unsafe_bytes_escaped() {
    assert_eq!(
        escaped(OsStr::from_bytes(b"a\xFFb\n\\ '")),
        "a\\xFFb\\x0A\\\\ '"
    );
    assert_eq!(escaped(OsStr::new("pêche\u{202E}")), "pêche\\xE2\\x80\\xAE");
}

#[test]
fn reads_are_bounded_and_never_wait() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    std::fs::write(&file, "12345").unwrap();
    assert_eq!(read(&file, 5).unwrap(), b"12345");
    let told = |path: &Path, limit| read(path, limit).unwrap_err().to_string();
    let name = |path: &Path| format!("`{}`", path.display());
    assert_eq!(
        told(&file, 4),
        format!("{} has 5 bytes, and 4 are the most", name(&file))
    );
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let wanted = "and a regular file is wanted";
    assert_eq!(
        told(&pipe, 4),
        format!("{} is a pipe, {wanted}", name(&pipe))
    );
    let zero = Path::new("/dev/zero");
    assert_eq!(told(zero, 4), format!("`/dev/zero` is a device, {wanted}"));
    let gone = folder.path().join("gone");
    assert_eq!(told(&gone, 4), format!("{} is not there", name(&gone)));
    assert!(matches!(
        read(folder.path(), 4),
        Err(FileError::IsFolder { .. })
    ));
    // Its size is told as 0.
    assert!(matches!(
        read(Path::new("/proc/self/status"), 4),
        Err(FileError::TooLarge { size: 5, .. })
    ));
}

#[test]
fn a_write_replaces_the_whole_file_and_leaves_nothing_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    write_atomically(&file, b"old", Access::Private).unwrap();
    write_atomically(&file, b"new", Access::Private).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(names_in(folder.path()).unwrap(), ["a"]);
    let deep = folder.path().join("x/y");
    create_folder(&deep, Access::Private).unwrap();
    assert_eq!(
        (mode(&deep), mode(&folder.path().join("x"))),
        (0o700, 0o700)
    );
    assert!(write_atomically(&folder.path().join("x"), b"", Access::Shared).is_err());
    assert_eq!(names_in(folder.path()).unwrap(), ["a", "x"]);
}

#[test]
fn below_a_folder_links_may_stay_inside_only() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::write(root.join("sub/in"), "in").unwrap();
    std::fs::write(folder.path().join("out"), "out").unwrap();
    symlink("sub/in", root.join("good")).unwrap();
    symlink("../out", root.join("bad")).unwrap();
    symlink("../..", root.join("sub/up")).unwrap();
    let read = |name: &str| read_beneath(&root, &root.join(name), 10).map(|(bytes, _)| bytes);
    assert_eq!(read("sub/in").unwrap(), b"in");
    assert_eq!(read("good").unwrap(), b"in");
    for name in ["bad", "../out", "sub/up/out"] {
        assert!(
            matches!(read(name), Err(FileError::Outside { .. })),
            "{name}"
        );
    }
    assert!(matches!(read("sub"), Err(FileError::IsFolder { .. })));
    assert!(matches!(read("."), Err(FileError::IsFolder { .. })));
    assert!(matches!(read("none"), Err(FileError::Missing { .. })));
}
