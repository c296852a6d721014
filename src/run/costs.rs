//! What inferences cost: one, those of a run, those of a chat.

use crate::backends::Money;
use crate::chat::{Meta, MetaValue};
use crate::plan::{Said, Saying};

/// What inferences cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// The cost of each is known.
    Whole(Money),
    /// The cost of some is not known: this is what the others cost.
    AtLeast(Money),
}

/// What an inference cost, and the sums with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub inference: Option<Money>,
    /// What this run has cost.
    pub run: Total,
    /// What the chat has cost, this run included.
    pub chat: Total,
}

/// The running sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Costs {
    run: Total,
    chat: Total,
}

impl Total {
    pub const NOTHING: Total = Total::Whole(Money(0));

    /// Adds an inference.
    #[must_use]
    pub fn with(self, cost: Option<Money>) -> Total {
        match (self, cost) {
            (Total::Whole(sum), Some(cost)) => Total::Whole(sum.plus(cost)),
            (Total::AtLeast(sum), Some(cost)) => Total::AtLeast(sum.plus(cost)),
            (Total::Whole(sum) | Total::AtLeast(sum), None) => Total::AtLeast(sum),
        }
    }

    /// Gives the sum of what is known.
    pub fn known(self) -> Money {
        match self {
            Total::Whole(sum) | Total::AtLeast(sum) => sum,
        }
    }

    /// Gives the sum when it is that of all.
    pub fn whole(self) -> Option<Money> {
        match self {
            Total::Whole(sum) => Some(sum),
            Total::AtLeast(_) => None,
        }
    }

    /// Gives the sum when some of the costs are missing in it and some are not.
    pub fn part(self) -> Option<Money> {
        match self {
            Total::AtLeast(sum) if sum > Money(0) => Some(sum),
            Total::AtLeast(_) | Total::Whole(_) => None,
        }
    }
}

/// For people; empty when nothing is known.
impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.whole(), self.part()) {
            (Some(sum), _) => write!(f, "{sum}"),
            (None, Some(sum)) => write!(f, "at least {sum}"),
            (None, None) => Ok(()),
        }
    }
}

impl Costs {
    /// Starts with the sum that the chat has so far. It is whole when the newest inference says
    /// so, or when there is none.
    pub(super) fn of(said: &[Said]) -> Costs {
        let mut chat = Total::NOTHING;
        let inferences = said.iter().rev().filter_map(|one| match &one.what {
            Saying::Meta(meta) if meta.is_mark() => Some(meta),
            Saying::Meta(_)
            | Saying::Text { .. }
            | Saying::Media(_)
            | Saying::Call(_)
            | Saying::Output(_)
            | Saying::Reasoning(_) => None,
        });
        for (at, meta) in inferences.enumerate() {
            chat = match (amount(meta, "cost_c"), amount(meta, "known_cost_c")) {
                (Some(sum), _) if at == 0 => Total::Whole(sum),
                (Some(sum), _) | (None, Some(sum)) => Total::AtLeast(sum),
                (None, None) => {
                    chat = Total::AtLeast(Money(0));
                    continue;
                }
            };
            break;
        }
        Costs {
            run: Total::NOTHING,
            chat,
        }
    }

    /// Gives the sums with one more inference.
    pub(super) fn with(self, inference: Option<Money>) -> Cost {
        Cost {
            inference,
            run: self.run.with(inference),
            chat: self.chat.with(inference),
        }
    }

    /// Adds an inference, and writes its cost and the new sums into its mark.
    pub(super) fn add(&mut self, inference: Option<Money>, mark: &mut Meta) {
        let Cost { run, chat, .. } = self.with(inference);
        *self = Costs { run, chat };
        for (key, amount) in [
            ("cost", inference),
            ("cost_s", run.whole()),
            ("known_cost_s", run.part()),
            ("cost_c", chat.whole()),
            ("known_cost_c", chat.part()),
        ] {
            if let Some(amount) = amount {
                mark.push(key, MetaValue::Number(amount.dollars()));
            }
        }
    }
}

fn amount(meta: &Meta, key: &str) -> Option<Money> {
    meta.number(key).and_then(Money::from_dollars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Origin;

    /// What the marks of inferences come to, one after the other.
    fn sums(lines: &[&str]) -> Total {
        let said: Vec<Said> = lines
            .iter()
            .map(|line| Said {
                what: Saying::Meta(Meta::read(line)),
                origin: Origin::Run,
            })
            .collect();
        Costs::of(&said).chat
    }

    fn mark(costs: &mut Costs, inference: Option<u64>) -> String {
        let mut mark = Meta::default();
        costs.add(inference.map(Money), &mut mark);
        mark.write()
    }

    #[test]
    fn a_sum_is_carried_on_and_stays_exact() {
        let chat = sums(&["inference_id=a cost=0.1 cost_c=0.1"]);
        let run = Total::NOTHING;
        let mut costs = Costs { run, chat };
        assert_eq!(
            mark(&mut costs, Some(200_000_000)),
            "cost=0.2 cost_s=0.2 cost_c=0.3"
        );
        assert_eq!(
            mark(&mut costs, Some(1)),
            "cost=0.000000001 cost_s=0.200000001 cost_c=0.300000001"
        );
    }

    #[test]
    fn a_sum_with_something_missing_says_so() {
        let mut costs = Costs::of(&[]);
        assert_eq!(mark(&mut costs, None), "");
        assert_eq!(
            mark(&mut costs, Some(5_000_000)),
            "cost=0.005 known_cost_s=0.005 known_cost_c=0.005"
        );
        assert_eq!(
            mark(&mut costs, None),
            "known_cost_s=0.005 known_cost_c=0.005"
        );
    }

    #[test]
    fn what_nobody_knows_makes_a_chat_a_part() {
        assert_eq!(sums(&[]), Total::NOTHING);
        assert_eq!(sums(&["job=a"]), Total::NOTHING);
        assert_eq!(sums(&["inference_id=a pt=1"]), Total::AtLeast(Money(0)));
        assert_eq!(
            sums(&["inference_id=a cost_c=1", "inference_id=b", "note=x"]),
            Total::AtLeast(Money(1_000_000_000))
        );
        assert_eq!(
            sums(&[
                "inference_id=a cost_c=1",
                "inference_id=b known_cost_c=2.5",
                "job=c cost_c=9"
            ]),
            Total::AtLeast(Money(2_500_000_000))
        );
        assert_eq!(
            sums(&["inference_id=a cost_c=-1"]),
            Total::AtLeast(Money(0))
        );
    }
}
