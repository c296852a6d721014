//! A folder with a chat in it, and runs of that chat in processes of their own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

use scoutai::chat::{Message, Role, parse};
use serde_json::Value;

use super::child::{CHAT, TOOLS, Tools};

/// What stands in the chat before the first run: text without a line end, so that the first thing
/// that is appended has to mend that.
pub(crate) const OLD: &str =
    "system: You bake.\n\nuser: Bake, please.\n\n```\nuser: in a fence\n```\nand so on";

/// A folder that is gone in the end.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    tools: Tools,
}

/// How a run in another process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    Answered(String),
    InUse,
    Failed(String),
    Killed,
}

impl Stage {
    pub(crate) fn new(tools: Tools) -> Stage {
        let stage = Stage {
            folder: tempfile::tempdir().unwrap(),
            tools,
        };
        std::fs::write(stage.chat(), OLD).unwrap();
        stage
    }

    pub(crate) fn chat(&self) -> PathBuf {
        self.folder.path().join("chat.md")
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.chat()).unwrap()
    }

    pub(crate) fn ledger(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("chat.ledger")).unwrap_or_default()
    }

    /// Starts a run; `fault` is what the seam does, in the words of `SCOUTAI_FAULT`.
    pub(crate) fn start(&self, fault: &str) -> Child {
        Command::new(std::env::current_exe().unwrap())
            .args(["run::child::the_other_process", "--exact", "--nocapture"])
            .env(CHAT, self.chat())
            .env(TOOLS, self.tools.name())
            .env("SCOUTAI_FAULT", fault)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Runs the chat and waits for the end.
    pub(crate) fn run(&self, fault: &str) -> Ending {
        let mut child = self.start(fault);
        let id = child.id();
        let status = child.wait().unwrap();
        self.ending(id, status)
    }

    /// Tells how the run of a process has ended.
    pub(crate) fn ending(&self, id: u32, status: ExitStatus) -> Ending {
        use std::os::unix::process::ExitStatusExt;
        if status.signal() == Some(9) {
            return Ending::Killed;
        }
        let path = self.folder.path().join(format!("chat.{id}.end"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let (how, rest) = text.split_once('\n').unwrap();
        match how {
            "answered" => Ending::Answered(rest.to_owned()),
            "in use" => Ending::InUse,
            "failed" => Ending::Failed(rest.to_owned()),
            other => panic!("{other}"),
        }
    }

    /// Counts the calls to the world that a whole run makes.
    pub(crate) fn calls(tools: Tools) -> usize {
        let stage = Stage::new(tools);
        let count = stage.folder.path().join("count");
        let ending = stage.run(&format!("count:{}", count.display()));
        assert!(matches!(ending, Ending::Answered(_)), "{ending:?}");
        std::fs::read_to_string(count).unwrap().lines().count()
    }

    /// Reads the chat, checks that its old bytes are there and that it is clear, and gives its
    /// messages without what differs from run to run.
    pub(crate) fn messages(&self) -> Vec<(Role, String)> {
        let text = self.text();
        assert!(text.starts_with(OLD), "{text}");
        messages_of(&text)
    }

    /// Gives the messages of a whole run.
    pub(crate) fn whole(tools: Tools) -> Vec<(Role, String)> {
        let stage = Stage::new(tools);
        let ending = stage.run("none");
        assert_eq!(ending, Ending::Answered(super::child::ANSWER.to_owned()));
        stage.messages()
    }
}

pub(crate) fn messages_of(text: &str) -> Vec<(Role, String)> {
    let path: Arc<Path> = Arc::from(Path::new("chat.md"));
    let chat = parse(text, &path);
    assert!(
        chat.diagnostics.is_empty(),
        "{:?}\n{text}",
        chat.diagnostics
    );
    chat.messages.iter().map(settled).collect()
}

fn settled(message: &Message) -> (Role, String) {
    let content = match message.role {
        // Ids, times and the sums of a session differ; that a record was cut does not.
        Role::Meta => message
            .content
            .split(' ')
            .filter(|pair| {
                let key = pair.split('=').next().unwrap();
                !["inference_id", "timestamp"].contains(&key) && !key.ends_with("_s")
            })
            .collect::<Vec<_>>()
            .join(" "),
        Role::FunctionCallOutput => {
            let mut value: Value = serde_json::from_str(&message.content).unwrap();
            let fields = value.as_object_mut().unwrap();
            fields.remove("timestamp");
            fields.remove("start_timestamp");
            value.to_string()
        }
        Role::System
        | Role::Developer
        | Role::User
        | Role::Assistant
        | Role::FunctionCall
        | Role::Reasoning
        | Role::Directive(_) => message.content.clone(),
    };
    (message.role, content)
}
