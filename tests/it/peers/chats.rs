//! A folder with copies of the chats of `fixtures/chats`, and what a run did to one.

use super::*;

/// A folder of its own for a test, with the peers at hand.
pub(super) struct Sandbox {
    folder: tempfile::TempDir,
    peers: Peers,
}

impl Sandbox {
    pub(super) fn new() -> Sandbox {
        Sandbox {
            folder: tempfile::tempdir().unwrap(),
            peers: Peers::here(),
        }
    }

    /// Copies a fixture anew and gives the copy.
    pub(super) fn copy(&self, name: &str) -> PathBuf {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/chats");
        self.write(name, &std::fs::read_to_string(fixtures.join(name)).unwrap())
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Writes a chat for an endpoint, with more lines of directives and one prompt.
    pub(super) fn chat(&self, endpoint: &str, lines: &str, prompt: &str) -> PathBuf {
        let text =
            format!("endpoint: {endpoint}\n{lines}\nsystem: Be brief.\n\nuser:\n\n{prompt}\n");
        self.write("chat.md", &text)
    }

    /// Runs `scoutai ask CHAT` with more arguments, and sees that the old bytes stay.
    pub(super) fn ask(&self, chat: &Path, more: &[&str]) -> Asked {
        let old = std::fs::read_to_string(chat).unwrap();
        let mut path = self.peers.programs();
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_scoutai"))
            .arg("ask")
            .arg(chat)
            .args(more)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.peers.settings())
            .env("AWS_SHARED_CREDENTIALS_FILE", self.peers.credentials())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let new = std::fs::read_to_string(chat).unwrap();
        Asked {
            exit: status.code().unwrap(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
            added: new
                .strip_prefix(&old)
                .expect("the old bytes stay")
                .to_owned(),
        }
    }
}

/// Changes a chat as a person would, in an editor.
pub(super) fn edit(chat: &Path, change: impl Fn(String) -> String) {
    std::fs::write(chat, change(std::fs::read_to_string(chat).unwrap())).unwrap();
}

/// What one run did.
pub(super) struct Asked {
    pub(super) exit: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    /// What it appended.
    pub(super) added: String,
}

impl Asked {
    /// Gives the texts of the events of one kind, as `--json` prints them.
    pub(super) fn events(&self, kind: &str) -> Vec<String> {
        self.stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|event| event["event"] == kind)
            .map(|event| event["text"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Gives the roles of the record, the prompt and what the template makes the model think left
    /// out.
    pub(super) fn roles(&self) -> Vec<Role> {
        let mut roles: Vec<Role> = self.messages().map(|message| message.role).collect();
        roles.retain(|role| !matches!(role, Role::User | Role::Reasoning));
        roles
    }

    /// Gives the texts that one role has in the record.
    pub(super) fn text(&self, role: Role) -> Vec<String> {
        self.messages()
            .filter(|message| message.role == role)
            .map(|message| message.content)
            .collect()
    }

    pub(super) fn outputs(&self) -> Vec<ToolOutput> {
        self.text(Role::FunctionCallOutput)
            .iter()
            .map(|content| ToolOutput::read(content).unwrap())
            .collect()
    }

    /// Gives the one call of the record and its output.
    pub(super) fn only_call(&self) -> (ToolCall, ToolOutput) {
        let calls = self.text(Role::FunctionCall);
        let [call] = calls.as_slice() else {
            panic!("not one call: {calls:?}");
        };
        let call = ToolCall::read(call).unwrap();
        let [output] = &self.outputs()[..] else {
            panic!("not one output: {}", self.added);
        };
        assert_eq!(
            (&output.id, output.error),
            (&call.id, false),
            "{}",
            output.content
        );
        (call, output.clone())
    }

    fn messages(&self) -> impl Iterator<Item = chat::Message> {
        chat::parse(&self.added, &Arc::from(Path::new("added.md")))
            .messages
            .into_iter()
    }
}
