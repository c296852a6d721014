//! The whole program against a server that plays set answers: what no room can show alone.

#[cfg(feature = "bedrock")]
mod bedrock;
mod calls;
mod cut;
mod endings;
mod files;
mod histories;

mod kept;
mod keys;
mod media;
mod network;
mod servers;
mod stops;
mod streams;
mod told;
mod trial;
mod trust;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use crate::fakellm::FakeLlm;

/// A folder to work in, with a home beside it.
struct Place {
    top: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Place {
    fn new() -> Place {
        let top = tempfile::tempdir().unwrap();
        fs::create_dir_all(top.path().join("work")).unwrap();
        fs::create_dir_all(top.path().join("home")).unwrap();
        Place {
            top,
            variables: Vec::new(),
        }
    }

    /// A place whose user asks this server when nothing else is said.
    fn asking(llm: &FakeLlm) -> Place {
        let place = Place::new();
        let config = format!(
            "[defaults]\nendpoint = \"fake\"\n[endpoints.fake]\nbackend = \"openai\"\nurl = \"{}\"\nmodel = \"tiny-7\"\n",
            llm.url
        );
        place.config(&config);
        place
    }

    fn config(&self, text: &str) {
        let folder = self.top.path().join("home/.config/scoutai");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), text).unwrap();
    }

    fn variable(mut self, name: &str, value: &str) -> Place {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn work(&self) -> PathBuf {
        self.top.path().join("work")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scoutai"));
        command
            .args(arguments)
            .current_dir(self.work())
            .env_clear()
            .env("HOME", self.top.path().join("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The line of a chat that declares the small server of these tests.
    fn server() -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/whole/server.py");
        format!("mcp: stdio python3 \"{}\" pid\n", script.display())
    }

    /// The chat without its marks, whose times and ids differ from run to run.
    fn read_bare(&self, name: &str) -> String {
        let text = self.read(name);
        let kept = text.split_inclusive('\n');
        kept.filter(|line| !line.starts_with("meta:")).collect()
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(&self.command(arguments).output().unwrap())
    }

    fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }
}

/// How a run of the program ended.
#[derive(Debug)]
struct Ran {
    exit: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn of(output: &Output) -> Ran {
        let Output {
            status,
            stdout,
            stderr,
        } = output;
        let ran = Ran {
            exit: ExitStatus::code(status),
            stdout: String::from_utf8_lossy(stdout).into_owned(),
            stderr: String::from_utf8_lossy(stderr).into_owned(),
        };
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }
}

/// Asserts what holds after every failure: an exit code, one plain error, the file not rewritten, and
/// that the next run of the chat, with a line added, is answered.
fn failed_well(place: &Place, chat: &str, before: &str, ran: &Ran, exit: i32, cause: &str) {
    assert_eq!(ran.exit, Some(exit), "{ran:?}");
    let errors = ran.stderr.matches("error: ").count();
    assert!(errors == 1 && ran.stderr.contains(cause), "{ran:?}");
    let after = place.read(chat);
    assert!(after.starts_with(before), "{after}");
    let again = place.run(&["ask", chat, "And now?"]);
    assert_eq!(
        (again.exit, again.stdout.as_str()),
        (Some(0), "Now.\n"),
        "{again:?}"
    );
    assert!(place.read(chat).starts_with(&after));
}

/// Waits until something is so: for what another process does.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{what}: not within ten seconds");
}

/// Tells whether a process is there and no zombie.
fn is_alive(pid: &str) -> bool {
    fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"))
        .is_ok_and(|stat| !stat.contains(") Z "))
}
