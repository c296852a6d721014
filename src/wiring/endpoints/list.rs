//! What there is to ask, for people: no key is shown.

use reqwest::Url;

use super::description::{described, known_names};
use super::key::{FoundKey, KeySource};
use super::resolve::resolve;
use super::source::{Given, Source};
use super::{Asked, EndpointError, Target};
use crate::wiring::Settings;
use crate::wiring::trust::Trusting;

/// One endpoint, as it is shown.
#[derive(Debug, Clone)]
pub struct Listed {
    pub name: String,
    /// Where it is described.
    pub described: Option<Source>,
    /// What a chat that names it gets, or why it cannot be used.
    pub target: Result<Target, EndpointError>,
}

/// Lists every endpoint that can be asked for, by name.
pub fn list(settings: &Settings) -> Vec<Listed> {
    known_names(settings)
        .into_iter()
        .map(|name| show(&name, settings))
        .collect()
}

/// Shows what a chat that names an endpoint gets.
pub fn show(name: &str, settings: &Settings) -> Listed {
    let given = Given::new(name.to_owned(), Source::CommandLine);
    let described = described(&given, settings).ok().map(|found| found.source);
    let asked = Asked {
        endpoint: Some(given.clone()),
        ..Asked::default()
    };
    let target = resolve(&asked, settings, Trusting::Own).and_then(|target| {
        target.ok_or_else(|| EndpointError::Unknown {
            name: given.value,
            asked_by: given.source,
            known: known_names(settings),
            nearest: None,
        })
    });
    Listed {
        name: name.to_owned(),
        described,
        target,
    }
}

impl Target {
    /// Says what is used and who said so, a line each.
    pub fn told(&self) -> Vec<String> {
        let mut lines = vec![
            format!("endpoint: {} ({})", self.name, self.described),
            format!("url: {} ({})", self.url_shown(), self.url.source),
        ];
        if let Some(model) = &self.model {
            lines.push(format!("model: {} ({})", model.value, model.source));
        }
        lines.push(format!("key: {}", self.key_shown()));
        lines
    }

    /// Gives its URL without the user and the password that may stand in it.
    pub fn url_shown(&self) -> String {
        match Url::parse(&self.url.value) {
            Ok(mut bare) if !bare.username().is_empty() || bare.password().is_some() => {
                // Only URLs without a host refuse this, and they have no user to hide.
                let _ = bare.set_username("");
                let _ = bare.set_password(None);
                bare.to_string()
            }
            Ok(_) | Err(_) => self.url.value.clone(),
        }
    }

    /// Says about its key what people may see.
    pub fn key_shown(&self) -> String {
        match (&self.key, &self.withheld) {
            (Some(FoundKey::Value(_, source)), _) => format!("set (from {source})"),
            (Some(FoundKey::Command { .. } | FoundKey::File(_)), _) => {
                let source = self.key.as_ref().map(FoundKey::source);
                source.map_or_else(String::new, |source: KeySource| format!("from {source}"))
            }
            (None, Some(withheld)) => format!("withheld ({})", withheld.message()),
            (None, None) => match &self.signing {
                Some(signing) => format!(
                    "signatures with {}, region {} ({})",
                    signing.credentials.source(),
                    signing.region.value,
                    signing.region.source
                ),
                None => "none".to_owned(),
            },
        }
    }
}
