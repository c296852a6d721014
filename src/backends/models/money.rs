//! Money, exact.

use std::fmt;

/// An amount in billionths of a US dollar: whole numbers, so that sums stay exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash)]
pub struct Money(pub u64);

/// Billionths in a dollar.
const PARTS: f64 = 1e9;

impl Money {
    /// Reads an amount in dollars, rounded to what can be kept; none for a number that is no
    /// amount.
    pub fn from_dollars(dollars: f64) -> Option<Money> {
        let parts = (dollars * PARTS).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "in the range of the type, as checked beside it"
        )]
        (0.0..9e18).contains(&parts).then_some(Money(parts as u64))
    }

    /// Gives the amount in dollars. Written as a decimal it is exact up to a million dollars.
    #[expect(
        clippy::cast_precision_loss,
        reason = "amounts below nine million dollars fit"
    )]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / PARTS
    }

    #[must_use]
    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }
}

/// For people: cents where there are dollars, else as many digits as say something.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.dollars();
        let digits = match self.0 {
            0 => 0,
            1_000_000_000.. => 2,
            1_000_000.. => 4,
            100_000.. => 5,
            10_000.. => 6,
            1_000.. => 7,
            1.. => 9,
        };
        let mut text = format!("${dollars:.digits$}");
        // Cents are always shown; further digits only when they say something.
        if let Some(point) = text.find('.') {
            while text.len() > point + 3 && text.ends_with('0') {
                text.pop();
            }
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any};
    use proptest::proptest;

    use super::Money;

    #[test]
    fn amounts_are_shown_with_the_digits_that_say_something() {
        let shown = [
            0,
            1,
            1_200,
            12_345,
            123_456,
            1_234_567,
            12_345_678,
            999_999_999,
            1_000_000_000,
            12_345_000_000,
        ]
        .map(|parts| Money(parts).to_string());
        assert_eq!(
            shown,
            [
                "$0",
                "$0.000000001",
                "$0.0000012",
                "$0.000012",
                "$0.00012",
                "$0.0012",
                "$0.0123",
                "$1.00",
                "$1.00",
                "$12.35",
            ]
        );
    }

    #[test]
    fn what_is_no_amount_is_none() {
        for number in [-0.01, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(Money::from_dollars(number), None, "{number}");
        }
        assert_eq!(Money::from_dollars(0.1), Some(Money(100_000_000)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_amount_that_was_written_is_read(parts in any::<u64>()) {
            let money = Money(parts % 1_000_000_000_000_000);
            let written = money.dollars().to_string();
            assert_eq!(Money::from_dollars(written.parse().unwrap()), Some(money));
            let decimals = written.split_once('.').map_or("", |(_, decimals)| decimals);
            assert!(decimals.len() <= 9, "{written}");
        }
    }
}
