//! How far a chat file is trusted.

use std::path::{Path, PathBuf};

use crate::plan::Trust;
use crate::world::files::{self, FileError};

/// What the user said about trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trusting {
    /// Nothing: the usual rules hold.
    Own,
    /// `--trust`: every file that is run or imported is trusted.
    All,
}

/// What decides about the files of one run.
#[derive(Debug, Clone)]
pub struct Standing {
    /// Trust in the file that is run.
    pub main: Trust,
    /// The folder of the file that is run, links followed; two when the file itself is a link.
    main_folders: Vec<PathBuf>,
    own_folders: Vec<PathBuf>,
    trusting: Trusting,
    user: u32,
}

impl Standing {
    /// Looks at the file that is run; with none, only the command line speaks, which is trusted.
    pub fn of(
        main: Option<&Path>,
        own_folders: &[PathBuf],
        trusting: Trusting,
    ) -> Result<Standing, FileError> {
        let user = files::own_user();
        let mut standing = Standing {
            main: Trust::Trusted,
            main_folders: Vec::new(),
            own_folders: own_folders.to_vec(),
            trusting,
            user,
        };
        if let Some(path) = main {
            let owner = match files::status(path) {
                Ok(found) => found.owner,
                // A chat that is not there yet is made by the user.
                Err(error) if error.is_missing() => user,
                Err(error) => return Err(error),
            };
            let folder = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() => folder,
                Some(_) | None => Path::new("."),
            };
            standing.main_folders.push(files::real_path(folder)?);
            if let Ok(real) = files::real_path(path) {
                standing
                    .main_folders
                    .extend(real.parent().map(Path::to_owned));
            }
            standing.main = standing.by_owner(owner);
        }
        Ok(standing)
    }

    /// Gives the trust in a file that another names, by its real path and its owner: it has to
    /// belong to the user and to lie below the folder of the main file or in one of the user's own
    /// folders. What a confined file brings in is confined, too.
    pub fn of_import(&self, real: &Path, owner: u32, importer: Trust) -> Trust {
        let near = self
            .own_folders
            .iter()
            .chain(&self.main_folders)
            .any(|folder| real.starts_with(folder));
        match (self.trusting, importer) {
            (Trusting::All, Trust::Trusted | Trust::Confined) => Trust::Trusted,
            (Trusting::Own, Trust::Trusted) if near => self.by_owner(owner),
            (Trusting::Own, Trust::Trusted | Trust::Confined) => Trust::Confined,
        }
    }

    /// Another user's file is confined, the administrator's too: root runs nobody's chats blindly.
    fn by_owner(&self, owner: u32) -> Trust {
        match self.trusting {
            Trusting::All => Trust::Trusted,
            Trusting::Own if owner == self.user => Trust::Trusted,
            Trusting::Own => Trust::Confined,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(user: u32, trusting: Trusting) -> Standing {
        Standing {
            main: Trust::Trusted,
            main_folders: Vec::new(),
            own_folders: Vec::new(),
            trusting,
            user,
        }
    }

    #[test]
    fn only_the_users_own_file_is_trusted() {
        let cases = [
            (1000, 1000, Trusting::Own, Trust::Trusted),
            (1000, 1001, Trusting::Own, Trust::Confined),
            (1000, 0, Trusting::Own, Trust::Confined),
            (0, 0, Trusting::Own, Trust::Trusted),
            (0, 1000, Trusting::Own, Trust::Confined),
            (1000, 1001, Trusting::All, Trust::Trusted),
        ];
        for (user, owner, trusting, expected) in cases {
            assert_eq!(
                standing(user, trusting).by_owner(owner),
                expected,
                "{user} runs a file of {owner}"
            );
        }
    }
}
