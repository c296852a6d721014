//! What Bedrock needs besides a model: a region, and credentials where there is no API key.

use std::path::PathBuf;

use reqwest::Url;

use super::description::Description;
use super::key::{KeySource, OwnUrl, is_at_home};
use super::keyed::Place;
use super::resolve::Lookups;
use super::source::{Given, Source};
use super::{EndpointError, Target, Withheld};
use crate::backends::{AwsCredentials, Preset, Protocol};
use crate::wiring::Settings;
use crate::wiring::trust::Trusting;
use crate::world::{Secret, files};

/// What requests of an endpoint are signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signing {
    pub region: Given<String>,
    pub credentials: AwsCredentials,
}

/// No file of profiles is longer.
const PROFILES_LIMIT: u64 = 4 << 20;

/// The region of those who name their own server and no region: its name is part of signatures.
const USUAL_REGION: &str = "us-east-1";

/// Tells whether a provider is reached in regions, with signatures.
pub(super) fn is_regional(provider: &Preset) -> bool {
    provider.protocol == Protocol::Bedrock
}

impl Lookups<'_> {
    /// Gives the URL of Bedrock in the region that is set.
    pub(super) fn regional_url(&self, from: &Description) -> Result<Given<String>, EndpointError> {
        let region = self.region(from)?.ok_or_else(|| EndpointError::NoRegion {
            endpoint: from.name.clone(),
        })?;
        let region = region.value;
        let china = if region.starts_with("cn-") { ".cn" } else { "" };
        let url = format!("https://bedrock-runtime.{region}.amazonaws.com{china}");
        Ok(Given::new(url, Source::BuiltIn))
    }

    fn region(&self, from: &Description) -> Result<Option<Given<String>>, EndpointError> {
        let described = || {
            let region = from.table.region.clone()?;
            Some(Given::new(region, from.source.clone()))
        };
        let of_profile = || {
            let own = self.profile(from);
            let profile = own
                .as_deref()
                .or_else(|| self.settings.environment.get("AWS_PROFILE"));
            region_of_profile(self.settings, profile.unwrap_or("default"))
        };
        let variables = ["AWS_REGION", "AWS_DEFAULT_REGION"].map(str::to_owned);
        let found = self
            .asked
            .region
            .clone()
            .or_else(described)
            .or_else(|| self.variable(&variables))
            .or_else(of_profile);
        let Some(region) = found else {
            return Ok(None);
        };
        // It becomes a part of the name of a host.
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if region.value.is_empty() || !region.value.chars().all(is_name) {
            return Err(EndpointError::BadRegion {
                endpoint: from.name.clone(),
                region_from: region.source,
            });
        }
        Ok(Some(region))
    }

    /// Gives the profile that is named outright. A stranger's file does not choose an account.
    pub(super) fn profile(&self, from: &Description) -> Option<String> {
        let own = self.trusting == Trusting::All || from.source.is_own();
        let asked = self.asked.profile.as_ref();
        asked
            .filter(|given| self.trusting == Trusting::All || given.source.is_own())
            .map(|given| given.value.clone())
            .or_else(|| from.table.profile.clone().filter(|_| own))
    }

    /// Finds what to sign with, or says why no signature goes to this place.
    pub(super) fn sign(
        &self,
        from: &Description,
        target: &mut Target,
        place: Place<'_>,
    ) -> Result<(), EndpointError> {
        let environment = &self.settings.environment;
        let keys = environment
            .get("AWS_ACCESS_KEY_ID")
            .zip(environment.get("AWS_SECRET_ACCESS_KEY"));
        let credentials = match (self.profile(from), keys) {
            (Some(profile), _) => AwsCredentials::Profile(profile),
            (None, Some((access_key, secret))) => AwsCredentials::Keys {
                access_key: access_key.trim().to_owned(),
                secret: Secret::new(secret.trim()),
                token: environment
                    .get("AWS_SESSION_TOKEN")
                    .map(|token| Secret::new(token.trim())),
            },
            (None, None) => AwsCredentials::Chain {
                profile: environment.get("AWS_PROFILE").map(str::to_owned),
            },
        };
        let at_home = target
            .provider
            .is_some_and(|provider| is_at_home(place.url, provider));
        if at_home || place.own == OwnUrl::Yes || self.trusting == Trusting::All {
            let region = match region_of_host(place.url) {
                // What a signature is for must be where it goes.
                Some(region) => Given::new(region, target.url.source.clone()),
                None => self
                    .region(from)?
                    .unwrap_or_else(|| Given::new(USUAL_REGION.to_owned(), Source::BuiltIn)),
            };
            target.signing = Some(Signing {
                region,
                credentials,
            });
        } else {
            target.withheld = Some(Withheld {
                source: KeySource::Aws(credentials.source()),
                host: place.url.host_str().unwrap_or_default().to_owned(),
                url_from: target.url.source.clone(),
            });
        }
        Ok(())
    }
}

/// Gives the region that stands in the name of one of Bedrock's own hosts.
fn region_of_host(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let of_host = Preset::of_host(host).filter(|provider| is_regional(provider));
    of_host
        .and_then(|_| host.split('.').nth(1))
        .map(str::to_owned)
}

/// Finds the region of a profile in the files that AWS's own programs read.
fn region_of_profile(settings: &Settings, profile: &str) -> Option<Given<String>> {
    let place = |variable: &str, usual: &str| -> PathBuf {
        let named = settings.environment.get(variable);
        settings.places.opened(named.unwrap_or(usual))
    };
    let titles = if profile == "default" {
        vec!["default".to_owned(), "profile default".to_owned()]
    } else {
        vec![format!("profile {profile}")]
    };
    let config = place("AWS_CONFIG_FILE", "~/.aws/config");
    let credentials = place("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials");
    [(config, titles), (credentials, vec![profile.to_owned()])]
        .into_iter()
        .find_map(|(path, titles)| {
            // A file that is not there, or that cannot be read, tells no region; what is wrong with
            // it comes out when credentials are looked for in it.
            let text = files::read_text(&path, PROFILES_LIMIT).ok()?;
            let region = region_in(&text, &titles)?;
            Some(Given::new(region, Source::Config(path)))
        })
}

/// Reads the region out of the sections with these titles.
fn region_in(text: &str, titles: &[String]) -> Option<String> {
    let mut inside = false;
    for line in text.lines() {
        if let Some(title) = line.trim().strip_prefix('[') {
            let title = title.split(']').next().unwrap_or_default();
            let words: Vec<&str> = title.split_whitespace().collect();
            inside = titles.contains(&words.join(" "));
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim_end() == "region"
        {
            let value = value.split([' ', '\t']).find(|part| !part.is_empty())?;
            return Some(value.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::region_in;

    #[test]
    fn a_profile_tells_its_region() {
        let text = "# mine\n[default]\nregion=eu-west-1\n[ profile  work ]\nsso_region = x\n\
                    s3 =\n  region = nested\nregion = us-west-2  # near\n[profile bare]\n";
        let found = ["default", "profile work", "profile bare", "profile none"]
            .map(|title| region_in(text, &[title.to_owned()]));
        assert_eq!(
            found.each_ref().map(Option::as_deref),
            [Some("eu-west-1"), Some("us-west-2"), None, None]
        );
    }
}
