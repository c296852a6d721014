//! The backend that a chat asks for.

use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::chats::{ReadChat, ReadError};
use super::endpoints::{self, Asked, BackendKind, Endpoint, EndpointError, Given, Source, Target};
use super::models;
use super::settings::Settings;
use super::trust::Trusting;
use crate::backends::{
    AwsSigning, Backend, BackendError, ExtraRoots, HttpBackend, HttpEndpoint, HttpLimits, Key,
    KeySource, ModelFacts, Protocol, ProxyChoice, ScriptError, Scripted, WireSettings, aws_signer,
    bedrock_is_built,
};
use crate::chat::Origin;
use crate::plan::{CONTROL, Options, Plan};
use crate::world::files::{self, FileError};
use crate::world::scout_config::Entry;

/// The largest file of certificates that is read, in bytes.
const LARGEST_ROOTS: u64 = 16 << 20;

/// A backend with what a run has to know of it.
pub struct Chosen {
    pub backend: Box<dyn Backend>,
    /// The name of the endpoint, for the record.
    pub endpoint: String,
    pub model: String,
    pub parameters: serde_json::Map<String, serde_json::Value>,
    pub facts: ModelFacts,
    pub stream: bool,
    /// What is used and who said so, for people who want to know; no key is shown.
    pub used: Vec<String>,
    /// What people should know before anything is sent.
    pub notes: Vec<String>,
}

/// Why there is no backend.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    #[error(transparent)]
    Backend(#[from] BackendError),
    #[error(transparent)]
    Script(#[from] ReadError),
    #[error(transparent)]
    ScriptContent(#[from] ScriptError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("no model is named for the endpoint `{endpoint}`")]
    NoModel { endpoint: String },
    #[error("`api_version` is `{}`, which is no version", version.escape_debug())]
    ApiVersion { version: String },
}

impl ChoiceError {
    /// Says what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            ChoiceError::Endpoint(error) => error.hint(),
            ChoiceError::Backend(error) => error.hint.clone(),
            ChoiceError::NoModel { .. } => Some(
                "name one with `model: NAME` in the chat, `-m NAME`, or `model` of the endpoint"
                    .to_owned(),
            ),
            ChoiceError::ApiVersion { .. } => {
                Some("write a date such as `2023-06-01`, or leave it out".to_owned())
            }
            ChoiceError::Script(_) | ChoiceError::ScriptContent(_) | ChoiceError::File(_) => None,
        }
    }
}

/// Chooses the backend that the options of a plan ask for.
pub async fn choose(
    plan: &Plan,
    settings: &Settings,
    trusting: Trusting,
    cancel: &CancellationToken,
) -> Result<Chosen, ChoiceError> {
    let asked = asked(plan, settings);
    let endpoint = endpoints::find(&asked, settings, trusting, cancel).await?;
    open(&endpoint, &plan.options, settings)
}

/// Chooses the replies of a chat file instead of a model.
pub fn replay(script: &Path, plan: &Plan) -> Result<Chosen, ChoiceError> {
    let used = vec![format!("replies: `{}`", script.display())];
    let script = ReadChat::read(script)?;
    Ok(Chosen {
        backend: Box::new(Scripted::new(&script.chat.messages, 0)?),
        endpoint: "replay".to_owned(),
        model: plan.options.model().unwrap_or("replay").to_owned(),
        parameters: plan.options.parameters(),
        facts: models::REPLAYED,
        stream: true,
        used,
        notes: Vec::new(),
    })
}

/// Makes the backend of an endpoint.
pub fn open(
    endpoint: &Endpoint,
    options: &Options,
    settings: &Settings,
) -> Result<Chosen, ChoiceError> {
    let target = &endpoint.target;
    let mut used = target.told();
    let mut notes: Vec<String> = Vec::new();
    if let Some(withheld) = &target.withheld {
        notes.push(format!("{}; {}", withheld.message(), withheld.hint()));
    }
    let mut parameters = target.parameters.clone();
    let version = api_version(options, &mut parameters, target, &mut notes)?;
    parameters.retain(|name, _| {
        let is_sent = !CONTROL.contains(&name.as_str());
        if !is_sent {
            let note = format!("the option `{name}` of the endpoint or the configuration is no parameter of a request, and is left out");
            notes.push(note);
        }
        is_sent
    });
    used.extend(
        parameters
            .iter()
            .map(|(name, value)| format!("option: {name} {value}")),
    );
    let stream = options.flag("stream").or(target.stream).unwrap_or(true);
    let name = target.name.clone();
    let backend = connected_by(endpoint, version.as_deref())?;
    let Some(model) = target.model.clone() else {
        return Err(ChoiceError::NoModel { endpoint: name });
    };
    let facts = models::facts(target, &model.value, settings);
    Ok(Chosen {
        backend,
        endpoint: name,
        model: model.value,
        parameters,
        facts,
        stream,
        used,
        notes,
    })
}

/// Makes what asks an endpoint, whatever its model; nothing is sent yet.
pub fn connected(endpoint: &Endpoint) -> Result<Box<dyn Backend>, ChoiceError> {
    let (target, options) = (&endpoint.target, Options::default());
    let mut parameters = target.parameters.clone();
    // Who opens the endpoint gets the notes; here nobody does.
    let version = api_version(&options, &mut parameters, target, &mut Vec::new())?;
    connected_by(endpoint, version.as_deref())
}

fn connected_by(
    endpoint: &Endpoint,
    version: Option<&str>,
) -> Result<Box<dyn Backend>, ChoiceError> {
    let Endpoint { target, key } = endpoint;
    Ok(match target.backend {
        BackendKind::Scripted => {
            let script = ReadChat::read(Path::new(&target.url.value))?;
            Box::new(Scripted::new(&script.chat.messages, 0)?)
        }
        BackendKind::Speaks(protocol) => {
            let key = match key.clone() {
                Some((secret, source)) => {
                    Some(Key::new(secret.reveal(), key_source(source, &target.name))?)
                }
                None => None,
            };
            if protocol == Protocol::Bedrock {
                bedrock_is_built()?;
            }
            let settings = wire_settings(target);
            let wire = protocol.wire_of_version(speaker(target), settings, version);
            let extra_roots = match &target.ca_file {
                Some(path) => Some(ExtraRoots {
                    name: path.display().to_string(),
                    pem: files::read(path, LARGEST_ROOTS)?,
                }),
                None => None,
            };
            let signer = match &target.signing {
                Some(signing) => Some(aws_signer(AwsSigning {
                    region: signing.region.value.clone(),
                    credentials: signing.credentials.clone(),
                    proxy: ProxyChoice::Environment,
                    extra_roots: extra_roots.clone(),
                    connect: target.timeouts.connect,
                })?),
                None => None,
            };
            let http = HttpEndpoint {
                url: target.url.value.clone(),
                key,
                signer,
                headers: target.headers.clone().into_iter().collect(),
                proxy: ProxyChoice::Environment,
                extra_roots,
                limits: HttpLimits {
                    connect: target.timeouts.connect,
                    idle: target.timeouts.idle,
                    ..HttpLimits::default()
                },
            };
            Box::new(HttpBackend::new(http, wire)?)
        }
    })
}

/// Gives the version of the provider's API that is to be spoken: what the chat says counts more
/// than what the endpoint says.
fn api_version(
    options: &Options,
    parameters: &mut serde_json::Map<String, serde_json::Value>,
    target: &Target,
    notes: &mut Vec<String>,
) -> Result<Option<String>, ChoiceError> {
    let of_endpoint = parameters.shift_remove("api_version");
    let chosen = options
        .get("api_version")
        .map(|setting| &setting.value)
        .or(of_endpoint.as_ref())
        .or_else(|| target.control.get("api_version"));
    let Some(chosen) = chosen else {
        return Ok(None);
    };
    let version = chosen
        .as_str()
        .map_or_else(|| chosen.to_string(), str::to_owned);
    if !version.bytes().all(|byte| byte.is_ascii_graphic()) || version.is_empty() {
        return Err(ChoiceError::ApiVersion { version });
    }
    if target.backend != BackendKind::Speaks(Protocol::Anthropic) {
        notes.push(format!(
            "`api_version` is `{version}`, and what `{}` speaks has no versions: it is left out",
            target.name
        ));
        return Ok(None);
    }
    Ok(Some(version))
}

/// Names the one whose marks replies get: a server in a provider's place is not that provider, and
/// cannot read what that one has signed.
fn speaker(target: &Target) -> &str {
    match target.provider {
        Some(provider) if provider.is_local() || models::is_at_home(provider, target) => {
            provider.name
        }
        Some(_) | None => &target.name,
    }
}

/// How a provider differs from others that speak the same protocol; one that is not known gets
/// what every server takes.
fn wire_settings(target: &Target) -> WireSettings {
    target
        .provider
        .map_or(WireSettings::STRICT, |provider| provider.settings)
}

/// What the plan says of where to ask, each with who said it.
fn asked(plan: &Plan, settings: &Settings) -> Asked {
    let text = |key: &str| {
        let setting = plan.options.get(key)?;
        let value = setting.value.as_str()?.to_owned();
        Some(Given::new(value, source(&setting.at, settings)))
    };
    Asked {
        endpoint: text("endpoint"),
        backend: text("backend"),
        model: text("model"),
        url: text("url").or_else(|| text("base_url")),
        key: text("key").or_else(|| text("api_key")),
        region: text("region"),
        profile: text("profile"),
        parameters: plan.options.parameters(),
        config: plan
            .config
            .iter()
            .map(|line| {
                let tokens = line.value.tokens.iter().map(String::as_str);
                let place = source(&line.at, settings);
                Entry::new(&line.value.key, &line.value.value, tokens, place)
            })
            .collect(),
    }
}

/// Who said what stands at a place.
fn source(at: &Origin, settings: &Settings) -> Source {
    match at {
        Origin::Run => Source::CommandLine,
        Origin::File { path, .. } => Source::Chat(settings.owner_of(path)),
    }
}

/// How errors of the sender call the place of a key.
fn key_source(source: endpoints::KeySource, endpoint: &str) -> KeySource {
    match source {
        endpoints::KeySource::Variable(name) => KeySource::Variable(name),
        endpoints::KeySource::Command { command, .. } => KeySource::Command(command),
        endpoints::KeySource::File(path) => KeySource::File(path.display().to_string()),
        endpoints::KeySource::Aws(_) | endpoints::KeySource::Written(_) => {
            KeySource::Setting(format!("`key` of the endpoint `{endpoint}`"))
        }
    }
}
