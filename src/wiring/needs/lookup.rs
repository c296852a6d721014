//! Names to paths.

use std::path::{Component, Path, PathBuf};

use super::{Answerer, refused};
use crate::plan::{Base, Found, Trust};
use crate::world::files::{self, Kind};

/// What a name is looked up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sought {
    Chat,
    File,
    Folder,
}

/// The endings that a chat's name may go without.
const CHAT_ENDINGS: [&str; 3] = ["md", "chat", "txt"];

impl Answerer {
    /// Finds what a name leads to: the chat's own folder first, then the working folder, then
    /// `chats/` in the places. A confined chat finds what lies below its own folder and no more.
    pub(super) fn look_up(
        &self,
        name: &str,
        base: &Base,
        sought: Sought,
    ) -> Result<PathBuf, Found> {
        let opened = self.places.opened(name);
        let folders = self.folders(name, &opened, base);
        for folder in &folders {
            if let Some(path) = found_at(folder.join(&opened), sought) {
                return allowed(name, path, base);
            }
        }
        // Other kinds at that name give a better reason than that nothing is there.
        if let Some(path) = folders
            .iter()
            .map(|folder| folder.join(&opened))
            .find(|path| files::kind(path).is_some())
        {
            return allowed(name, path, base);
        }
        if base.trust == Trust::Confined && leaves(&opened) {
            return Err(outside(name));
        }
        let looked: Vec<_> = folders
            .iter()
            .map(|folder| format!("`{}`", folder.display()))
            .collect();
        Err(Found::Failed {
            message: format!("`{name}` is not there"),
            hint: (!opened.is_absolute())
                .then(|| format!("it was looked for in {}", looked.join(", "))),
        })
    }

    /// Gives the folders that a name is looked up in.
    pub(super) fn folders(&self, name: &str, opened: &Path, base: &Base) -> Vec<PathBuf> {
        let mut folders = vec![base.folder.clone()];
        if opened.is_absolute() || base.trust == Trust::Confined {
            return folders;
        }
        let working = &self.places.working;
        let open = files::status(working).is_ok_and(|found| found.world_writable());
        if !open && !folders.contains(working) {
            folders.push(working.clone());
        }
        // `./x` and `../x` are meant as they stand.
        let searched = !name.starts_with("./") && !name.starts_with("../");
        if searched {
            let chats = self
                .places
                .searched
                .iter()
                .map(|place| place.path("chats", ""));
            folders.extend(chats.filter(|folder| {
                files::status(folder)
                    .is_ok_and(|found| found.kind == Kind::Folder && !found.world_writable())
            }));
        }
        folders
    }
}

fn allowed(name: &str, path: PathBuf, base: &Base) -> Result<PathBuf, Found> {
    match base.trust {
        Trust::Trusted => Ok(path),
        Trust::Confined if lies_below(&path, &base.folder) => Ok(path),
        Trust::Confined => Err(outside(name)),
    }
}

pub(super) fn outside(name: &str) -> Found {
    refused(format!(
        "`{name}` is not read: it lies outside of the folder of the file that names it, which is \
         not trusted"
    ))
}

/// Tells whether a path, links followed, lies below a folder.
pub(in crate::wiring) fn lies_below(path: &Path, folder: &Path) -> bool {
    match (files::real_path(path), files::real_path(folder)) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    }
}

/// Tells whether a path leaves where it starts, by its words alone.
pub(super) fn leaves(path: &Path) -> bool {
    let mut depth = 0_i64;
    path.components().any(|part| {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return true,
        }
        depth < 0
    })
}

fn found_at(path: PathBuf, sought: Sought) -> Option<PathBuf> {
    let wanted = match sought {
        Sought::Chat | Sought::File => Kind::File,
        Sought::Folder => Kind::Folder,
    };
    if files::kind(&path) == Some(wanted) {
        return Some(path);
    }
    match sought {
        Sought::File | Sought::Folder => None,
        Sought::Chat => CHAT_ENDINGS.iter().find_map(|ending| {
            let mut name = path.file_name()?.to_owned();
            name.push(format!(".{ending}"));
            let path = path.with_file_name(name);
            (files::kind(&path) == Some(Kind::File)).then_some(path)
        }),
    }
}
