//! What is known of the model of an endpoint: what the user says, then what is shipped.

use super::Settings;
use super::endpoints::{BackendKind, Target, host_of};
use crate::backends::{self, ModelFacts, Preset};

/// Replies that are played again cost what they say they did.
pub const REPLAYED: ModelFacts = ModelFacts {
    tells_cost: Some(true),
    ..ModelFacts::UNKNOWN
};

/// Gives what is known of a model at an endpoint.
pub fn facts(target: &Target, model: &str, settings: &Settings) -> ModelFacts {
    let tables = &settings.config.models;
    let own = if tables.is_empty() {
        ModelFacts::UNKNOWN
    } else {
        backends::facts_of_tables(tables, &target.name, model)
    };
    own.or(shipped(target, model))
}

/// Gives what is known of a model without the user's own words.
pub fn shipped(target: &Target, model: &str) -> ModelFacts {
    match target.backend {
        BackendKind::Scripted => REPLAYED,
        BackendKind::Speaks(_) => backends::facts(seller(target), model),
    }
}

/// Names the provider whose prices hold: a server in its place has prices of its own.
fn seller(target: &Target) -> &str {
    match target.provider {
        Some(provider) if provider.is_local() || is_at_home(provider, target) => provider.name,
        Some(_) | None => "",
    }
}

/// Tells whether an endpoint is at an address of the provider that it names.
pub(super) fn is_at_home(provider: &Preset, target: &Target) -> bool {
    host_of(&target.url.value).is_some_and(|host| provider.may_send_key_to(&host))
}
