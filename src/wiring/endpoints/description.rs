//! Descriptions of endpoints, found by name.

use serde_json::{Map, Value};

use super::EndpointError;
use super::providers;
use super::source::{Given, Source};
use crate::backends::Preset;
use crate::wiring::Settings;
use crate::world::config::{EndpointTable, nearest};

/// What describes an endpoint.
#[derive(Debug, Clone)]
pub(super) struct Description {
    pub name: String,
    pub source: Source,
    pub table: EndpointTable,
    pub control: Map<String, Value>,
    /// The provider that the name stands for.
    pub provider: Option<&'static Preset>,
}

/// Finds the description of an endpoint by its name: the user's `config.toml`, then endpoint
/// files, then the built-in table.
pub(super) fn described(
    name: &Given<String>,
    settings: &Settings,
) -> Result<Description, EndpointError> {
    let wanted = name.value.as_str();
    if let Some(table) = settings.config.endpoints.get(wanted) {
        return Ok(Description {
            name: wanted.to_owned(),
            source: Source::Config(settings.config_path.clone().unwrap_or_default()),
            table: table.clone(),
            control: Map::new(),
            provider: providers::named(wanted),
        });
    }
    if let Some(file) = settings
        .endpoint_files
        .iter()
        .find(|file| file.name == wanted)
    {
        let read = file.read.clone()?;
        return Ok(Description {
            name: wanted.to_owned(),
            source: Source::File(file.placed.clone()),
            table: read.table,
            control: read.control,
            provider: providers::named(wanted),
        });
    }
    if let Some(provider) = providers::named(wanted) {
        return Ok(built_in(provider));
    }
    let known = known_names(settings);
    Err(EndpointError::Unknown {
        name: wanted.to_owned(),
        asked_by: name.source.clone(),
        nearest: nearest(wanted, known.iter().map(String::as_str)).map(str::to_owned),
        known,
    })
}

/// Names every endpoint that can be asked for, sorted.
pub(super) fn known_names(settings: &Settings) -> Vec<String> {
    let mut names: Vec<String> = settings
        .config
        .endpoints
        .keys()
        .cloned()
        .chain(settings.endpoint_files.iter().map(|file| file.name.clone()))
        .chain(providers::all().map(|provider| provider.name.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}

pub(super) fn built_in(provider: &'static Preset) -> Description {
    Description {
        name: provider.name.to_owned(),
        source: Source::BuiltIn,
        table: EndpointTable {
            backend: Some(provider.name.to_owned()),
            ..EndpointTable::default()
        },
        control: Map::new(),
        provider: Some(provider),
    }
}
