//! From what was asked and what is set to one server. Pure.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Map;

use super::aws::is_regional;
use super::description::{Description, built_in, described};
use super::key::OwnUrl;
use super::keyed::Place;
use super::providers;
use super::source::{Given, Source};
use super::url::{checked_url, host_of};
use super::{Asked, BackendKind, EndpointError, Target, Timeouts};
use crate::backends::{PRESETS, Preset, Protocol};
use crate::wiring::Settings;
use crate::wiring::trust::Trusting;
use crate::world::clock;
use crate::world::config::{EndpointTable, nearest};
use crate::world::scout_config::{self, Entry, url_tokens};

/// Works out the server, or gives nothing where none is named and no well-known key is set.
pub fn resolve(
    asked: &Asked,
    settings: &Settings,
    trusting: Trusting,
) -> Result<Option<Target>, EndpointError> {
    let lookups = Lookups::new(asked, settings, trusting);
    let Some((description, chosen)) = lookups.describe()? else {
        return Ok(None);
    };
    lookups.target(&description, chosen).map(Some)
}

/// Works out a server whose description is at hand.
pub(super) fn resolve_described(
    description: &Description,
    asked: &Asked,
    settings: &Settings,
    trusting: Trusting,
) -> Result<Target, EndpointError> {
    Lookups::new(asked, settings, trusting).target(description, Chosen::Otherwise)
}

/// How the endpoint was chosen: the default model belongs to the default endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chosen {
    ByDefault,
    Otherwise,
}

/// What is said of the protocol.
#[derive(Clone, Copy)]
enum Spoken {
    Unsaid,
    Scripted,
    /// What this provider speaks at the URL.
    As(&'static Preset),
    /// This one whatever the URL is, with the provider whose settings count.
    Exactly(Protocol, &'static Preset),
}

pub(super) struct Lookups<'a> {
    pub asked: &'a Asked,
    pub settings: &'a Settings,
    pub trusting: Trusting,
    pub entries: Vec<Entry<Source>>,
}

impl<'a> Lookups<'a> {
    fn new(asked: &'a Asked, settings: &'a Settings, trusting: Trusting) -> Lookups<'a> {
        let mut entries = settings.entries.clone();
        entries.extend(asked.config.iter().cloned());
        Lookups {
            asked,
            settings,
            trusting,
            entries,
        }
    }

    /// Chooses the endpoint and finds its description.
    fn describe(&self) -> Result<Option<(Description, Chosen)>, EndpointError> {
        if let Some(name) = &self.asked.endpoint {
            let default = self.settings.config.defaults.endpoint.as_ref() == Some(&name.value);
            let chosen = if default {
                Chosen::ByDefault
            } else {
                Chosen::Otherwise
            };
            return Ok(Some((described(name, self.settings)?, chosen)));
        }
        // Who names a backend or a url has named a server.
        if self.asked.backend.is_some() || self.asked.url.is_some() {
            let source = [&self.asked.backend, &self.asked.url]
                .into_iter()
                .flatten()
                .map(|given| given.source.clone())
                .next()
                .unwrap_or(Source::BuiltIn);
            let backend = self
                .asked
                .backend
                .as_ref()
                .map(|given| given.value.as_str());
            let provider = backend.and_then(providers::named);
            let host = self.asked.url.as_ref().and_then(|url| host_of(&url.value));
            let by_host = host.as_deref().and_then(Preset::of_host);
            let name = by_host
                .or(provider)
                .map(|provider| provider.name.to_owned());
            let name = name.or(host).or(backend.map(str::to_owned));
            return Ok(Some((
                Description {
                    name: name.unwrap_or_else(|| "url".to_owned()),
                    source,
                    table: EndpointTable::default(),
                    control: Map::new(),
                    provider,
                },
                Chosen::Otherwise,
            )));
        }
        let config = || Source::Config(self.settings.config_path.clone().unwrap_or_default());
        let default = self.settings.config.defaults.endpoint.clone();
        let default = default
            .map(|name| Given::new(name, config()))
            .or_else(|| self.scout("endpoint", &["ask".into(), "llm".into()]))
            .or_else(|| self.variable(&["ASK_ENDPOINT".into(), "LLM_ENDPOINT".into()]));
        if let Some(name) = default {
            let chosen = Chosen::ByDefault;
            return Ok(Some((described(&name, self.settings)?, chosen)));
        }
        let is_set = |names: Vec<String>| self.variable(&names).is_some();
        // A key for a server of one's own does not say that it runs.
        let set = providers::all().find(|provider| {
            (!provider.is_local() && is_set(providers::keys(provider)))
                || is_set(providers::urls(provider))
        });
        Ok(set.map(|provider| (built_in(provider), Chosen::ByDefault)))
    }

    fn target(&self, from: &Description, chosen: Chosen) -> Result<Target, EndpointError> {
        let here = |value: &Option<String>| {
            value
                .clone()
                .map(|value| Given::new(value, from.source.clone()))
        };
        let spoken = self.backend(here(&from.table.backend))?;
        let by_backend = match spoken {
            Spoken::Scripted | Spoken::Unsaid => None,
            Spoken::As(provider) | Spoken::Exactly(_, provider) => Some(provider),
        };
        let named = from.provider.or(by_backend);
        let tag = named.map_or(PRESETS[0].name, |provider| provider.name);
        let url = self.url(from, named, tag)?;
        let own = self.trusting == Trusting::All || from.source.is_own();
        let timeouts = self.timeouts(&from.table);
        let mut parameters = self.settings.config.defaults.options.clone();
        parameters.extend(from.table.options.clone());
        parameters.extend(self.asked.parameters.clone());
        let mut target = Target {
            name: from.name.clone(),
            described: from.source.clone(),
            provider: None,
            backend: BackendKind::Scripted,
            url,
            key: None,
            signing: None,
            withheld: None,
            model: self.asked.model.clone().or_else(|| here(&from.table.model)),
            parameters,
            // What a stranger's file says about tools, agents and authorities counts for nothing.
            control: if own {
                from.control.clone()
            } else {
                Map::new()
            },
            headers: std::collections::BTreeMap::new(),
            ca_file: from
                .table
                .ca_file
                .clone()
                .filter(|_| own)
                .map(|file| self.beside(&file)),
            stream: from.table.stream,
            timeouts,
        };
        if matches!(spoken, Spoken::Scripted) {
            return Ok(target);
        }
        let host = host_of(&target.url.value);
        let at_host = host.as_deref().and_then(Preset::of_host);
        let speaker = by_backend.or(at_host).or(from.provider);
        let parsed = checked_url(from, speaker, &mut target.url)?;
        target.provider = at_host.or(named);
        target.backend = BackendKind::Speaks(match (spoken, speaker) {
            (Spoken::Exactly(protocol, _), _) => protocol,
            (Spoken::Scripted | Spoken::Unsaid | Spoken::As(_), Some(speaker)) => {
                speaker.protocol_at(&parsed)
            }
            (Spoken::Scripted | Spoken::Unsaid | Spoken::As(_), None) => Protocol::ChatCompletions,
        });
        let tag = target.provider.map_or(tag, |provider| provider.name);
        let prefixes = [format!("{tag}_ask"), "ask".to_owned(), tag.to_owned()];
        let prefixes = prefixes.each_ref().map(String::as_str);
        let tokens = url_tokens(&target.url.value, &prefixes);
        if target.model.is_none() {
            target.model = self.model(&target, &tokens, chosen);
        }
        let own_url = self.owned(from, &parsed, &target.url.source);
        if own_url == OwnUrl::Yes || !own {
            target.headers.clone_from(&from.table.headers);
        }
        let place = Place {
            url: &parsed,
            own: own_url,
            tokens: &tokens,
        };
        self.key(from, &mut target, place)?;
        Ok(target)
    }

    fn backend(&self, described: Option<Given<String>>) -> Result<Spoken, EndpointError> {
        let config = || {
            let name = self.settings.config.defaults.backend.clone()?;
            let path = self.settings.config_path.clone().unwrap_or_default();
            Some(Given::new(name, Source::Config(path)))
        };
        let given = self
            .asked
            .backend
            .clone()
            .or(described)
            .or_else(config)
            .or_else(|| self.scout("backend", &["ask".into(), "llm".into()]))
            .or_else(|| self.variable(&["ASK_BACKEND".into(), "LLM_BACKEND".into()]));
        let Some(given) = given else {
            return Ok(Spoken::Unsaid);
        };
        match given.value.as_str() {
            "scripted" => Ok(Spoken::Scripted),
            "chat" | "chat_completions" => {
                Ok(Spoken::Exactly(Protocol::ChatCompletions, &PRESETS[0]))
            }
            "responses" => Ok(Spoken::Exactly(Protocol::Responses, &PRESETS[0])),
            LEFT_OUT => Err(EndpointError::LeftOut {
                name: given.value,
                asked_by: given.source,
            }),
            name => match providers::named(name) {
                Some(provider) => Ok(Spoken::As(provider)),
                None => Err(EndpointError::UnknownBackend {
                    nearest: nearest(name, backend_names()).map(str::to_owned),
                    name: given.value,
                    asked_by: given.source,
                }),
            },
        }
    }

    fn url(
        &self,
        from: &Description,
        provider: Option<&'static Preset>,
        tag: &str,
    ) -> Result<Given<String>, EndpointError> {
        let described = || {
            let url = from.table.url.clone()?;
            Some(Given::new(url, from.source.clone()))
        };
        let tokens = [format!("{tag}_ask"), "ask".to_owned(), tag.to_owned()];
        let usual = provider.unwrap_or(&PRESETS[0]);
        let set = self
            .asked
            .url
            .clone()
            .or_else(described)
            .or_else(|| self.scout("url", &tokens))
            .or_else(|| self.variable(&providers::urls(usual)));
        match set {
            Some(url) => Ok(url),
            None if is_regional(usual) => self.regional_url(from),
            None => Ok(Given::new(usual.url.to_owned(), Source::BuiltIn)),
        }
    }

    fn model(&self, target: &Target, tokens: &[String], chosen: Chosen) -> Option<Given<String>> {
        let config = || {
            let model = self.settings.config.defaults.model.clone()?;
            let path = self.settings.config_path.clone().unwrap_or_default();
            (chosen == Chosen::ByDefault).then(|| Given::new(model, Source::Config(path)))
        };
        let variables = target.provider.map_or_else(Vec::new, providers::models);
        let built_in = || {
            let provider = target.provider?;
            let host = host_of(&target.url.value)?;
            let model = provider.model.clone()?;
            // Another server than the provider's own does not know the provider's models.
            provider
                .may_send_key_to(&host)
                .then(|| Given::new(model, Source::BuiltIn))
        };
        self.scout("model", tokens)
            .or_else(config)
            .or_else(|| self.variable(&variables))
            .or_else(built_in)
    }

    fn timeouts(&self, table: &EndpointTable) -> Timeouts {
        let limits = &self.settings.config.limits;
        let or = |own: Option<f64>, general: Option<f64>, usual| {
            own.or(general).and_then(clock::seconds).unwrap_or(usual)
        };
        Timeouts {
            connect: or(table.connect_timeout, limits.connect_timeout, CONNECT),
            idle: or(table.idle_timeout, limits.idle_timeout, IDLE),
        }
    }

    /// Finds a file that the user's settings name: `~/` opened, else beside `config.toml`.
    fn beside(&self, file: &std::path::Path) -> PathBuf {
        let opened = self.settings.places.opened(&file.to_string_lossy());
        match &self.settings.places.config {
            Some(folder) => folder.join(opened),
            None => opened,
        }
    }

    /// Looks a setting up in `etc/config` and the chat's `config:` lines. A stranger's line may not
    /// put a variable of the environment into a request.
    fn scout(&self, key: &str, tokens: &[String]) -> Option<Given<String>> {
        let found = scout_config::get(&self.entries, key, tokens, &self.settings.environment)?;
        let may =
            found.variable.is_none() || found.place.is_own() || self.trusting == Trusting::All;
        may.then(|| Given::new(found.value, found.place.clone()))
    }

    pub(super) fn variable(&self, names: &[String]) -> Option<Given<String>> {
        names.iter().find_map(|name| {
            let value = self.settings.environment.get(name)?.trim().to_owned();
            Some(Given::new(value, Source::Variable(name.clone())))
        })
    }
}

const CONNECT: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_mins(2);

/// Scout's backend that passes questions on to another Scout.
const LEFT_OUT: &str = "relay";

fn backend_names() -> impl Iterator<Item = &'static str> {
    providers::all()
        .map(|provider| provider.name)
        .chain(["chat", "responses", "scripted"])
}
