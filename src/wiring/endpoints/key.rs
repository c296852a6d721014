//! Keys: how they are written, where they may go, and how they are got.
//!
//! Always true here: no value of a key is part of an error.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use super::EndpointError;
use super::providers;
use super::source::{Given, Source};
use crate::backends::Preset;
use crate::wiring::Settings;
use crate::wiring::trust::Trusting;
use crate::world::processes::{ShellLimits, ShellStatus, child_environment, run_shell};
use crate::world::{Environment, Secret, files};

/// Where a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySpec {
    /// `env:NAME,NAME`: the first of these variables that is set.
    Variables(Vec<String>),
    /// `cmd:COMMAND`: what a command prints.
    Command(String),
    /// `file:PATH`: what a file holds.
    File(String),
    /// The key itself.
    Literal(Secret),
}

impl KeySpec {
    /// Reads a `key` setting; `nil`, `false` and nothing are no key.
    pub fn read(text: &str) -> Option<KeySpec> {
        let text = text.trim();
        if text.is_empty() || text == "nil" || text == "false" {
            return None;
        }
        Some(if let Some(names) = text.strip_prefix("env:") {
            KeySpec::Variables(
                names
                    .split(',')
                    .map(|name| name.trim().to_owned())
                    .collect(),
            )
        } else if let Some(command) = text.strip_prefix("cmd:") {
            KeySpec::Command(command.trim().to_owned())
        } else if let Some(path) = text.strip_prefix("file:") {
            KeySpec::File(path.trim().to_owned())
        } else {
            KeySpec::Literal(Secret::new(text))
        })
    }
}

/// Where a key was found, in words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    Variable(String),
    Command {
        command: String,
        named_in: Source,
    },
    File(PathBuf),
    Written(Source),
    /// Credentials of AWS, which this says.
    Aws(String),
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySource::Variable(name) => write!(f, "env {name}"),
            KeySource::Command { command, named_in } => {
                write!(f, "the command `{command}` of {named_in}")
            }
            KeySource::File(path) => write!(f, "the file `{}`", path.display()),
            KeySource::Written(source) => write!(f, "{source}"),
            KeySource::Aws(source) => f.write_str(source),
        }
    }
}

/// A key that was found, or where it will be: getting it may take a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundKey {
    Value(Secret, KeySource),
    Command { command: String, named_in: Source },
    File(PathBuf),
}

impl FoundKey {
    pub fn source(&self) -> KeySource {
        match self {
            FoundKey::Value(_, source) => source.clone(),
            FoundKey::Command { command, named_in } => KeySource::Command {
                command: command.clone(),
                named_in: named_in.clone(),
            },
            FoundKey::File(path) => KeySource::File(path.clone()),
        }
    }
}

/// Looks a key up without running anything: gives `Err` with the variables that were tried.
pub(super) fn look_up(
    spec: &Given<KeySpec>,
    environment: &Environment,
    home: impl Fn(&str) -> PathBuf,
) -> Result<FoundKey, Vec<String>> {
    Ok(match &spec.value {
        KeySpec::Variables(names) => {
            let set = names
                .iter()
                .find_map(|name| Some((name, environment.get(name)?)));
            let (name, value) = set.ok_or_else(|| names.clone())?;
            FoundKey::Value(Secret::new(value), KeySource::Variable(name.clone()))
        }
        KeySpec::Command(command) => FoundKey::Command {
            command: command.clone(),
            named_in: spec.source.clone(),
        },
        KeySpec::File(path) => FoundKey::File(home(path)),
        KeySpec::Literal(key) => {
            FoundKey::Value(key.clone(), KeySource::Written(spec.source.clone()))
        }
    })
}

/// What may be done with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Send,
    /// It stays here, and the request goes without.
    Withhold,
    /// A file or a chat of others names a command or a file: that needs `--trust`.
    Refuse,
}

/// A key that is about to go somewhere.
#[derive(Debug, Clone, Copy)]
pub struct Sending<'a> {
    /// Who named the key.
    pub spec: &'a Given<KeySpec>,
    pub found: &'a FoundKey,
    /// Whose key it is, as far as its description tells.
    pub issuer: Option<&'a Preset>,
    pub url: &'a Url,
    pub own_url: OwnUrl,
}

impl Sending<'_> {
    /// Decides whether the key may go to the URL.
    pub fn verdict(&self, trusting: Trusting) -> Verdict {
        if trusting == Trusting::All {
            return Verdict::Send;
        }
        let own_spec = self.spec.source.is_own();
        match self.found {
            // Who wrote a key into a chat or a project has already given it away.
            FoundKey::Value(_, KeySource::Written(_)) if !own_spec => return Verdict::Send,
            FoundKey::Command { .. } | FoundKey::File(_) if !own_spec => return Verdict::Refuse,
            FoundKey::Value(..) | FoundKey::Command { .. } | FoundKey::File(_) => {}
        }
        // The variable's own provider counts, not the one that a stranger's file claims to be.
        let issuer = match self.found {
            FoundKey::Value(_, KeySource::Variable(name)) => {
                providers::of_variable(name).or(self.issuer.filter(|_| own_spec))
            }
            FoundKey::Value(..) | FoundKey::Command { .. } | FoundKey::File(_) => self.issuer,
        };
        if issuer.is_some_and(|issuer| is_at_home(self.url, issuer)) {
            return Verdict::Send;
        }
        match self.own_url {
            OwnUrl::Yes if own_spec => Verdict::Send,
            OwnUrl::Yes | OwnUrl::No => Verdict::Withhold,
        }
    }
}

/// Whether a URL stands in the user's own settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnUrl {
    Yes,
    No,
}

/// Tells whether a URL is where its provider usually is, or at one of its hosts, encrypted and at
/// the usual port.
pub(super) fn is_at_home(url: &Url, provider: &Preset) -> bool {
    let usual = Url::parse(provider.url).is_ok_and(|usual| usual.origin() == url.origin());
    let host = url.host_str().unwrap_or_default();
    usual || (url.scheme() == "https" && url.port().is_none() && provider.may_send_key_to(host))
}

/// How long a command may take to print a key: it may have to ask the user for a password.
const COMMAND_TIME: Duration = Duration::from_mins(1);

/// No key is longer.
const KEY_SIZE: usize = 64 << 10;

/// Gets a key and checks it.
pub(super) async fn get(
    found: &FoundKey,
    settings: &Settings,
    cancel: &CancellationToken,
) -> Result<Secret, EndpointError> {
    let raw = match found {
        FoundKey::Value(key, _) => key.clone(),
        FoundKey::File(path) => {
            Secret::new(files::read_text(path, KEY_SIZE as u64).map_err(|error| {
                EndpointError::KeyUnread {
                    from: found.source(),
                    why: error.to_string(),
                }
            })?)
        }
        FoundKey::Command { command, .. } => {
            Secret::new(printed_by(command, settings, cancel).await.map_err(|why| {
                EndpointError::KeyUnread {
                    from: found.source(),
                    why,
                }
            })?)
        }
    };
    checked(&raw).map_err(|why| EndpointError::BadKey {
        from: found.source(),
        why,
    })
}

async fn printed_by(
    command: &str,
    settings: &Settings,
    cancel: &CancellationToken,
) -> Result<String, String> {
    let folder = settings.places.home.as_deref().unwrap_or(Path::new("/"));
    let limits = ShellLimits {
        timeout: COMMAND_TIME,
        max_output: KEY_SIZE,
    };
    let environment = child_environment(&settings.environment, &settings.config.pass_env);
    // What it prints may hold the key, its stderr too: nothing of it is told.
    let outcome = run_shell(command, folder, environment, limits, cancel)
        .await
        .map_err(|error| error.to_string())?;
    match outcome.status {
        ShellStatus::Exited(0) => Ok(outcome.stdout.text),
        ShellStatus::Exited(code) => Err(format!("it ended with exit code {code}")),
        ShellStatus::Signalled(signal) => Err(format!("it was ended by signal {signal}")),
        ShellStatus::TimedOut(limit) => {
            Err(format!("it took longer than {} seconds", limit.as_secs()))
        }
        ShellStatus::Cancelled => Err("it was cancelled".to_owned()),
    }
}

/// What makes a key unfit to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    #[error("is empty")]
    Empty,
    #[error("has a blank or a line end inside")]
    Blank,
    #[error("has a control character inside")]
    Control,
    #[error("has a character that is not ASCII")]
    NotAscii,
}

/// Trims a key and checks that it can stand in a header.
pub fn checked(key: &Secret) -> Result<Secret, KeyFault> {
    let trimmed = key.reveal().trim();
    if trimmed.is_empty() {
        return Err(KeyFault::Empty);
    }
    for c in trimmed.chars() {
        if !c.is_ascii() {
            return Err(KeyFault::NotAscii);
        }
        if c.is_ascii_whitespace() {
            return Err(KeyFault::Blank);
        }
        if c.is_ascii_control() {
            return Err(KeyFault::Control);
        }
    }
    Ok(Secret::new(trimmed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_trimmed_and_bad_ones_named_without_their_value() {
        let good = |key: &str| checked(&Secret::new(key)).map(|key| key.reveal().to_owned());
        assert_eq!(good("sk-canary-123\r\n"), Ok("sk-canary-123".to_owned()));
        assert_eq!(good(" \n"), Err(KeyFault::Empty));
        assert_eq!(good("sk canary"), Err(KeyFault::Blank));
        assert_eq!(good("sk\r\ncanary"), Err(KeyFault::Blank));
        assert_eq!(good("sk\u{7}canary"), Err(KeyFault::Control));
        assert_eq!(good("sk-é"), Err(KeyFault::NotAscii));
        let error = EndpointError::BadKey {
            from: KeySource::Variable("A_KEY".into()),
            why: KeyFault::Blank,
        };
        assert_eq!(
            error.to_string(),
            "the key from env A_KEY has a blank or a line end inside"
        );
    }

    #[test]
    fn a_key_setting_says_where_the_key_is() {
        let names = vec!["A".to_owned(), "B".to_owned()];
        assert_eq!(KeySpec::read("env:A, B"), Some(KeySpec::Variables(names)));
        assert_eq!(
            KeySpec::read("cmd: pass show x"),
            Some(KeySpec::Command("pass show x".into()))
        );
        assert_eq!(KeySpec::read("file:~/k"), Some(KeySpec::File("~/k".into())));
        assert_eq!(
            KeySpec::read(" sk "),
            Some(KeySpec::Literal(Secret::new("sk")))
        );
        assert_eq!([KeySpec::read(""), KeySpec::read("nil")], [None, None]);
    }
}
