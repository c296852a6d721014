//! The table of models that is shipped, and what is found in it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ModelFacts;
use super::names::{fit, names_of};
use crate::backends::Preset;
use crate::world::model_table::ModelTable;

/// What is shipped, read when it is first asked for.
static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| {
    toml::from_str(include_str!("models.toml")).expect("the tests read the table that is shipped")
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shipped {
    /// When the data was looked up.
    date: String,
    /// Those who make models: other hosts have them under the same names.
    makers: BTreeMap<String, Models>,
    /// Those who host models of others.
    hosts: BTreeMap<String, Models>,
}

type Models = BTreeMap<String, ModelTable>;

/// Gives what is known of a model at a provider.
///
/// Elsewhere than at its maker a model can do the same, and costs something else. Of models on
/// one's own machine nothing is known: any may go by any name there.
pub fn facts(provider: &str, model: &str) -> ModelFacts {
    if Preset::find(provider).is_some_and(Preset::is_local) {
        return ModelFacts::UNKNOWN;
    }
    let names = names_of(model);
    let shipped = &*SHIPPED;
    let own = shipped
        .makers
        .get(provider)
        .or_else(|| shipped.hosts.get(provider));
    let mut known = own.map_or(ModelFacts::UNKNOWN, |models| best(models, &names));
    for (maker, models) in &shipped.makers {
        if maker != provider {
            known = known.or(best(models, &names).elsewhere());
        }
    }
    known
}

/// Tells when the data that is shipped was looked up.
pub fn facts_date() -> &'static str {
    &SHIPPED.date
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

    use super::{SHIPPED, facts, facts_date, facts_of_tables};
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
    fn the_table_is_read_and_names_providers_that_there_are() {
        assert_eq!(facts_date().len(), "2026-11".len());
        let shipped = &*SHIPPED;
        for name in shipped.makers.keys().chain(shipped.hosts.keys()) {
            assert!(
                name == "bedrock" || Preset::find(name).is_some_and(|one| !one.is_local()),
                "{name}"
            );
        }
        for (maker, models) in &shipped.makers {
            for (pattern, table) in models {
                let ModelTable {
                    context,
                    max_output,
                    price,
                    ..
                } = table;
                assert!(max_output <= context || context.is_none(), "{pattern}");
                let beginning = pattern.trim_end_matches('*');
                assert_ne!(facts(maker, beginning), ModelFacts::UNKNOWN, "{pattern}");
                if let Some(price) = price {
                    assert!(!pattern.ends_with('*'), "{pattern} is not one model");
                    assert!(price.output >= price.input, "{pattern}");
                    assert!(
                        price.cache_read.is_none_or(|read| read < price.input),
                        "{pattern}"
                    );
                    assert!(
                        price.cache_write.is_none_or(|write| write > price.input),
                        "{pattern}"
                    );
                }
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
