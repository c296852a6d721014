//! Endpoints: from what was asked and what is set to one server, with its key and its model.
//!
//! Always true here: resolving asks nobody, and reads no file but the profiles of AWS for a region;
//! only [`find`] looks for local servers and gets keys.

mod aws;
mod description;
mod error;
pub mod key;
mod keyed;
mod list;
mod probe;
mod providers;
mod resolve;
mod source;
mod url;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::Settings;
use super::trust::Trusting;
use crate::backends::{Preset, Protocol};
use crate::world::Secret;
use crate::world::scout_config::Entry;

pub use aws::Signing;
pub use error::{EndpointError, FailureKind};
pub use key::{FoundKey, KeySource};
pub use list::{Listed, list, show};
pub use probe::{LOCAL_SERVERS, LocalServer, probe};
pub use resolve::resolve;
pub use source::{Given, Source};
pub(in crate::wiring) use url::host_of;

/// What the command line and the chat ask for, already layered, each with where it was said.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub endpoint: Option<Given<String>>,
    pub backend: Option<Given<String>>,
    pub model: Option<Given<String>>,
    pub url: Option<Given<String>>,
    pub key: Option<Given<String>>,
    pub region: Option<Given<String>>,
    pub profile: Option<Given<String>>,
    /// Parameters of the request; they go over those of the endpoint.
    pub parameters: Map<String, Value>,
    /// The chat's `config:` lines.
    pub config: Vec<Entry<Source>>,
}

/// Which wire format a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    Speaks(Protocol),
    /// Replies come from a chat file, whose path is the URL.
    Scripted,
}

impl BackendKind {
    pub fn name(self) -> &'static str {
        match self {
            BackendKind::Speaks(protocol) => protocol.name(),
            BackendKind::Scripted => "scripted",
        }
    }
}

/// A server to ask, its key not yet got.
#[derive(Debug, Clone)]
pub struct Target {
    pub name: String,
    /// Where the endpoint is described.
    pub described: Source,
    pub provider: Option<&'static Preset>,
    pub backend: BackendKind,
    /// The base URL, without a slash at its end.
    pub url: Given<String>,
    pub key: Option<FoundKey>,
    /// What requests are signed with, where there is no key and the provider wants it.
    pub signing: Option<Signing>,
    /// A key that there is and that must not go to this URL.
    pub withheld: Option<Withheld>,
    pub model: Option<Given<String>>,
    pub parameters: Map<String, Value>,
    /// Settings of the endpoint that are no parameters, such as `persist`.
    pub control: Map<String, Value>,
    pub headers: BTreeMap<String, Secret>,
    pub ca_file: Option<PathBuf>,
    pub stream: Option<bool>,
    pub timeouts: Timeouts,
}

/// A server to ask, ready for use.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub target: Target,
    /// Checked: it can stand in a header.
    pub key: Option<(Secret, KeySource)>,
}

/// How long to wait for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    /// Without a byte.
    pub idle: Duration,
}

/// A key that stays here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    pub source: KeySource,
    pub host: String,
    /// Who named the URL.
    pub url_from: Source,
}

impl Withheld {
    /// Says it to people, for a note or when the server refuses.
    pub fn message(&self) -> String {
        format!(
            "the key from {} is not sent to `{}`, which {} names: it is none of its provider's \
             hosts and not in your own settings",
            self.source, self.host, self.url_from
        )
    }

    /// Says what to do about it.
    pub fn hint(&self) -> &'static str {
        "describe the endpoint in your own `config.toml`, or give `--trust` when you trust the file"
    }
}

/// Chooses the server, looks for a local one where none is named, and gets the key.
pub async fn find(
    asked: &Asked,
    settings: &Settings,
    trusting: Trusting,
    cancel: &CancellationToken,
) -> Result<Endpoint, EndpointError> {
    find_among(asked, settings, trusting, cancel, &LOCAL_SERVERS).await
}

/// As [`find`], with the local servers to look for.
pub async fn find_among(
    asked: &Asked,
    settings: &Settings,
    trusting: Trusting,
    cancel: &CancellationToken,
    servers: &[LocalServer],
) -> Result<Endpoint, EndpointError> {
    let target = choose_among(asked, settings, trusting, servers).await?;
    with_key(target, settings, cancel).await
}

/// Chooses the server, and looks for a local one where none is named.
pub async fn choose(
    asked: &Asked,
    settings: &Settings,
    trusting: Trusting,
) -> Result<Target, EndpointError> {
    choose_among(asked, settings, trusting, &LOCAL_SERVERS).await
}

async fn choose_among(
    asked: &Asked,
    settings: &Settings,
    trusting: Trusting,
    servers: &[LocalServer],
) -> Result<Target, EndpointError> {
    if let Some(target) = resolve(asked, settings, trusting)? {
        return Ok(target);
    }
    let answering = probe(servers).await.ok_or(EndpointError::NothingSet {
        config: settings.config_path.clone(),
    })?;
    answering.target(asked, settings, trusting)
}

/// Gets the key of a server that was chosen.
pub async fn with_key(
    target: Target,
    settings: &Settings,
    cancel: &CancellationToken,
) -> Result<Endpoint, EndpointError> {
    let key = match &target.key {
        Some(found) => Some((key::get(found, settings, cancel).await?, found.source())),
        None => None,
    };
    Ok(Endpoint { target, key })
}
