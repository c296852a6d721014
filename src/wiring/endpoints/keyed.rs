//! The key of a server that was chosen: which one it is, and whether it may go there.

use reqwest::Url;

use super::description::Description;
use super::key::{self, KeySource, KeySpec, OwnUrl, Sending, Verdict};
use super::providers;
use super::resolve::Lookups;
use super::source::{Given, Source};
use super::url::host_of;
use super::{BackendKind, EndpointError, Target, Withheld};
use crate::backends::{PRESETS, Preset, Protocol};
use crate::wiring::trust::Trusting;
use crate::world::scout_config;

/// Where a key would go.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub url: &'a Url,
    pub own: OwnUrl,
    /// By which `etc/config` knows the server.
    pub tokens: &'a [String],
}

impl Lookups<'_> {
    /// Tells whether the host stands in the user's own settings. One of the built-in table does
    /// when the user, not a chat, has chosen the provider or given the key.
    pub(super) fn owned(&self, from: &Description, url: &Url, source: &Source) -> OwnUrl {
        let described = from.table.url.as_deref().filter(|_| from.source.is_own());
        let same_place = described
            .and_then(|own| Url::parse(own).ok())
            .is_some_and(|own| own.origin() == url.origin());
        let is_own = |asked: &Option<Given<String>>| {
            asked.as_ref().is_none_or(|given| given.source.is_own())
        };
        let own = match source {
            Source::BuiltIn => {
                let chosen = is_own(&self.asked.endpoint) && is_own(&self.asked.backend);
                chosen || (self.asked.key.is_some() && is_own(&self.asked.key))
            }
            Source::CommandLine
            | Source::Chat(_)
            | Source::Config(_)
            | Source::File(_)
            | Source::Variable(_) => source.is_own(),
        };
        if self.trusting == Trusting::All || own || same_place {
            OwnUrl::Yes
        } else {
            OwnUrl::No
        }
    }

    /// Says whose key the one of a description is: not by the url or the backend that a chat may
    /// have put there.
    fn issuer(&self, from: &Description) -> Option<&'static Preset> {
        match (&self.asked.key, &from.table.url) {
            (Some(_), _) => None,
            (None, Some(own)) => host_of(own).as_deref().and_then(Preset::of_host),
            (None, None) => {
                let backend = from.table.backend.as_deref().and_then(providers::named);
                Some(from.provider.or(backend).unwrap_or(&PRESETS[0]))
            }
        }
    }

    pub(super) fn key(
        &self,
        from: &Description,
        target: &mut Target,
        place: Place<'_>,
    ) -> Result<(), EndpointError> {
        let Place { url, own, tokens } = place;
        let described = || {
            let key = from.table.key.as_ref()?;
            Some(Given::new(KeySpec::read(key.reveal()), from.source.clone()))
        };
        let asked = self.asked.key.clone();
        let written = asked
            .map(|given| Given::new(KeySpec::read(&given.value), given.source))
            .or_else(described);
        let provider = target.provider;
        let issuer = match &written {
            Some(_) => self.issuer(from),
            // A line of `etc/config` belongs to whatever server it fits.
            None => None,
        };
        let signs = target.backend == BackendKind::Speaks(Protocol::Bedrock);
        let spec = match written {
            // Who names a profile does not mean the key of another account.
            None if signs && self.profile(from).is_some() => None,
            Some(given) => given.value.map(|spec| Given::new(spec, given.source)),
            None => self.key_in_settings(provider, tokens),
        };
        let Some(spec) = spec else {
            if signs {
                return self.sign(from, target, place);
            }
            let missing = provider.filter(|provider| {
                let host = url.host_str();
                host.is_some_and(|host| provider.may_send_key_to(host))
            });
            return match missing {
                Some(provider) => Err(EndpointError::MissingKey {
                    endpoint: from.name.clone(),
                    // The usual one is enough to say.
                    variables: provider
                        .key_variables
                        .first()
                        .cloned()
                        .into_iter()
                        .collect(),
                    named_in: Source::BuiltIn,
                }),
                None => Ok(()),
            };
        };
        let home = |path: &str| self.settings.places.opened(path);
        let found = key::look_up(&spec, &self.settings.environment, home).map_err(|variables| {
            EndpointError::MissingKey {
                endpoint: from.name.clone(),
                variables,
                named_in: spec.source.clone(),
            }
        })?;
        let sending = Sending {
            spec: &spec,
            found: &found,
            issuer,
            url,
            own_url: own,
        };
        match sending.verdict(self.trusting) {
            Verdict::Send => target.key = Some(found),
            Verdict::Withhold => {
                target.withheld = Some(Withheld {
                    source: found.source(),
                    host: url.host_str().unwrap_or_default().to_owned(),
                    url_from: target.url.source.clone(),
                });
            }
            Verdict::Refuse => {
                let what = match found.source() {
                    KeySource::Command { command, .. } => format!("the command `{command}`"),
                    KeySource::File(path) => format!("the file `{}`", path.display()),
                    KeySource::Variable(name) => format!("env `{name}`"),
                    KeySource::Written(source) => source.to_string(),
                    KeySource::Aws(source) => source,
                };
                return Err(EndpointError::NeedsTrust {
                    endpoint: from.name.clone(),
                    what,
                    named_in: spec.source,
                });
            }
        }
        Ok(())
    }

    fn key_in_settings(
        &self,
        provider: Option<&Preset>,
        tokens: &[String],
    ) -> Option<Given<KeySpec>> {
        let environment = &self.settings.environment;
        if let Some(found) = scout_config::get(&self.entries, "key", tokens, environment) {
            let spec = match found.variable {
                Some(name) => KeySpec::Variables(vec![name]),
                None => KeySpec::read(&found.value)?,
            };
            return Some(Given::new(spec, found.place.clone()));
        }
        let set = self.variable(&providers::keys(provider?))?;
        match set.source {
            Source::Variable(name) => {
                Some(Given::new(KeySpec::Variables(vec![name]), Source::BuiltIn))
            }
            Source::CommandLine
            | Source::Chat(_)
            | Source::Config(_)
            | Source::File(_)
            | Source::BuiltIn => None,
        }
    }
}
