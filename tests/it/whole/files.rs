//! Files of every kind: the chat itself, and what it brings in.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{Place, failed_well};
use crate::fakellm::{FakeLlm, Play};

fn sent(llm: &FakeLlm) -> String {
    llm.only_request().json()["messages"][0]["content"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_chat_of_windows_keeps_its_mark_and_its_line_ends() {
    let llm = FakeLlm::start(vec![Play::text("One\ntwo")]);
    let place = Place::asking(&llm);
    let chat = "\u{feff}system:\r\n\r\nBe terse.\r\n\r\nuser: q\r\nfile: a.txt\r\n";
    place.write("chat.md", chat);
    place.write("a.txt", "\u{feff}x\r\ny\r\n");
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(ran.stdout, "One\ntwo\n", "{ran:?}");
    let request = llm.only_request().json();
    assert_eq!(request["messages"][0]["role"], "system");
    assert_eq!(request["messages"][0]["content"], "Be terse.");
    assert_eq!(
        request["messages"][1]["content"],
        "q\n\n<file name=\"a.txt\">\nx\ny\n</file>"
    );
    let after = place.read("chat.md");
    let added = after.strip_prefix(chat).unwrap();
    assert_eq!(added.matches('\n').count(), added.matches("\r\n").count());
    assert!(added.contains("assistant:\r\n\r\nOne\r\ntwo\r\n") && !added.contains('\u{feff}'));
}

#[test]
fn utf_16_is_refused_with_what_to_do() {
    let utf_16: Vec<u8> = "\u{feff}user: hi\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let llm = FakeLlm::start(vec![]);
    let place = Place::asking(&llm);
    fs::write(place.work().join("chat.md"), &utf_16).unwrap();
    fs::write(place.work().join("a.txt"), &utf_16).unwrap();
    place.write("includes.md", "user: q\nfile: a.txt\n");
    for (chat, exit) in [("chat.md", 3), ("includes.md", 3)] {
        let ran = place.run(&["ask", chat]);
        assert_eq!(ran.exit, Some(exit), "{ran:?}");
        assert!(
            ran.stderr.contains("UTF-16") && ran.stderr.contains("UTF-8"),
            "{ran:?}"
        );
    }
    assert_eq!(fs::read(place.work().join("chat.md")).unwrap(), utf_16);
    assert_eq!(llm.requests().len(), 0);
}

#[test]
fn a_folder_of_everything_is_included_as_far_as_it_is_text() {
    let llm = FakeLlm::start(vec![Play::text("Fine.")]);
    let place = Place::asking(&llm);
    let folder = place.work().join("d");
    place.write("d/.git/index", "hidden");
    place.write("d/plain.txt", "plain\n");
    place.write("d/mark.txt", "real \u{fffd} mark\n");
    place.write("d/it's one.txt", "odd\n");
    fs::write(folder.join("noise.bin"), vec![0x9b; 5 << 20]).unwrap();
    fs::write(folder.join("latin.txt"), b"caf\xe9\n").unwrap();
    fs::write(
        folder.join(std::ffi::OsStr::from_bytes(b"b\xff.txt")),
        "byte\n",
    )
    .unwrap();
    symlink(".", folder.join("loop")).unwrap();
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.unwrap().success());
    place.write("chat.md", "directory: d\nuser: q\n");
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "Fine.\n"),
        "{ran:?}"
    );
    let said = sent(&llm);
    for text in [
        "plain\n",
        "real \u{fffd} mark\n",
        "odd\n",
        "byte\n",
        "b\\xFF.txt",
    ] {
        assert!(said.contains(text), "{text}: {said}");
    }
    assert!(!said.contains("hidden") && !said.contains("caf"), "{said}");
    for skipped in ["d/noise.bin", "d/latin.txt", "d/pipe"] {
        assert_eq!(ran.stderr.matches(skipped).count(), 1, "{skipped}: {ran:?}");
    }
}

#[test]
fn rings_of_imports_are_told_with_their_way_round() {
    let place = Place::asking(&FakeLlm::start(vec![]));
    place.write("a.md", "import: b.md\nuser: q\n");
    place.write("b.md", "import: a.md\n");
    place.write("self.md", "import: x/../self.md\nuser: q\n");
    fs::create_dir(place.work().join("x")).unwrap();
    place.write("linked.md", "import: link.md\nuser: q\n");
    symlink("linked.md", place.work().join("link.md")).unwrap();
    place.write("goes_on.md", "continue: tail.md\nuser: q\n");
    place.write("tail.md", "last: goes_on.md\n");
    for (chat, way) in [
        ("a.md", "`a.md` -> `b.md` -> `a.md`"),
        ("self.md", "`self.md` -> `self.md`"),
        ("linked.md", "`linked.md` -> `linked.md`"),
        ("goes_on.md", "`goes_on.md` -> `tail.md` -> `goes_on.md`"),
    ] {
        let ran = place.run(&["ask", chat]);
        assert_eq!(ran.exit, Some(3), "{chat}: {ran:?}");
        assert!(ran.stderr.contains(way), "{chat}: {ran:?}");
    }
}

#[test]
fn a_diamond_of_imports_is_fine_and_a_long_chain_is_not() {
    let llm = FakeLlm::start(vec![Play::text("Fine.")]);
    let place = Place::asking(&llm);
    place.write("a.md", "import: b.md\nimport: c.md\nuser: q\n");
    place.write("b.md", "import: d.md\n");
    place.write("c.md", "import: d.md\n");
    place.write("d.md", "user: d\n");
    let ran = place.run(&["ask", "a.md"]);
    assert_eq!(ran.stdout, "Fine.\n", "{ran:?}");
    assert_eq!(sent(&llm), "d\n\nd\n\nq");
    for number in 0..200 {
        let next = number + 1;
        place.write(&format!("c{number}.md"), &format!("import: c{next}.md\n"));
    }
    place.write("c200.md", "user: q\n");
    let ran = place.run(&["ask", "c0.md"]);
    assert_eq!(ran.exit, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("deep"), "{ran:?}");
}

#[test]
fn what_cannot_be_read_or_written_is_told_with_its_place() {
    let llm = FakeLlm::start(vec![Play::text("Now.")]);
    let place = Place::asking(&llm);
    fs::create_dir(place.work().join("folder.md")).unwrap();
    let ran = place.run(&["ask", "folder.md"]);
    assert!(
        ran.exit == Some(3) && ran.stderr.contains("folder"),
        "{ran:?}"
    );

    place.write("chat.md", "file: none.txt\nuser: q\n");
    let ran = place.run(&["ask", "chat.md"]);
    assert!(
        ran.stderr.contains("chat.md:1:1") && ran.stderr.contains("none.txt"),
        "{ran:?}"
    );
    assert_eq!(ran.exit, Some(3), "{ran:?}");
    place.write("none.txt", "x\n");
    failed_well(
        &place,
        "chat.md",
        "file: none.txt\nuser: q\n",
        &ran,
        3,
        "none.txt",
    );
}

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let llm = FakeLlm::start(vec![Play::text(&"bread ".repeat(7000)), Play::text("Now.")]);
    let place = Place::asking(&llm);
    // A small file system of its own: where that cannot be had, the faults that are played in
    // `run` are all there is.
    let script = "mkdir small && mount -t tmpfs -o size=64k none small || exit 77\n\
                  printf 'user: q\\n' > small/chat.md\n\
                  head -c 56k /dev/zero > small/filler\n\
                  \"$0\" ask small/chat.md > answer 2> told; echo $? > status\n\
                  cp small/chat.md first.md\n\
                  rm small/filler\n\
                  \"$0\" ask small/chat.md; cp small/chat.md second.md";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]);
    command.arg(env!("CARGO_BIN_EXE_scoutai"));
    command.current_dir(place.work()).env_clear();
    command.env("HOME", place.top.path().join("home"));
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let out = command.stdin(std::process::Stdio::null()).output().unwrap();
    if !place.work().join("status").exists() {
        eprintln!("no file system can be mounted here: {out:?}");
        return;
    }
    assert_eq!(place.read("status"), "1\n");
    let told = place.read("told");
    assert!(
        told.contains("small/chat.md") && told.contains("No space left"),
        "{told}"
    );
    assert!(place.read("answer").trim_end().ends_with("bread bread"));
    assert!(place.read("first.md").starts_with("user: q\n"));
    assert!(!place.read("first.md").contains("bread"));
    let second = place.read("second.md");
    assert!(second.starts_with(&place.read("first.md")), "{second}");
    assert!(
        second.ends_with("assistant:\n\nNow.\n\nuser:\n"),
        "{second}"
    );
}
