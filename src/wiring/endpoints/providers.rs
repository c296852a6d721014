//! Well-known providers: what settings need to know of them, besides the presets of `backends`.

use crate::backends::{PRESETS, Preset};

/// Finds a provider by its name.
pub(super) fn named(name: &str) -> Option<&'static Preset> {
    Preset::find(name)
}

/// Names every provider once, in the order in which their keys are looked for.
pub(super) fn all() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter()
}

/// Finds the provider whose key a variable holds.
pub(super) fn of_variable(variable: &str) -> Option<&'static Preset> {
    all().find(|preset| keys(preset).iter().any(|own| own == variable))
}

/// Gives the variables that may hold its key, Scout's first.
pub(super) fn keys(preset: &Preset) -> Vec<String> {
    variables(preset, "KEY", &preset.key_variables)
}

/// Gives the variables that may hold its URL, Scout's first.
pub(super) fn urls(preset: &Preset) -> Vec<String> {
    variables(preset, "URL", &preset.url_variables)
}

/// Gives the variables that may hold its model, Scout's first.
pub(super) fn models(preset: &Preset) -> Vec<String> {
    variables(preset, "MODEL", &preset.model_variables)
}

fn variables(preset: &Preset, what: &str, known: &[String]) -> Vec<String> {
    let own = format!("{}_{what}", preset.name.to_uppercase());
    let mut all = vec![own];
    for name in known {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}
