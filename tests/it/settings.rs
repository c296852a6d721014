//! Settings: where they are read, and from where they are not.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use scoutai::wiring::Settings;
use scoutai::wiring::endpoints::{Asked, EndpointError, Given, Source, Target, resolve};
use scoutai::wiring::trust::Trusting;
use scoutai::world::places::Owner;

/// A user with a home folder, and a project in which the user works.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Machine {
    pub(crate) fn new() -> Machine {
        let machine = Machine {
            folder: tempfile::tempdir().unwrap(),
            variables: Vec::new(),
        };
        for folder in [machine.home(""), machine.project("")] {
            std::fs::create_dir(folder).unwrap();
        }
        machine
    }

    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.folder.path().join("home").join(name)
    }

    pub(crate) fn project(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    /// Where `config.toml` is.
    pub(crate) fn config(&self) -> PathBuf {
        self.home(".config/scoutai/config.toml")
    }

    pub(crate) fn file(self, path: impl AsRef<Path>, text: &str) -> Machine {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn configured(self, text: &str) -> Machine {
        self.file("home/.config/scoutai/config.toml", text)
    }

    pub(crate) fn variable(mut self, name: &str, value: &str) -> Machine {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn settings(&self) -> Settings {
        let home = ("HOME".to_owned(), self.home("").display().to_string());
        let path = ("PATH".to_owned(), "/usr/bin:/bin".to_owned());
        let environment = self.variables.iter().cloned().chain([home, path]).collect();
        Settings::read(environment, &self.project("")).unwrap()
    }

    pub(crate) fn resolved(&self, asked: &Asked) -> Result<Option<Target>, EndpointError> {
        resolve(asked, &self.settings(), Trusting::Own)
    }

    pub(crate) fn target(&self, asked: &Asked) -> Target {
        self.resolved(asked).unwrap().unwrap()
    }
}

/// Asked for on the command line.
pub(crate) fn flag(value: &str) -> Given<String> {
    Given::new(value.to_owned(), Source::CommandLine)
}

/// Asked for by a chat of anybody's.
pub(crate) fn chat(value: &str) -> Given<String> {
    Given::new(value.to_owned(), Source::Chat(Owner::Project))
}

pub(crate) fn endpoint(name: &str) -> Asked {
    Asked {
        endpoint: Some(flag(name)),
        ..Asked::default()
    }
}

fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
}

fn file_names(settings: &Settings) -> Vec<&str> {
    let files = settings.endpoint_files.iter();
    files.map(|file| file.name.as_str()).collect()
}

#[test]
fn endpoint_files_are_found_in_the_order_of_the_search() {
    let machine = Machine::new()
        .file("home/.scout/etc/AI/both.yaml", "url: http://user/v1")
        .file("home/etc/scout/AI/shared.yaml", "url: http://shared/v1")
        .file("project/etc/AI/both.yaml", "url: http://here/v1")
        .file("project/etc/AI/notes.txt", "not one")
        .file("project/etc/AI/plain", "url: http://plain/v1")
        .file(
            "home/.config/scoutai/etc/AI/last.yml",
            "url: http://last/v1",
        )
        // The nearest one above the working folder.
        .file(".scout/etc/AI/above.yaml", "url: http://above/v1");
    let settings = machine.settings();
    assert_eq!(
        file_names(&settings),
        ["both", "plain", "above", "both", "shared", "last"]
    );
    assert_eq!(settings.warnings, Vec::<String>::new());
    let owners: Vec<Owner> = settings
        .endpoint_files
        .iter()
        .map(|file| file.placed.owner)
        .collect();
    let (user, project) = (Owner::User, Owner::Project);
    assert_eq!(owners, [project, project, project, user, user, user]);
    assert_eq!(
        machine.target(&endpoint("both")).url.value,
        "http://here/v1"
    );
}

#[test]
fn a_folder_that_all_may_write_is_not_searched() {
    let machine = Machine::new()
        .file("project/etc/AI/a.yaml", "url: http://a/v1")
        .file("home/.scout/etc/AI/b.yaml", "url: http://b/v1");
    open_to_all(&machine.project(""));
    let settings = machine.settings();
    let project = machine.project("");
    let project = project.display();
    assert_eq!(file_names(&settings), ["b"]);
    assert_eq!(
        settings.warnings,
        [format!(
            "`{project}` is not searched: any user of this machine may write `{project}`"
        )]
    );
}

#[test]
fn a_file_that_all_may_write_is_not_read() {
    let machine = Machine::new()
        .configured("[endpoints.a]\nurl = 'http://a/v1'\n")
        .file("home/.scout/etc/AI/b.yaml", "url: http://b/v1")
        .file("home/.scout/etc/config", "endpoint b ask\n");
    open_to_all(&machine.config());
    open_to_all(&machine.home(".scout/etc/AI/b.yaml"));
    open_to_all(&machine.home(".scout/etc"));
    let settings = machine.settings();
    let told = |path: PathBuf, what: &str| {
        let path = path.display();
        format!("`{path}` is not read: any user of this machine may write {what}")
    };
    assert_eq!(
        settings.warnings,
        [
            told(machine.config(), "it"),
            told(machine.home(".scout/etc/AI/b.yaml"), "it"),
            told(machine.home(".scout/etc/config"), "its folder"),
        ]
    );
    assert_eq!(file_names(&settings), Vec::<&str>::new());
    assert!(settings.config.endpoints.is_empty() && settings.entries.is_empty());
}

#[test]
fn a_scout_folder_that_anybody_could_have_made_is_not_searched() {
    let machine = Machine::new().file("open/.scout/etc/AI/trap.yaml", "url: http://trap/v1");
    open_to_all(&machine.folder.path().join("open"));
    let below = machine.folder.path().join("open/mine");
    std::fs::create_dir(&below).unwrap();
    let home = ("HOME".to_owned(), machine.home("").display().to_string());
    let settings = Settings::read([home].into_iter().collect(), &below).unwrap();
    assert_eq!(file_names(&settings), Vec::<&str>::new());
    assert_eq!(settings.warnings.len(), 1, "{:?}", settings.warnings);
}

#[test]
fn declared_folders_are_the_users_own() {
    let machine = Machine::new().file("project/etc/AI/a.yaml", "url: http://a/v1");
    let project = std::fs::canonicalize(machine.project("")).unwrap();
    let config = format!("folders = ['{}', 'here', '/none']", project.display());
    let machine = machine.configured(&config);
    let settings = machine.settings();
    assert_eq!(settings.endpoint_files[0].placed.owner, Owner::User);
    assert_eq!(settings.owner_of(&project.join("x")), Owner::User);
    assert_eq!(settings.owner_of(Path::new("/x")), Owner::Project);
    assert_eq!(
        settings.warnings,
        [
            "`here` in `folders` is not absolute and counts for nothing",
            "`/none` is not there (it stands in `folders`)",
        ]
    );
}

#[test]
fn the_standard_folders_may_be_moved() {
    let machine = Machine::new()
        .file(
            "moved/scoutai/config.toml",
            "[defaults]\nendpoint = 'groq'\n",
        )
        .variable("GROQ_API_KEY", "k");
    let moved = machine.folder.path().join("moved").display().to_string();
    let machine = machine
        .variable("XDG_CONFIG_HOME", &moved)
        .variable("XDG_DATA_HOME", "odd");
    assert_eq!(machine.target(&Asked::default()).name, "groq");
    let places = machine.settings().places;
    // A path that is not absolute counts for nothing.
    assert_eq!(places.state, Some(machine.home(".local/share/scoutai")));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let machine = Machine::new()
        .file("home/.scout/etc/AI/bad.yaml", "url: [1]\n")
        .file("home/.scout/etc/AI/good.yaml", "url: http://good/v1\n");
    // A file with a mistake harms nobody until it is asked for.
    assert_eq!(
        machine.target(&endpoint("good")).url.value,
        "http://good/v1"
    );
    let error = machine.resolved(&endpoint("bad")).unwrap_err();
    let path = machine.home(".scout/etc/AI/bad.yaml");
    assert_eq!(
        error.to_string(),
        format!("{}: `url` must be a text", path.display())
    );
    let machine = machine.configured("[endpoint.x]\n");
    let home = ("HOME".to_owned(), machine.home("").display().to_string());
    let error = Settings::read([home].into_iter().collect(), &machine.project("")).unwrap_err();
    let told = format!(
        "{}:1:2: `endpoint` is no known key",
        machine.config().display()
    );
    assert_eq!(error.to_string(), told);
    assert_eq!(error.hint.as_deref(), Some("write `endpoints`"));
}
