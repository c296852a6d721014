//! Settings: read once at the start, into plain values.

use std::path::{Path, PathBuf};

use super::endpoints::Source;
use crate::world::config::ConfigError;
use crate::world::endpoint_file::{self, EndpointFile};
use crate::world::places::{Owner, Placed, is_closed};
use crate::world::scout_config::Entry;
use crate::world::{Config, Environment, Places, files};

/// All that is set outside of the chat and the command line.
#[derive(Debug, Clone)]
pub struct Settings {
    pub environment: Environment,
    pub places: Places,
    pub config: Config,
    /// Where `config.toml` is, or would be.
    pub config_path: Option<PathBuf>,
    /// Every `etc/AI/NAME.yaml`, in the order of the search: of equal names the first one counts.
    pub endpoint_files: Vec<NamedFile>,
    /// The lines of every `etc/config`; of equals the last one counts.
    pub entries: Vec<Entry<Source>>,
    /// The user's own folders, links followed.
    pub folders: Vec<PathBuf>,
    /// What was passed over, and why.
    pub warnings: Vec<String>,
}

/// An endpoint file with the name of its endpoint.
#[derive(Debug, Clone)]
pub struct NamedFile {
    pub name: String,
    pub placed: Placed,
    /// A file with mistakes in it harms nobody until it is asked for.
    pub read: Result<EndpointFile, ConfigError>,
}

/// No `etc/config` is longer.
const ENTRIES_LIMIT: u64 = 1 << 20;

impl Settings {
    /// Reads all settings. A mistake in `config.toml` is an error.
    pub fn read(environment: Environment, working: &Path) -> Result<Settings, ConfigError> {
        let places = Places::of(&environment, working);
        let mut warnings = places.warnings.clone();
        let config_path = places
            .config
            .as_ref()
            .map(|folder| folder.join("config.toml"));
        let config = match &config_path {
            Some(path) if is_closed(path, &mut warnings) => Config::load(path)?,
            Some(_) | None => Config::default(),
        };
        let folders = own_folders(&places, &config, &mut warnings);
        let places = places.trusting(&folders);
        let endpoint_files = endpoint_files(&places, &mut warnings);
        let entries = entries(&places, &mut warnings);
        Ok(Settings {
            environment,
            places,
            config,
            config_path,
            endpoint_files,
            entries,
            folders,
            warnings,
        })
    }

    /// Names the files that settings were read from, for people.
    pub fn files_used(&self) -> Vec<String> {
        let config = self.config_path.as_ref().map(|path| {
            let there = match files::kind(path) {
                Some(_) => "",
                None => " is not there",
            };
            format!("`{}`{there}", path.display())
        });
        let mut used: Vec<String> = config.into_iter().collect();
        for entry in &self.entries {
            let place = entry.place.to_string();
            if !used.contains(&place) {
                used.push(place);
            }
        }
        used
    }

    /// Tells whose a file is: the user's own when it lies in one of the user's own folders.
    pub fn owner_of(&self, real: &Path) -> Owner {
        if self.folders.iter().any(|folder| real.starts_with(folder)) {
            Owner::User
        } else {
            Owner::Project
        }
    }
}

fn own_folders(places: &Places, config: &Config, warnings: &mut Vec<String>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let usual = [
        places.home.as_ref().map(|home| home.join(".scout")),
        places.config.clone(),
    ];
    // A usual folder that is not there is simply not used.
    folders.extend(
        usual
            .into_iter()
            .flatten()
            .filter_map(|path| files::real_path(&path).ok()),
    );
    for folder in &config.folders {
        let opened = places.opened(&folder.to_string_lossy());
        if !opened.is_absolute() {
            warnings.push(format!(
                "`{}` in `folders` is not absolute and counts for nothing",
                folder.display()
            ));
            continue;
        }
        match files::real_path(&opened) {
            Ok(real) => folders.push(real),
            Err(error) => warnings.push(format!("{error} (it stands in `folders`)")),
        }
    }
    folders
}

fn endpoint_files(places: &Places, warnings: &mut Vec<String>) -> Vec<NamedFile> {
    let all = places.list("etc/AI", warnings).into_iter();
    all.filter_map(|placed| {
        let ending = placed.path.extension().and_then(|ending| ending.to_str());
        let name = match ending {
            Some("yaml" | "yml") => placed.path.file_stem(),
            // Scout takes a name as it is, too.
            None => placed.path.file_name(),
            Some(_) => None,
        }?;
        let name = name
            .to_str()
            .filter(|name| !name.starts_with('.'))?
            .to_owned();
        let read = endpoint_file::load(&placed.path);
        Some(NamedFile { name, placed, read })
    })
    .collect()
}

/// Reads the files from the last place to the first, so that a nearer line counts.
fn entries(places: &Places, warnings: &mut Vec<String>) -> Vec<Entry<Source>> {
    let mut all = Vec::new();
    for placed in places.find_all("etc", "config", warnings).into_iter().rev() {
        match files::read_text(&placed.path, ENTRIES_LIMIT) {
            Ok(text) => all.extend(Entry::read_all(&text, &Source::File(placed))),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    all
}
