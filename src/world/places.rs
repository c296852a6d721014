//! Places: where settings, chats and state lie, and in what order they are searched.
//!
//! Always true here: a folder that any user of the machine may write is never searched.

use std::path::{Path, PathBuf};

use super::Environment;
use super::files::{self, Kind};

/// Whose a place is, which says how far what lies there is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// The user's own folders, and those of the machine's administrator.
    User,
    /// The working folder and the `.scout` folder of a project: they may come from others.
    Project,
}

/// One place that is searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub owner: Owner,
    layout: Layout,
    root: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// `ROOT/etc/AI/NAME`.
    Plain,
    /// `ROOT/etc/scout/AI/NAME`, as Scout lays out shared folders.
    Shared,
}

impl Place {
    fn new(owner: Owner, layout: Layout, root: impl Into<PathBuf>) -> Place {
        Place {
            owner,
            layout,
            root: root.into(),
        }
    }

    /// Gives where `top/rest` lies in this place.
    pub fn path(&self, top: &str, rest: &str) -> PathBuf {
        match self.layout {
            Layout::Plain => self.root.join(top).join(rest),
            Layout::Shared => {
                let (first, below) = top.split_once('/').unwrap_or((top, ""));
                self.root.join(first).join("scout").join(below).join(rest)
            }
        }
    }
}

/// A file that was found in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub path: PathBuf,
    pub owner: Owner,
}

/// All places, worked out once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The working folder of the process.
    pub working: PathBuf,
    pub home: Option<PathBuf>,
    /// The folder of `config.toml`.
    pub config: Option<PathBuf>,
    /// Where state lies: jobs, stores.
    pub state: Option<PathBuf>,
    /// Where caches lie.
    pub cache: Option<PathBuf>,
    /// What is searched, in order.
    pub searched: Vec<Place>,
    /// What is left out of the search, and why.
    pub warnings: Vec<String>,
}

/// Gives the working folder of the process.
pub fn working_folder() -> std::io::Result<PathBuf> {
    files::unbroken(super::seam::Step::Inspect, std::env::current_dir)
}

impl Places {
    /// Works out the places.
    pub fn of(environment: &Environment, working: &Path) -> Places {
        let home = environment
            .get("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute())
            .or_else(dirs::home_dir);
        let own = |variable: &str, below: &str| {
            environment
                .get(variable)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
                .or_else(|| home.as_ref().map(|home| home.join(below)))
                .map(|path| path.join("scoutai"))
        };
        let [config, state, cache] = STANDARD.map(|(variable, below)| own(variable, below));
        let mut places = Places {
            working: working.to_owned(),
            searched: Vec::new(),
            warnings: Vec::new(),
            home,
            config,
            state,
            cache,
        };
        for place in places.candidates() {
            match open_to_all(&place.root) {
                // Of a folder that holds nothing of ours there is nothing to tell.
                Some(open) if holds_something(&place.root) => {
                    places.warnings.push(format!(
                        "`{}` is not searched: any user of this machine may write `{}`",
                        place.root.display(),
                        open.display()
                    ));
                }
                Some(_) => {}
                None => places.searched.push(place),
            }
        }
        places
    }

    fn candidates(&self) -> Vec<Place> {
        let plain = |owner, root: PathBuf| Place::new(owner, Layout::Plain, root);
        let shared = |root: &Path| Place::new(Owner::User, Layout::Shared, root);
        let user = self.home.as_ref().map(|home| home.join(".scout"));
        let project = self
            .working
            .ancestors()
            .map(|folder| folder.join(".scout"))
            .find(|folder| files::kind(folder) == Some(Kind::Folder))
            .filter(|folder| !same(folder, user.as_deref()));
        let mut all = vec![plain(Owner::Project, self.working.clone())];
        all.extend(project.map(|folder| plain(Owner::Project, folder)));
        all.extend(user.map(|folder| plain(Owner::User, folder)));
        all.extend(self.home.as_deref().map(shared));
        all.extend(self.config.clone().map(|folder| plain(Owner::User, folder)));
        all.extend(["/usr/local", "/", "/usr"].map(|root| shared(Path::new(root))));
        all
    }

    /// Makes the project's places the user's own where they lie in one of these folders.
    #[must_use]
    pub fn trusting(mut self, folders: &[PathBuf]) -> Places {
        for place in &mut self.searched {
            if let Ok(real) = files::real_path(&place.root)
                && folders.iter().any(|folder| real.starts_with(folder))
            {
                place.owner = Owner::User;
            }
        }
        self
    }

    /// Finds every regular file `top/name` in the order of the search. One that any user of the
    /// machine may write, or that lies in such a folder, is left out with a warning.
    pub fn find_all(&self, top: &str, name: &str, warnings: &mut Vec<String>) -> Vec<Placed> {
        let all = self
            .searched
            .iter()
            .map(|place| (place.path(top, name), place.owner));
        all.filter(|(path, _)| files::kind(path) == Some(Kind::File))
            .filter(|(path, _)| is_closed(path, warnings))
            .map(|(path, owner)| Placed { path, owner })
            .collect()
    }

    /// Lists every regular file in the folders `top`, in the order of the search.
    pub fn list(&self, top: &str, warnings: &mut Vec<String>) -> Vec<Placed> {
        let mut all = Vec::new();
        for place in &self.searched {
            let folder = place.path(top, "");
            match files::kind(&folder) {
                Some(Kind::Folder) => {}
                Some(Kind::File | Kind::Special(_)) | None => continue,
            }
            match files::names_in(&folder) {
                Ok(names) => all.extend(
                    names
                        .into_iter()
                        .map(|name| folder.join(name))
                        .filter(|path| files::kind(path) == Some(Kind::File))
                        .filter(|path| is_closed(path, warnings))
                        .map(|path| Placed {
                            path,
                            owner: place.owner,
                        }),
                ),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        all
    }

    /// Opens a leading `~/` to the home folder.
    pub fn opened(&self, name: &str) -> PathBuf {
        let below = if name == "~" {
            Some("")
        } else {
            name.strip_prefix("~/")
        };
        match (below, &self.home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_), None) | (None, _) => PathBuf::from(name),
        }
    }
}

/// The variable that moves a standard folder, and where it lies below the home folder without it:
/// configuration, state, caches.
const STANDARD: [(&str, &str); 3] = if cfg!(target_os = "macos") {
    [
        ("XDG_CONFIG_HOME", "Library/Application Support"),
        ("XDG_DATA_HOME", "Library/Application Support"),
        ("XDG_CACHE_HOME", "Library/Caches"),
    ]
} else {
    [
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_CACHE_HOME", ".cache"),
    ]
};

/// Tells whether a folder holds anything that is searched for.
fn holds_something(root: &Path) -> bool {
    SEARCHED_FOR
        .iter()
        .any(|top| files::kind(&root.join(top)).is_some())
}

/// The folders that places are searched for.
const SEARCHED_FOR: [&str; 2] = ["etc", "chats"];

fn same(path: &Path, other: Option<&Path>) -> bool {
    let real = |path: &Path| files::real_path(path).ok();
    other.is_some_and(|other| path == other || (real(path).is_some() && real(path) == real(other)))
}

/// Gives the folder by which other users can plant something: `folder` itself, or, for a hidden
/// folder such as `.scout`, the one in which anybody could have made it.
fn open_to_all(folder: &Path) -> Option<&Path> {
    let hidden = folder
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    let above = folder.parent().filter(|_| hidden);
    [Some(folder), above]
        .into_iter()
        .flatten()
        .find(|path| files::status(path).is_ok_and(|found| found.world_writable()))
}

/// Tells whether only its owner and group can have written a file; a warning says so if not.
pub fn is_closed(path: &Path, warnings: &mut Vec<String>) -> bool {
    let open = [Some(path), path.parent()]
        .into_iter()
        .flatten()
        .find(|path| files::status(path).is_ok_and(|found| found.world_writable()));
    if let Some(open) = open {
        let what = if open == path { "it" } else { "its folder" };
        warnings.push(format!(
            "`{}` is not read: any user of this machine may write {what}",
            path.display()
        ));
    }
    open.is_none()
}
