//! Files that import each other: rings are told, chains and floods are bounded, diamonds are fine.

use std::path::Path;

use scoutai::plan::{Exec, Trust, compiled};

use super::planned;

/// Plans `a.md` of a folder and gives what the model would get, or what is told.
fn plan_of(folder: &Path) -> Result<Vec<String>, Vec<String>> {
    let path = std::fs::canonicalize(folder.join("a.md")).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    match planned(&text, &path, Trust::Trusted, Exec::Allowed).0 {
        Ok(plan) => Ok(compiled(&plan.said)
            .into_iter()
            .map(|message| message.content)
            .collect()),
        Err(faults) => Err(faults
            .diagnostics
            .into_iter()
            .map(|diagnostic| diagnostic.message)
            .collect()),
    }
}

/// Makes a folder of chats.
fn folder(chats: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in chats {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_file_that_imports_itself_by_other_names() {
    let text = "import: x/../a.md\nimport: link.md\n";
    let folder = folder(&[("a.md", text)]);
    std::fs::create_dir(folder.path().join("x")).unwrap();
    std::os::unix::fs::symlink("a.md", folder.path().join("link.md")).unwrap();
    let ring = "this import never ends: `a.md` -> `a.md`".to_owned();
    assert_eq!(plan_of(folder.path()), Err(vec![ring.clone(), ring]));
}

#[test]
fn a_chain_of_two_hundred_is_cut() {
    let chain = |length: usize| {
        let folder = folder(&[("a.md", "import: 1.md\n")]);
        for number in 1..length {
            let text = format!("import: {}.md\n", number + 1);
            std::fs::write(folder.path().join(format!("{number}.md")), text).unwrap();
        }
        std::fs::write(folder.path().join(format!("{length}.md")), "user: end\n").unwrap();
        plan_of(folder.path())
    };
    assert_eq!(chain(100), Ok(vec!["end".to_owned()]));
    assert_eq!(
        chain(200),
        Err(vec!["this import is nested more than 100 deep".to_owned()])
    );
}

#[test]
fn a_long_way_round_counts_as_deep() {
    let folder = folder(&[("a.md", "import: 1.md\nimport: 90.md\n")]);
    for number in 1..120 {
        let text = format!("import: {}.md\n", number + 1);
        std::fs::write(folder.path().join(format!("{number}.md")), text).unwrap();
    }
    std::fs::write(folder.path().join("120.md"), "user: end\n").unwrap();
    assert_eq!(
        plan_of(folder.path()),
        Err(vec!["this import is nested more than 100 deep".to_owned()])
    );
    // The other order finds the same: what was expanded before knows how deep it goes.
    std::fs::write(folder.path().join("a.md"), "import: 90.md\nimport: 1.md\n").unwrap();
    assert!(plan_of(folder.path()).is_err());
}

#[test]
fn a_diamond_is_fine() {
    let folder = folder(&[
        ("a.md", "import: b.md\nimport: c.md\n"),
        ("b.md", "user: b\nimport: d.md\n"),
        ("c.md", "user: c\nimport: d.md\n"),
        ("d.md", "assistant: d\n"),
    ]);
    let said = ["b", "d", "c", "d"].map(str::to_owned);
    assert_eq!(plan_of(folder.path()), Ok(said.to_vec()));
}

#[test]
fn twenty_files_that_import_two_others_each() {
    let round = folder(&[("a.md", "import: 0.md\n")]);
    for number in 0..20 {
        let (next, other) = ((number + 1) % 20, (number + 7) % 20);
        let text = format!("import: {next}.md\nimport: {other}.md\n");
        std::fs::write(round.path().join(format!("{number}.md")), text).unwrap();
    }
    let rings = plan_of(round.path()).unwrap_err();
    assert!(
        rings
            .iter()
            .all(|told| told.starts_with("this import never ends: "))
    );
    // Each import that closes a ring is told once.
    assert!((1..=40).contains(&rings.len()), "{}", rings.len());

    let flood = folder(&[("a.md", "import: 0.md\n")]);
    for number in 0..20 {
        let text = format!("import: {0}.md\nimport: {0}.md\n", number + 1);
        std::fs::write(flood.path().join(format!("{number}.md")), text).unwrap();
    }
    std::fs::write(flood.path().join("20.md"), "user: x\n").unwrap();
    assert_eq!(
        plan_of(flood.path()),
        Err(vec![
            "with this import the chat has 1022 imports, and 1000 are the most".to_owned()
        ])
    );
}

#[test]
fn bytes_brought_in_are_bounded() {
    let folder = folder(&[("a.md", &"import: big.md\n".repeat(700))]);
    let text = format!("user: {}\n", "x".repeat(100_000));
    std::fs::write(folder.path().join("big.md"), text).unwrap();
    assert_eq!(
        plan_of(folder.path()),
        Err(vec![
            "with this import more than 64000000 bytes are imported".to_owned()
        ])
    );
}

#[test]
fn an_import_of_an_import_has_no_more_trust() {
    let top = folder(&[("a.md", "import: theirs/b.md\n"), ("own.md", "cmd: x\n")]);
    let theirs = top.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    std::fs::write(theirs.join("b.md"), "import: link.md\n").unwrap();
    std::fs::write(theirs.join("link.md"), "endpoint: evil\n").unwrap();
    let refused = "`endpoint` chooses where requests are sent, and `theirs/link.md` is not trusted";
    assert_eq!(plan_of(top.path()), Err(vec![refused.to_owned()]));
}

#[test]
fn a_file_of_nothing_but_edits_is_no_trap() {
    // Edits that looked at every message above them would take hours for this.
    let edits = "user: x\n\nclear:\nclear_role: user\nclear_tools:\noption: k 1\nassistant: y\n\n";
    let folder = folder(&[("a.md", &format!("{}user: end\n", edits.repeat(10_000)))]);
    assert_eq!(
        plan_of(folder.path()),
        Ok(vec!["y".to_owned(), "end".to_owned()])
    );
}
