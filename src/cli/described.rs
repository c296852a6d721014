//! What is known of a model, in words.

use crate::backends::{ModelFacts, Money, Prices, Rates, ReasoningStyle, TokenLimit};

/// Gives a line for each thing that is known.
pub(super) fn facts(facts: &ModelFacts) -> Vec<(&'static str, String)> {
    let ModelFacts {
        context,
        max_output,
        images,
        pdf,
        tools,
        reasoning,
        always_thinks,
        sampling,
        token_limit,
        tells_cost,
        prices,
    } = facts;
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    if let Some(context) = context {
        lines.push(("context", format!("{context} tokens")));
    }
    if let Some(most) = max_output {
        lines.push(("output", format!("{most} tokens at most")));
    }
    let abilities: Vec<String> = [
        ("images", *images),
        ("pdf", *pdf),
        ("tools", *tools),
        ("sampling", *sampling),
    ]
    .into_iter()
    .filter_map(|(what, can)| {
        Some(if can? {
            what.to_owned()
        } else {
            format!("no {what}")
        })
    })
    .collect();
    if !abilities.is_empty() {
        lines.push(("takes", abilities.join(", ")));
    }
    if let Some(style) = reasoning {
        let how = match style {
            ReasoningStyle::None => "does not think",
            ReasoningStyle::Effort => "by effort",
            ReasoningStyle::Budget => "by a budget of tokens",
            ReasoningStyle::Adaptive => "by itself, within an effort",
        };
        let always = match always_thinks {
            Some(true) => ", always",
            Some(false) | None => "",
        };
        lines.push(("reasoning", format!("{how}{always}")));
    }
    if let Some(limit) = token_limit {
        let name = match limit {
            TokenLimit::MaxTokens => "max_tokens",
            TokenLimit::MaxCompletionTokens => "max_completion_tokens",
        };
        lines.push(("limit as", name.to_owned()));
    }
    if let Some(prices) = prices {
        lines.extend(told_prices(prices));
    }
    if *tells_cost == Some(true) {
        lines.push(("cost", "told with each answer".to_owned()));
    }
    lines
}

fn told_prices(prices: &Prices) -> Vec<(&'static str, String)> {
    let mut lines = vec![("price", told_rates(&prices.usual))];
    if let Some(long) = &prices.long {
        lines.push((
            "price",
            format!(
                "{} with more than {} tokens in the prompt",
                told_rates(&long.rates),
                long.above
            ),
        ));
    }
    lines
}

fn told_rates(rates: &Rates) -> String {
    let Rates {
        input,
        output,
        cache_read,
        cache_write,
        cache_write_1h,
    } = rates;
    let parts: Vec<String> = [
        ("in", Some(input)),
        ("out", Some(output)),
        ("cache read", cache_read.as_ref()),
        ("cache write", cache_write.as_ref()),
        ("cache write for hours", cache_write_1h.as_ref()),
    ]
    .into_iter()
    .filter_map(|(what, price)| Some(format!("{} {what}", exact(price?.of_a_million()))))
    .collect();
    format!("{} (a million tokens)", parts.join(", "))
}

/// A price is told with all its digits, and cents always.
fn exact(price: Money) -> String {
    let dollars = price.dollars();
    let plain = dollars.to_string();
    let decimals = plain
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    if decimals == 0 {
        format!("${plain}")
    } else {
        format!("${dollars:.*}", decimals.max(2))
    }
}
