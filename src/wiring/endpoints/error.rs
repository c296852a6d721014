//! Why there is no endpoint.

use std::path::PathBuf;

use super::key::{KeyFault, KeySource};
use super::source::Source;
use crate::world::config::ConfigError;

/// Why there is no endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    #[error("there is no endpoint `{name}`, which {asked_by} asks for")]
    Unknown {
        name: String,
        asked_by: Source,
        known: Vec<String>,
        nearest: Option<String>,
    },
    #[error("there is no backend `{name}`, which {asked_by} asks for")]
    UnknownBackend {
        name: String,
        asked_by: Source,
        nearest: Option<String>,
    },
    /// One of Scout's that this program does not have.
    #[error("backend `{name}`, which {asked_by} asks for, is no part of scoutai")]
    LeftOut { name: String, asked_by: Source },
    #[error("the url of endpoint `{endpoint}`, from {url_from}, {why}")]
    BadUrl {
        endpoint: String,
        url_from: Source,
        why: String,
    },
    #[error("endpoint `{endpoint}` needs a region of AWS, and none is set")]
    NoRegion { endpoint: String },
    #[error("the region of endpoint `{endpoint}`, from {region_from}, is not the name of one")]
    BadRegion {
        endpoint: String,
        region_from: Source,
    },
    #[error("endpoint `{endpoint}` needs a key, and {} not set", named(.variables))]
    MissingKey {
        endpoint: String,
        variables: Vec<String>,
        /// Who says that the key is in these variables.
        named_in: Source,
    },
    #[error("the key from {from} {why}")]
    BadKey { from: KeySource, why: KeyFault },
    #[error("the key from {from} cannot be had: {why}")]
    KeyUnread { from: KeySource, why: String },
    #[error("{named_in} wants to get the key of endpoint `{endpoint}` from {what}")]
    NeedsTrust {
        endpoint: String,
        what: String,
        named_in: Source,
    },
    #[error(transparent)]
    Settings(#[from] ConfigError),
    #[error("no endpoint is named, no key is set, and no local server answers")]
    NothingSet { config: Option<PathBuf> },
}

/// The kinds of failure with exit codes of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Something is set wrongly or not at all.
    Settings,
    /// Trust forbids it (exit 4).
    Refused,
}

impl EndpointError {
    pub fn kind(&self) -> FailureKind {
        match self {
            EndpointError::NeedsTrust { .. } => FailureKind::Refused,
            EndpointError::Unknown { .. }
            | EndpointError::UnknownBackend { .. }
            | EndpointError::LeftOut { .. }
            | EndpointError::BadUrl { .. }
            | EndpointError::NoRegion { .. }
            | EndpointError::BadRegion { .. }
            | EndpointError::MissingKey { .. }
            | EndpointError::BadKey { .. }
            | EndpointError::KeyUnread { .. }
            | EndpointError::Settings(_)
            | EndpointError::NothingSet { .. } => FailureKind::Settings,
        }
    }

    /// Says what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            EndpointError::Unknown { known, nearest, .. } => Some(match nearest {
                Some(nearest) => {
                    format!("did you mean `{nearest}`? known are: {}", known.join(", "))
                }
                None => format!("use one of: {}", known.join(", ")),
            }),
            EndpointError::UnknownBackend { nearest, .. } => Some(match nearest {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => "use `openai`, the Chat Completions format".to_owned(),
            }),
            EndpointError::LeftOut { .. } => Some(
                "use backend `openai` when the server speaks Chat Completions, as most do"
                    .to_owned(),
            ),
            EndpointError::BadUrl { .. } => {
                Some("write it as `http://HOST:PORT/v1` or `https://HOST/v1`".to_owned())
            }
            EndpointError::NoRegion { .. } => {
                Some("set `AWS_REGION`, or add `region` to the endpoint".to_owned())
            }
            EndpointError::BadRegion { .. } => Some("write it as `eu-west-1`".to_owned()),
            EndpointError::MissingKey {
                variables,
                named_in,
                ..
            } => {
                let first = variables.first().map_or("", String::as_str);
                Some(match named_in {
                    Source::BuiltIn => format!("set `{first}`, or add `key` to the endpoint"),
                    Source::CommandLine
                    | Source::Chat(_)
                    | Source::Config(_)
                    | Source::File(_)
                    | Source::Variable(_) => format!("set `{first}`, or mend {named_in}"),
                })
            }
            EndpointError::BadKey { .. } => Some("copy the key anew, as one line".to_owned()),
            EndpointError::KeyUnread { from, .. } => Some(match from {
                KeySource::Command { command, .. } => {
                    format!("run `{command}` in a shell: it has to print the key and end with 0")
                }
                KeySource::Variable(_)
                | KeySource::File(_)
                | KeySource::Written(_)
                | KeySource::Aws(_) => "look at the `key` of the endpoint".to_owned(),
            }),
            EndpointError::NeedsTrust { .. } => {
                Some("give `--trust` when you trust the file".to_owned())
            }
            EndpointError::Settings(error) => error.hint.clone(),
            EndpointError::NothingSet { config } => Some(first_steps(config.as_ref())),
        }
    }
}

fn named(variables: &[String]) -> String {
    match variables {
        [] => "none is".to_owned(),
        [one] => format!("`{one}` is"),
        several => format!("`{}` are", several.join("`, `")),
    }
}

/// What to do on a first run, in four lines below the message.
fn first_steps(config: Option<&PathBuf>) -> String {
    let config = config.map_or("config.toml".to_owned(), |path| path.display().to_string());
    format!(
        "do one of these:\n\
         export OPENAI_API_KEY=... (or OPENROUTER_API_KEY, GROQ_API_KEY, MISTRAL_API_KEY, ...)\n\
         start a local server: llama.cpp (port 8080), Ollama (11434), LM Studio (1234), vLLM (8000)\n\
         describe an endpoint in {config}: [endpoints.NAME] with url, model and key, and ask with `-e NAME`"
    )
}
