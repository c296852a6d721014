//! Well-known providers: what settings need to know of them, besides the presets of `backends`.

use crate::backends::{PRESETS, Preset};

/// Variables that hold a URL, besides `<NAME>_URL`.
const URL_VARIABLES: [(&str, &[&str]); 3] = [
    ("openai", &["OPENAI_BASE_URL", "OPENAI_API_BASE"]),
    ("ollama", &["OLLAMA_HOST"]),
    ("bedrock", &["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"]),
];

/// Variables that hold a model, besides `<NAME>_MODEL`.
const MODEL_VARIABLES: [(&str, &[&str]); 2] = [
    ("huggingface", &["HF_MODEL"]),
    ("bedrock", &["BEDROCK_MODEL_ID"]),
];

/// Names that mean a provider by another name.
const ALSO: [(&str, &str); 2] = [("hf", "huggingface"), ("llama.cpp", "llamacpp")];

/// The model that Scout's users get from `OpenAI` where they name none.
const OPENAI_MODEL: &str = "gpt-5-nano";

/// Finds a provider by its name.
pub(super) fn named(name: &str) -> Option<&'static Preset> {
    let name = ALSO
        .iter()
        .find(|(also, _)| *also == name)
        .map_or(name, |(_, meant)| *meant);
    Preset::find(name)
}

/// Names every provider once, in the order in which their keys are looked for.
pub(super) fn all() -> impl Iterator<Item = &'static Preset> {
    let twice = |name: &str| ALSO.iter().any(|(also, _)| *also == name);
    PRESETS.iter().filter(move |preset| !twice(preset.name))
}

/// Finds the provider whose key a variable holds.
pub(super) fn of_variable(variable: &str) -> Option<&'static Preset> {
    all().find(|preset| keys(preset).iter().any(|own| own == variable))
}

/// Gives the variables that may hold its key, Scout's first.
pub(super) fn keys(preset: &Preset) -> Vec<String> {
    variables(preset, "KEY", preset.key_variables)
}

/// Gives the variables that may hold its URL, Scout's first.
pub(super) fn urls(preset: &Preset) -> Vec<String> {
    variables(preset, "URL", known(&URL_VARIABLES, preset))
}

/// Gives the variables that may hold its model, Scout's first.
pub(super) fn models(preset: &Preset) -> Vec<String> {
    variables(preset, "MODEL", known(&MODEL_VARIABLES, preset))
}

/// Gives the model to ask where none is named.
pub(super) fn default_model(preset: &Preset) -> Option<&'static str> {
    preset
        .model
        .or((preset.name == "openai").then_some(OPENAI_MODEL))
}

fn known(table: &[(&str, &'static [&'static str])], preset: &Preset) -> &'static [&'static str] {
    table
        .iter()
        .find(|(name, _)| *name == preset.name)
        .map_or(&[], |(_, variables)| *variables)
}

fn variables(preset: &Preset, what: &str, known: &[&str]) -> Vec<String> {
    let own = format!("{}_{what}", preset.name.to_uppercase());
    let mut all = vec![own];
    for name in known {
        if !all.iter().any(|one| one == name) {
            all.push((*name).to_owned());
        }
    }
    all
}
