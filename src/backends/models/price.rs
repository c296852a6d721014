//! What tokens cost.

use super::Money;
use crate::backends::Usage;
use crate::world::model_table::{LongPriceTable, PriceTable};

/// The prices of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    pub usual: Rates,
    pub long: Option<LongPrompt>,
}

/// What a request costs whose prompt is long; the whole request is charged so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongPrompt {
    /// The most prompt tokens that are not yet long.
    pub above: u64,
    pub rates: Rates,
}

/// What tokens of each kind cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Prompt tokens that are neither read from a cache nor written to one.
    pub input: Price,
    /// Tokens of the answer, reasoning included.
    pub output: Price,
    /// Without it they cost as much as `input`: rather too much than too little.
    pub cache_read: Option<Price>,
    /// Tokens that are written to a cache for some minutes; without it they cost as much as
    /// `input`.
    pub cache_write: Option<Price>,
    /// Tokens that are written to a cache for hours; without it they cost twice `input`, as with
    /// those who have such a price.
    pub cache_write_1h: Option<Price>,
}

/// The price of one token in millionths of a millionth of a US dollar: prices of a million tokens
/// with up to six decimals are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(pub u64);

impl Prices {
    /// Works out what a request has cost, when its tokens were told. Of the prompt, cached tokens
    /// that are told have their own price; the answer is charged with its reasoning.
    pub fn cost(&self, usage: &Usage) -> Option<Money> {
        let (prompt, completion) = (usage.prompt?, usage.completion?);
        let rates = match self.long {
            Some(long) if prompt > long.above => long.rates,
            Some(_) | None => self.usual,
        };
        // A server that counts wrongly must not be charged for more tokens than there were.
        let read = usage.cache_read.unwrap_or(0).min(prompt);
        let written = usage.cache_write.unwrap_or(0).min(prompt - read);
        let for_hours = usage.cache_write_1h.unwrap_or(0).min(written);
        let input = rates.input;
        let parts: u128 = [
            (prompt - read - written, input),
            (read, rates.cache_read.unwrap_or(input)),
            (written - for_hours, rates.cache_write.unwrap_or(input)),
            (
                for_hours,
                rates
                    .cache_write_1h
                    .unwrap_or(Price(input.0.saturating_mul(2))),
            ),
            (completion, rates.output),
        ]
        .into_iter()
        .map(|(tokens, price)| u128::from(tokens) * u128::from(price.0))
        .fold(0, u128::saturating_add);
        let rounded = parts.saturating_add(500) / 1000;
        Some(Money(u64::try_from(rounded).unwrap_or(u64::MAX)))
    }
}

impl Price {
    /// Gives the price of a million tokens.
    pub fn of_a_million(self) -> Money {
        Money(self.0.saturating_mul(1000))
    }

    /// Reads the price of a million tokens in dollars; what is no price was refused before.
    fn read(dollars: f64) -> Price {
        Money::from_dollars(dollars).map_or(Price(u64::MAX), |money| Price(money.0 / 1000))
    }
}

impl From<&PriceTable> for Prices {
    fn from(table: &PriceTable) -> Prices {
        Prices {
            usual: Rates {
                input: Price::read(table.input),
                output: Price::read(table.output),
                cache_read: table.cache_read.map(Price::read),
                cache_write: table.cache_write.map(Price::read),
                cache_write_1h: table.cache_write_1h.map(Price::read),
            },
            long: table.long.as_ref().map(LongPrompt::from),
        }
    }
}

impl From<&LongPriceTable> for LongPrompt {
    fn from(table: &LongPriceTable) -> LongPrompt {
        LongPrompt {
            above: table.above,
            rates: Rates {
                input: Price::read(table.input),
                output: Price::read(table.output),
                cache_read: table.cache_read.map(Price::read),
                cache_write: table.cache_write.map(Price::read),
                cache_write_1h: table.cache_write_1h.map(Price::read),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LongPrompt, Money, Price, Prices, Rates};
    use crate::backends::Usage;

    const PLAIN: Rates = Rates {
        input: Price(3_000_000),
        output: Price(15_000_000),
        cache_read: None,
        cache_write: None,
        cache_write_1h: None,
    };

    fn usage(prompt: u64, completion: u64) -> Usage {
        Usage {
            prompt: Some(prompt),
            completion: Some(completion),
            ..Usage::default()
        }
    }

    #[test]
    fn cached_tokens_have_their_own_price() {
        let prices = Prices {
            usual: Rates {
                cache_read: Some(Price(300_000)),
                cache_write: Some(Price(3_750_000)),
                cache_write_1h: Some(Price(6_000_000)),
                ..PLAIN
            },
            long: None,
        };
        let used = Usage {
            cache_read: Some(500),
            cache_write: Some(300),
            cache_write_1h: Some(100),
            reasoning: Some(7),
            ..usage(1000, 10)
        };
        // 200 * 3 + 500 * 0.3 + 200 * 3.75 + 100 * 6 + 10 * 15 millionths of a dollar.
        assert_eq!(prices.cost(&used), Some(Money(2_250_000)));
    }

    #[test]
    fn a_cache_without_a_price_costs_as_much_as_the_prompt() {
        let prices = Prices {
            usual: PLAIN,
            long: None,
        };
        let used = Usage {
            cache_read: Some(500),
            cache_write: Some(100),
            ..usage(1000, 0)
        };
        assert_eq!(prices.cost(&used), Some(Money(3_000_000)));
        let hours = Usage {
            cache_write_1h: Some(100),
            ..used
        };
        assert_eq!(prices.cost(&hours), Some(Money(3_300_000)));
    }

    #[test]
    fn a_long_prompt_is_charged_so_as_a_whole() {
        let prices = Prices {
            usual: PLAIN,
            long: Some(LongPrompt {
                above: 1000,
                rates: Rates {
                    input: Price(6_000_000),
                    ..PLAIN
                },
            }),
        };
        assert_eq!(prices.cost(&usage(1000, 0)), Some(Money(3_000_000)));
        assert_eq!(prices.cost(&usage(1001, 0)), Some(Money(6_006_000)));
    }

    #[test]
    fn tokens_that_were_not_told_have_no_cost_and_wrong_ones_no_wrong_one() {
        let prices = Prices {
            usual: PLAIN,
            long: None,
        };
        assert_eq!(prices.cost(&Usage::default()), None);
        let only_prompt = Usage {
            completion: None,
            ..usage(5, 0)
        };
        assert_eq!(prices.cost(&only_prompt), None);
        let too_many = Usage {
            cache_read: Some(u64::MAX),
            cache_write: Some(u64::MAX),
            cache_write_1h: Some(u64::MAX),
            ..usage(10, 0)
        };
        assert_eq!(prices.cost(&too_many), Some(Money(30_000)));
        assert_eq!(
            prices.cost(&usage(u64::MAX, u64::MAX)),
            Some(Money(u64::MAX))
        );
    }

    #[test]
    fn small_prices_are_exact_and_costs_are_rounded() {
        assert_eq!(Price::read(0.0375), Price(37_500));
        assert_eq!(Price::read(0.0375).of_a_million(), Money(37_500_000));
        let prices = Prices {
            usual: Rates {
                input: Price(37_500),
                ..PLAIN
            },
            long: None,
        };
        assert_eq!(prices.cost(&usage(1, 0)), Some(Money(38)));
        assert_eq!(prices.cost(&usage(2, 0)), Some(Money(75)));
    }
}
