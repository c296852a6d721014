//! The docs are run: every `chat` block is read, every `console` block is run against replayed
//! answers, and every link leads somewhere. `UPDATE=1` writes the blocks anew: the diff is the
//! review.
//!
//! A block may have marks right before it, as HTML comments: `<!-- file: NAME -->` (the block is
//! a file that the commands below it use), `<!-- replay: NAME as ENDPOINT -->` (the model's replies
//! come from `docs/guide/replays/NAME`) and `<!-- peers -->` (real MCP servers are started, so it is run
//! only where they are).

mod console;
mod page;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scoutai::chat::{self, Severity};

use console::{Replay, Session, steady};
use page::{Block, Mark, blocks};

#[test]
fn chat_blocks_read_without_errors() {
    let mut faults = Vec::new();
    for page in pages() {
        for block in blocks(&page.text).iter().filter(|block| block.is("chat")) {
            let errors: Vec<String> = chat::parse(&block.body, &Arc::from(page.path.as_path()))
                .diagnostics
                .into_iter()
                .filter(|found| found.severity == Severity::Error)
                .map(|found| found.message)
                .collect();
            let meant_wrong = block.info == "chat wrong";
            if errors.is_empty() == meant_wrong {
                faults.push(format!("{}:{}: {errors:?}", page.name, block.line()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn console_blocks_print_what_they_show() {
    run_pages(|page| !page.needs_peers(), &[]);
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn console_blocks_with_real_servers_print_what_they_show() {
    run_pages(Page::needs_peers, &crate::peers::Peers::here().programs());
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for page in pages() {
        for link in page.text.split("](").skip(1) {
            let target = link.split([')', '#']).next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            if !page.path.with_file_name("").join(target).exists() {
                faults.push(format!("{}: `{target}` is not there", page.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn readme_has_two_commands_that_do_all() {
    let text = std::fs::read_to_string(top().join("README.md")).unwrap();
    let commands: Vec<String> = blocks(&text)
        .into_iter()
        .filter(|block| block.is("sh"))
        .map(|block| block.body)
        .collect();
    assert_eq!(commands, ["./tests/peers/first.sh\n", "./.ci/run\n"]);
}

#[test]
fn every_dependency_has_its_reason() {
    let manifest = std::fs::read_to_string(top().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = toml::from_str(&manifest).unwrap();
    let mut named: Vec<String> = ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .filter_map(|kind| manifest.get(*kind)?.as_table())
        .flat_map(|table| table.keys().cloned())
        .collect();
    let page = std::fs::read_to_string(top().join("docs/DEPENDENCIES.md")).unwrap();
    let mut told: Vec<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('|').next())
        .flat_map(|cell| cell.split(',').map(|name| name.replace(['`', ' '], "")))
        .collect();
    named.sort();
    // A crate may serve both the program and its tests.
    named.dedup();
    told.sort();
    assert_eq!(named, told);
}

/// Runs the console blocks of the pages of one kind and compares, or writes them anew.
fn run_pages(of_kind: impl Fn(&Page) -> bool, programs: &[PathBuf]) {
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let mut faults = Vec::new();
    for page in pages().into_iter().filter(of_kind) {
        let session = Session::new();
        let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
        // From the end, so that a block that grows does not move those that are still to come.
        let mut changed = Vec::new();
        for block in blocks(&page.text) {
            for mark in &block.marks {
                match mark {
                    Mark::File(name) => session.write(name, &block.body),
                    Mark::Replay { .. } | Mark::Peers => {}
                }
            }
            if !block.is("console") {
                continue;
            }
            let printed = session.run(&block.body, replay(&block).as_ref(), programs);
            if steady(&printed) != steady(&block.body) {
                changed.push((block, printed));
            }
        }
        for (block, printed) in changed.into_iter().rev() {
            if update {
                let new = printed.lines().map(str::to_owned);
                lines.splice(block.lines, new);
            } else {
                let at = format!("{}:{}", page.name, block.line());
                faults.push(format!(
                    "{at}: the block shows\n{}\nbut is\n{printed}",
                    block.body
                ));
            }
        }
        if update && lines != page.text.lines().collect::<Vec<_>>() {
            std::fs::write(&page.path, lines.join("\n") + "\n").unwrap();
        }
    }
    assert!(
        faults.is_empty(),
        "{}\n(UPDATE=1 writes them anew)",
        faults.join("\n")
    );
}

/// Gives what the replies of a block come from.
fn replay(block: &Block) -> Option<Replay> {
    block.marks.iter().find_map(|mark| match mark {
        Mark::Replay { chat, endpoint } => {
            let chat = top().join("docs/guide/replays").join(chat);
            assert!(chat.exists(), "{} is not there", chat.display());
            Some(Replay {
                chat,
                endpoint: endpoint.clone(),
            })
        }
        Mark::File(_) | Mark::Peers => None,
    })
}

/// A page of the docs.
struct Page {
    path: PathBuf,
    /// The path below the top folder, for people.
    name: String,
    text: String,
}

impl Page {
    fn needs_peers(&self) -> bool {
        blocks(&self.text)
            .iter()
            .any(|block| block.marks.contains(&Mark::Peers))
    }
}

/// Every page: the README and all below `docs`.
fn pages() -> Vec<Page> {
    let mut paths = vec![top().join("README.md")];
    let mut folders = vec![top().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("replays") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| Page {
            name: path.strip_prefix(top()).unwrap().display().to_string(),
            text: std::fs::read_to_string(&path).unwrap(),
            path,
        })
        .collect()
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
