//! Sampling and what else has one name here: sent only where it was asked for and is accepted.

use serde_json::{Map, Value};

use super::model::Sampling;
use super::thinking::Thinks;
use super::{Anthropic, NO_SAMPLING_SINCE};
use crate::backends::Note;
use crate::backends::parameters::Parameters;

/// Adds the parameters, and tells of each that is left out.
pub(super) fn add(
    body: &mut Map<String, Value>,
    parameters: &Parameters,
    refused: Option<Refused>,
    notes: &mut Vec<Note>,
) {
    let sampling = [
        ("temperature", &parameters.temperature),
        ("top_p", &parameters.top_p),
        ("top_k", &parameters.top_k),
    ];
    for (name, value) in sampling {
        let Some(value) = value else {
            continue;
        };
        match refused {
            Some(why) if !is_harmless(name, value, why) => notes.push(Note::Warning(format!(
                "`{name}` is left out: {}",
                why.words()
            ))),
            Some(_) | None => drop(body.insert(name.to_owned(), value.clone())),
        }
    }
    // Blank texts end nothing and are refused.
    let stops: Vec<&String> = parameters
        .stop
        .iter()
        .flatten()
        .filter(|text| !text.trim().is_empty())
        .collect();
    if !stops.is_empty() {
        body.insert(
            "stop_sequences".into(),
            stops.into_iter().cloned().collect(),
        );
    }
    for (set, name) in [
        (parameters.seed.is_some(), "seed"),
        (parameters.verbosity.is_some(), "verbosity"),
    ] {
        if set {
            notes.push(Note::Detail(format!(
                "Anthropic has no `{name}`: it is left out"
            )));
        }
    }
}

/// Why sampling is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Version,
    Model,
    Thinking,
}

impl Refused {
    fn words(self) -> &'static str {
        match self {
            Refused::Version => "this version of Anthropic's API refuses it",
            Refused::Model => "this model refuses it",
            Refused::Thinking => "a model that thinks takes none",
        }
    }
}

/// Tells why a request may hold no sampling parameters, if it may not.
pub(super) fn refused(takes: Sampling, thinks: Thinks, speaker: &Anthropic) -> Option<Refused> {
    if speaker.version() >= NO_SAMPLING_SINCE {
        return Some(Refused::Version);
    }
    match (takes, thinks) {
        (Sampling::Refused, _) => Some(Refused::Model),
        (Sampling::Taken, Thinks::Yes) => Some(Refused::Thinking),
        (Sampling::Taken, Thinks::No) => None,
    }
}

/// A model that thinks takes the default temperature and a `top_p` near 1.
fn is_harmless(name: &str, value: &Value, why: Refused) -> bool {
    let number = value.as_f64().unwrap_or_default();
    match (why, name) {
        (Refused::Thinking, "temperature") => (number - 1.0).abs() < f64::EPSILON,
        (Refused::Thinking, "top_p") => (0.95..=1.0).contains(&number),
        (Refused::Thinking | Refused::Version | Refused::Model, _) => false,
    }
}
