//! The tables of models that are shipped, and what is found in them.
//!
//! A key of a table is a name, or a beginning of names with `*`. A price stands only where it is
//! that of one model, as its maker publishes it for its own address, in US dollars for a million
//! tokens; what is not certain is left out.

use std::collections::BTreeMap;

use super::ModelFacts;
use super::names::{fit, names_of};
use crate::backends::Preset;
use crate::world::model_table::ModelTable;

/// When the data was looked up.
pub const FACTS_DATE: &str = "2026-11";

/// Those who make models: other hosts have these under the same names.
const MAKERS: [(&str, &str); 7] = [
    ("openai", include_str!("shipped/openai.toml")),
    ("anthropic", include_str!("shipped/anthropic.toml")),
    ("gemini", include_str!("shipped/gemini.toml")),
    ("mistral", include_str!("shipped/mistral.toml")),
    ("deepseek", include_str!("shipped/deepseek.toml")),
    ("xai", include_str!("shipped/xai.toml")),
    ("moonshot", include_str!("shipped/moonshot.toml")),
];

/// Those who host models: what is particular to them.
const HOSTS: [(&str, &str); 3] = [
    ("bedrock", include_str!("shipped/bedrock.toml")),
    ("groq", include_str!("shipped/groq.toml")),
    ("openrouter", include_str!("shipped/openrouter.toml")),
];

type Models = BTreeMap<String, ModelTable>;

/// Gives what is known of a model at a provider.
///
/// Elsewhere than at its maker a model can do the same, and costs something else. Of models on
/// one's own machine nothing is known: any may go by any name there.
///
/// Only the tables that are needed are read, at each call: a run calls this once.
pub fn facts(provider: &str, model: &str) -> ModelFacts {
    if Preset::find(provider).is_some_and(Preset::is_local) {
        return ModelFacts::UNKNOWN;
    }
    let names = names_of(model);
    let table_of = |all: &[(&str, &'static str)]| {
        all.iter()
            .find(|(name, _)| *name == provider)
            .map(|(_, text)| best(&shipped(text), &names))
    };
    if let Some(own) = table_of(&MAKERS) {
        return own;
    }
    let here = table_of(&HOSTS).unwrap_or(ModelFacts::UNKNOWN);
    MAKERS.iter().fold(here, |known, (_, text)| {
        known.or(best(&shipped(text), &names).elsewhere())
    })
}

fn shipped(text: &str) -> Models {
    toml::from_str(text).expect("the tests read each table that is shipped")
}

/// Gives what the user's own tables say of a model at an endpoint: `NAME`, `NA*` or `ENDPOINT/NAME`.
pub fn facts_of_tables<'a>(
    tables: impl IntoIterator<Item = (&'a String, &'a ModelTable)>,
    endpoint: &str,
    model: &str,
) -> ModelFacts {
    let mut names = names_of(model);
    names.push(format!("{endpoint}/{model}").to_lowercase());
    best(tables, &names)
}

/// Puts together what all fitting tables say: what the one that fits best says counts.
fn best<'a>(
    tables: impl IntoIterator<Item = (&'a String, &'a ModelTable)>,
    names: &[String],
) -> ModelFacts {
    let mut fitting: Vec<(usize, &ModelTable)> = tables
        .into_iter()
        .filter_map(|(pattern, table)| Some((fit(pattern, names)?, table)))
        .collect();
    fitting.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
    fitting
        .into_iter()
        .fold(ModelFacts::UNKNOWN, |known, (_, table)| {
            known.or(ModelFacts::from(table))
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{HOSTS, MAKERS, facts, facts_of_tables, shipped};
    use crate::backends::{ModelFacts, Money, Preset, ReasoningStyle, TokenLimit, Usage};
    use crate::world::model_table::ModelTable;

    fn thousand_each() -> Usage {
        Usage {
            prompt: Some(1000),
            completion: Some(1000),
            ..Usage::default()
        }
    }

    #[test]
    fn each_table_is_that_of_a_provider_and_says_what_can_be() {
        for (provider, text) in MAKERS.iter().chain(&HOSTS) {
            assert!(
                *provider == "bedrock" || Preset::find(provider).is_some_and(|one| !one.is_local()),
                "{provider}"
            );
            for (pattern, table) in shipped(text) {
                let beginning = pattern.trim_end_matches('*');
                if !beginning.is_empty() {
                    assert_ne!(facts(provider, beginning), ModelFacts::UNKNOWN, "{pattern}");
                }
                let Some(price) = table.price else { continue };
                assert!(!pattern.ends_with('*'), "{pattern} is not one model");
                let usual = (
                    price.input,
                    price.output,
                    price.cache_read,
                    price.cache_write,
                );
                let long = price
                    .long
                    .map(|long| (long.input, long.output, long.cache_read, long.cache_write));
                for (input, output, read, write) in [usual].into_iter().chain(long) {
                    assert!(output > input, "{pattern}");
                    assert!(read.is_none_or(|read| read < input), "{pattern}");
                    assert!(write.is_none_or(|write| write > input), "{pattern}");
                }
                assert!(long.is_none_or(|long| long.0 > usual.0), "{pattern}");
            }
        }
    }

    #[test]
    fn a_model_costs_something_at_its_maker_and_can_the_same_elsewhere() {
        let own = facts("anthropic", "claude-sonnet-4-5-20250929");
        assert_eq!(own.cost(&thousand_each()), Some(Money(18_000_000)));
        assert_eq!(own.reasoning, Some(ReasoningStyle::Budget));
        for (provider, model) in [
            ("openrouter", "anthropic/claude-sonnet-4.5"),
            ("bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            ("", "claude-sonnet-4-5"),
        ] {
            let there = facts(provider, model);
            assert_eq!(there.prices, None, "{provider}");
            assert_eq!(there.context, own.context, "{provider}");
            assert_eq!(there.max_output, own.max_output, "{provider}");
        }
        assert_eq!(
            facts("openrouter", "anthropic/claude-sonnet-4.5").tells_cost,
            Some(true)
        );
    }

    #[test]
    fn one_model_of_a_family_is_not_another() {
        let cost = |model| facts("openai", model).cost(&thousand_each());
        assert_eq!(cost("gpt-5"), Some(Money(11_250_000)));
        assert_eq!(cost("gpt-5-mini-2025-08-07"), Some(Money(2_250_000)));
        assert_eq!(cost("gpt-5-pro-of-later"), None);
        assert_eq!(
            facts("openai", "gpt-5-pro-of-later").token_limit,
            Some(TokenLimit::MaxCompletionTokens)
        );
        assert_eq!(cost("ft:gpt-4o:me"), None);
    }

    #[test]
    fn nothing_is_known_of_other_names_and_of_ones_own_machine() {
        for (provider, model) in [
            ("openai", "no-such-model"),
            ("openai", ""),
            ("llama.cpp", "gpt-4"),
            ("ollama", "claude-sonnet-4-5"),
        ] {
            assert_eq!(facts(provider, model), ModelFacts::UNKNOWN, "{model}");
        }
    }

    #[test]
    fn the_users_tables_fit_by_name_beginning_and_endpoint() {
        let tables: BTreeMap<String, ModelTable> = toml::from_str(
            "'*' = { tools = true }\n\
             'my-*' = { context = 1, max_output = 1 }\n\
             'my-model' = { context = 2 }\n\
             'work/*' = { images = true }\n",
        )
        .unwrap();
        assert_eq!(
            facts_of_tables(&tables, "Work", "My-Model"),
            ModelFacts {
                context: Some(2),
                max_output: Some(1),
                images: Some(true),
                tools: Some(true),
                ..ModelFacts::UNKNOWN
            }
        );
    }
}
