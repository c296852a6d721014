//! Needs answered from the world.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use scoutai::chat::Origin;
use scoutai::plan::{Base, Found, MediaKind, MediaSource, Need, NeedId, Trust, Want};
use scoutai::wiring::needs::{Answerer, Commands, ReadLimits, Refresh};
use scoutai::wiring::trust::{Standing, Trusting};
use scoutai::world::processes::ShellLimits;
use scoutai::world::{Environment, Places};
use tokio_util::sync::CancellationToken;

/// A folder with a chat's folder, a working folder and a home folder in it.
struct Ground {
    folder: tempfile::TempDir,
    started: Arc<Mutex<Vec<String>>>,
    commands: Commands,
    refresh: Refresh,
    trusting: Trusting,
}

impl Ground {
    fn new(files: &[(&str, &str)]) -> Ground {
        let folder = tempfile::tempdir().unwrap();
        for name in ["chats", "working", "home"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let ground = Ground {
            folder,
            started: Arc::default(),
            commands: Commands::Run,
            refresh: Refresh::No,
            trusting: Trusting::Own,
        };
        for (name, text) in files {
            ground.write(name, text);
        }
        ground
    }

    fn path(&self, name: &str) -> PathBuf {
        std::fs::canonicalize(self.folder.path())
            .unwrap()
            .join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    fn answerer(&self) -> Answerer {
        let home = self.path("home").display().to_string();
        let environment: Environment = [("HOME".to_owned(), home)].into_iter().collect();
        let own = [self.path("home/.scout")];
        let main = self.path("chats/main.md");
        let started = Arc::clone(&self.started);
        Answerer {
            places: Places::of(&environment, &self.path("working")),
            standing: Standing::of(Some(&main), &own, self.trusting).unwrap(),
            commands: self.commands,
            refresh: self.refresh,
            files: Some(self.path("chats/main.md.files")),
            environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
            command_limits: ShellLimits {
                timeout: Duration::from_mins(1),
                max_output: 10_000,
            },
            read_limits: ReadLimits::default(),
            cancel: CancellationToken::new(),
            announce: Arc::new(move |command| started.lock().unwrap().push(command.to_owned())),
        }
    }

    async fn found(&self, want: Want, trust: Trust) -> Found {
        let base = Base {
            folder: self.path("chats"),
            trust,
        };
        let need = Need {
            id: NeedId(0),
            at: Origin::Run,
            base,
            want,
        };
        self.answerer().fetch(&need).await
    }

    /// Fetches and gives the outcome in one line.
    async fn told(&self, want: Want, trust: Trust) -> String {
        let text = match self.found(want, trust).await {
            Found::Chat { path, text, trust } => format!("{} {trust:?}: {text}", path.display()),
            Found::Files { files, skipped } => {
                let files: Vec<_> = files
                    .into_iter()
                    .map(|file| format!("{}: {}", file.name, file.text))
                    .collect();
                let skipped: Vec<_> = skipped
                    .into_iter()
                    .map(|(name, why)| format!("not {name}: {why}"))
                    .collect();
                [files, skipped].concat().join("; ")
            }
            Found::Media(media) => match media.source {
                MediaSource::Url(url) => format!("at {url}"),
                MediaSource::Bytes { mime, bytes } => format!("{mime}, {} bytes", bytes.len()),
            },
            Found::Schema(schema) => schema.to_string(),
            Found::Command { output } => output,
            Found::Failed { message, hint } => {
                format!("failed: {message} ({})", hint.unwrap_or_default())
            }
            Found::Refused { message, .. } => format!("refused: {message}"),
        };
        text.replace(&self.path("").display().to_string(), "")
    }

    async fn command(&self, ordinal: usize, settled: bool) -> String {
        let command = "echo x >> runs; wc -l < runs".to_owned();
        let want = Want::Command {
            command,
            ordinal,
            settled,
        };
        self.told(want, Trust::Trusted).await.trim().to_owned()
    }
}

fn chat(name: &str) -> Want {
    Want::Chat { name: name.into() }
}

fn file(pattern: &str) -> Want {
    Want::File {
        pattern: pattern.into(),
    }
}

fn directory(name: &str) -> Want {
    Want::Directory { name: name.into() }
}

fn media(name: &str, kind: MediaKind) -> Want {
    Want::Media {
        name: name.into(),
        kind,
    }
}

#[tokio::test]
async fn chats_are_looked_for_beside_the_chat_then_here_then_in_the_places() {
    let ground = Ground::new(&[
        ("chats/a.md", "beside"),
        ("working/a.md", "here"),
        ("working/b.chat", "here"),
        ("working/chats/b.md", "place"),
        ("working/chats/c", "place"),
        ("home/.scout/chats/c.md", "user"),
        ("home/.scout/chats/d.txt", "user"),
        ("home/e.md", "home\r\n"),
    ]);
    let told = async |name: &str| ground.told(chat(name), Trust::Trusted).await;
    assert_eq!(told("a").await, "chats/a.md Trusted: beside");
    assert_eq!(told("a.md").await, "chats/a.md Trusted: beside");
    // Neither the folder of the main chat nor one of the user's own.
    assert_eq!(told("b").await, "working/b.chat Confined: here");
    assert_eq!(told("c").await, "working/chats/c Confined: place");
    assert_eq!(told("d").await, "home/.scout/chats/d.txt Trusted: user");
    assert_eq!(told("~/e.md").await, "home/e.md Confined: home\r\n");
    assert_eq!(told("../home/e").await, "home/e.md Confined: home\r\n");
    assert_eq!(
        told("none").await,
        "failed: `none` is not there (it was looked for in `chats`, `working`, \
         `working/chats/`, `home/.scout/chats/`)"
    );
    assert_eq!(
        told("./c").await,
        "failed: `./c` is not there (it was looked for in `chats`, `working`)"
    );
}

#[tokio::test]
async fn what_others_can_have_written_is_not_searched() {
    let ground = Ground::new(&[
        ("working/x.md", "planted"),
        ("working/chats/y.md", "planted"),
    ]);
    let working = ground.path("working");
    std::fs::set_permissions(&working, std::fs::Permissions::from_mode(0o777)).unwrap();
    for name in ["x", "y"] {
        let told = ground.told(chat(name), Trust::Trusted).await;
        assert_eq!(
            told,
            format!("failed: `{name}` is not there (it was looked for in `chats`)")
        );
    }
}

#[tokio::test]
async fn a_confined_chat_reads_only_below_its_folder() {
    let ground = Ground::new(&[
        ("chats/in/x.md", "in"),
        ("working/x.md", "out"),
        ("home/.ssh/id_test", "secret"),
        ("home/.scout/chats/own.md", "own"),
    ]);
    symlink(ground.path("home/.ssh/id_test"), ground.path("chats/link")).unwrap();
    symlink(ground.path("home/.ssh"), ground.path("chats/folder")).unwrap();
    let ssh = ground.path("home/.ssh/id_test").display().to_string();
    let told = async |want| ground.told(want, Trust::Confined).await;
    let refused = |name: &str| {
        let name = name.replace(&ground.path("").display().to_string(), "");
        format!(
            "refused: `{name}` is not read: it lies outside of the folder of the file that names \
             it, which is not trusted"
        )
    };
    for name in [
        "~/.ssh/id_test",
        &ssh,
        "../home/.ssh/id_test",
        "link",
        "folder/id_test",
        "../none",
    ] {
        assert_eq!(told(file(name)).await, refused(name));
        assert_eq!(told(chat(name)).await, refused(name));
        assert_eq!(told(media(name, MediaKind::Image)).await, refused(name));
        assert_eq!(
            told(Want::Schema { name: name.into() }).await,
            refused(name)
        );
    }
    for name in ["..", "/", "~", "folder"] {
        assert_eq!(told(directory(name)).await, refused(name));
    }
    for name in [
        "../working/*.md",
        "/etc/*",
        "folder/*",
        "~/.ssh/*",
        "in/../../*",
    ] {
        assert_eq!(told(file(name)).await, refused(name));
    }
    assert_eq!(told(file("in/x.md")).await, "in/x.md: in");
    assert_eq!(told(file("in/../in/*.md")).await, "in/../in/x.md: in");
    assert_eq!(told(chat("in/x")).await, "chats/in/x.md Confined: in");
    assert_eq!(
        told(chat("own")).await,
        "failed: `own` is not there (it was looked for in `chats`)"
    );
    assert_eq!(
        told(directory(".")).await,
        "in/x.md: in; not folder: it is a link to a folder; not link: it is a link that leads out \
         of the folder"
    );
    let command = Want::Command {
        command: "touch pwned".into(),
        ordinal: 0,
        settled: false,
    };
    assert_eq!(
        told(command).await,
        "refused: `touch pwned` is not run: the file that names it is not trusted"
    );
    assert!(!ground.path("chats/pwned").exists() && ground.started.lock().unwrap().is_empty());
}

#[tokio::test]
async fn trust_passes_to_imports_that_lie_near_and_to_no_others() {
    let mut ground = Ground::new(&[("chats/in/x.md", "in"), ("working/x.md", "out")]);
    symlink(ground.path("working/x.md"), ground.path("chats/link.md")).unwrap();
    let told = async |ground: &Ground, name: &str| ground.told(chat(name), Trust::Trusted).await;
    assert_eq!(told(&ground, "in/x").await, "chats/in/x.md Trusted: in");
    assert_eq!(told(&ground, "link").await, "working/x.md Confined: out");
    ground.trusting = Trusting::All;
    assert_eq!(told(&ground, "link").await, "working/x.md Trusted: out");
}

#[tokio::test]
async fn files_are_read_as_text() {
    let ground = Ground::new(&[
        ("chats/crlf.txt", "\u{FEFF}a\r\nb\r\n"),
        ("chats/[x].rs", "literal"),
        ("chats/x.rs", "x"),
        ("working/only.c", "c"),
        ("home/h.txt", "h"),
    ]);
    ground.write("chats/wide.txt", b"\xFF\xFEh\0");
    let told = async |pattern: &str| ground.told(file(pattern), Trust::Trusted).await;
    assert_eq!(told("crlf.txt").await, "crlf.txt: a\nb\n");
    assert_eq!(
        told("wide.txt").await,
        "failed: `wide.txt` is UTF-16, and UTF-8 is wanted ()"
    );
    // A file that is there is meant before the pattern that its name could be.
    assert_eq!(told("[x].rs").await, "[x].rs: literal");
    assert_eq!(told("*.rs").await, "[x].rs: literal; x.rs: x");
    assert_eq!(told("*.c").await, "only.c: c");
    assert_eq!(told("~/*.txt").await, "home/h.txt: h");
    assert_eq!(told("*.py").await, "failed: no file fits `*.py` ()");
    assert_eq!(
        told(".").await,
        "failed: `chats/.` is a folder, and a file is wanted ()"
    );
    assert_eq!(
        told("/dev/null").await,
        "failed: `/dev/null` is a device, and a regular file is wanted ()"
    );
    assert_eq!(
        ground.told(directory("crlf.txt"), Trust::Trusted).await,
        "failed: `chats/crlf.txt` is no folder ()"
    );
}

#[tokio::test]
async fn media_and_schemas_are_told_from_their_content() {
    let ground = Ground::new(&[
        ("chats/a.pdf", "%PDF-1.7"),
        ("chats/no.png", "text"),
        ("chats/s.json", "{\"type\": \"object\"}"),
        ("chats/bad.json", "{"),
        ("chats/list.json", "[]"),
    ]);
    ground.write("chats/odd.txt", b"\x89PNG\r\n\x1A\n....");
    let told = async |name: &str, kind| ground.told(media(name, kind), Trust::Trusted).await;
    assert_eq!(
        told("odd.txt", MediaKind::Image).await,
        "image/png, 12 bytes"
    );
    assert_eq!(
        told("a.pdf", MediaKind::Pdf).await,
        "application/pdf, 8 bytes"
    );
    assert_eq!(
        told("https://e.example/a.png", MediaKind::Image).await,
        "at https://e.example/a.png"
    );
    let picture = "a PNG, JPEG, GIF or WebP picture";
    assert_eq!(
        told("a.pdf", MediaKind::Image).await,
        format!("failed: `a.pdf` is a PDF, and {picture} is wanted ()")
    );
    assert_eq!(
        told("no.png", MediaKind::Image).await,
        format!("failed: `no.png` is not {picture} by its first bytes ()")
    );
    let schema = async |name: &str| {
        ground
            .told(Want::Schema { name: name.into() }, Trust::Trusted)
            .await
    };
    assert_eq!(schema("s.json").await, "{\"type\":\"object\"}");
    assert_eq!(
        schema("bad.json").await,
        "failed: `bad.json` is no valid JSON: EOF while parsing an object at line 1 column 1 ()"
    );
    assert_eq!(
        schema("list.json").await,
        "failed: `list.json` is no JSON schema: it is no object ()"
    );
}

#[tokio::test]
async fn a_settled_command_is_not_run_again() {
    let mut ground = Ground::new(&[]);
    assert_eq!(ground.command(0, false).await, "1");
    // Not settled: run anew, and the pin replaced.
    assert_eq!(ground.command(0, false).await, "2");
    assert_eq!(ground.command(0, true).await, "2");
    // Another one of the same words has a pin of its own.
    assert_eq!(ground.command(1, true).await, "3");
    assert_eq!(ground.command(0, true).await, "2");
    ground.refresh = Refresh::Yes;
    assert_eq!(ground.command(0, true).await, "4");
    ground.commands = Commands::Show;
    assert_eq!(ground.command(0, false).await, "4");
    assert_eq!(
        ground.command(2, true).await,
        "(would run: echo x >> runs; wc -l < runs)"
    );
    assert_eq!(ground.started.lock().unwrap().len(), 4);
    let pins = ground.path("chats/main.md.files/cmd");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&pins), mode(pins.parent().unwrap())), (0o700, 0o700));
    assert_eq!(std::fs::read_dir(pins).unwrap().count(), 2);
}

#[tokio::test]
async fn a_command_that_fails_says_so_in_its_output() {
    let ground = Ground::new(&[]);
    let told = async |command: &str| {
        let want = Want::Command {
            command: command.into(),
            ordinal: 0,
            settled: false,
        };
        ground.told(want, Trust::Trusted).await
    };
    assert_eq!(
        told("echo a; echo b >&2; exit 4").await,
        "a\n[exit code 4]\n[stderr]\nb\n"
    );
    assert_eq!(told("pwd; echo ${HOME:-no home}").await, "chats\nno home\n");
    // A pin that cannot be written is told, not lost.
    std::fs::remove_dir_all(ground.path("chats/main.md.files")).unwrap();
    ground.write("chats/main.md.files", "in the way");
    let message = told("echo a").await;
    assert!(
        message.starts_with("failed: the output of `echo a` cannot be kept: "),
        "{message}"
    );
}

#[tokio::test]
async fn what_another_user_owns_is_confined() {
    let ground = Ground::new(&[("chats/main.md", "mine"), ("chats/x.md", "theirs")]);
    let standing = |ground: &Ground| ground.answerer().standing.main;
    assert_eq!(standing(&ground), Trust::Trusted);
    if scoutai::world::files::own_user() != 0 {
        // Without the right to give files away, a file of the administrator has to do.
        let standing = Standing::of(Some(Path::new("/etc/passwd")), &[], Trusting::Own).unwrap();
        assert_eq!(standing.main, Trust::Confined);
        return;
    }
    for name in ["chats/main.md", "chats/x.md"] {
        std::os::unix::fs::chown(ground.path(name), Some(12345), None).unwrap();
    }
    assert_eq!(standing(&ground), Trust::Confined);
    let told = ground.told(chat("x"), Trust::Trusted).await;
    assert_eq!(told, "chats/x.md Confined: theirs");
}

#[tokio::test]
async fn cancelling_ends_what_is_fetched() {
    let ground = Ground::new(&[("chats/x.md", "x")]);
    let answerer = ground.answerer();
    answerer.cancel.cancel();
    let base = Base {
        folder: ground.path("chats"),
        trust: Trust::Trusted,
    };
    let command = Want::Command {
        command: "sleep 1000".into(),
        ordinal: 0,
        settled: false,
    };
    let needs = [command, directory(".")].map(|want| Need {
        id: NeedId(0),
        at: Origin::Run,
        base: base.clone(),
        want,
    });
    for (_, found) in answerer.fetch_all(&needs).await {
        assert!(matches!(found, Found::Failed { .. }), "{found:?}");
    }
    assert!(!ground.path("chats/main.md.files").exists());
}
