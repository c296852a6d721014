//! What ends a run that does not end by itself.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use serde_json::{Map, Value};

use super::Total;
use crate::backends::{ModelFacts, Money};
use crate::chat::{ToolCall, ToolName, ToolOutput};
use crate::tools::OutputLimit;

/// The limits of one run. None of them counts what earlier runs of the chat did, so a run with a
/// higher limit goes on where one was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most requests.
    pub rounds: u32,
    /// Equal calls that are warned of.
    pub equal_calls_warn: u32,
    /// Equal calls that end the run.
    pub equal_calls_stop: u32,
    /// The most rounds in a row that call only tools that are not there.
    pub unknown_rounds: u32,
    /// The most rounds in a row whose calls were cut by the token limit.
    pub cut_rounds: u32,
    /// The most tokens, prompts and completions together.
    pub tokens: Option<u64>,
    /// What the run may cost.
    pub cost: Option<Money>,
    pub time: Option<Duration>,
    pub output: OutputLimit,
}

impl Limits {
    /// Tells whether the limits can be held when this model is asked; told before the first
    /// request, as a limit that does not limit costs money.
    pub fn can_hold(&self, model: &str, facts: &ModelFacts) -> Result<(), LimitReached> {
        match self.cost {
            Some(limit) if !facts.has_costs() => Err(LimitReached::NoPrice {
                model: model.to_owned(),
                limit,
            }),
            Some(_) | None => Ok(()),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            rounds: 50,
            equal_calls_warn: 3,
            equal_calls_stop: 5,
            unknown_rounds: 3,
            cut_rounds: 2,
            tokens: None,
            cost: None,
            time: None,
            output: OutputLimit::default(),
        }
    }
}

/// Which limit ended a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitReached {
    #[error("the run was stopped after {0} rounds")]
    Rounds(u32),
    #[error("the run was stopped, because the model called `{}` {times} times with the same arguments", name.0)]
    EqualCalls { name: ToolName, times: u32 },
    #[error(
        "the run was stopped, because for {0} rounds the model called only tools that are not there"
    )]
    UnknownTools(u32),
    #[error("the run was stopped, because the token limit cut the calls of {0} answers in a row")]
    CutCalls(u32),
    #[error("the run was stopped, because it took {used} tokens and {limit} are the most")]
    Tokens { used: u64, limit: u64 },
    #[error("the run was stopped, because it cost {used} and {limit} is the most")]
    Cost { used: Money, limit: Money },
    #[error(
        "the run was stopped, because the cost of an answer is not known, and {limit} is the most that it may cost"
    )]
    CostUnknown { limit: Money },
    #[error(
        "the price of `{model}` is not known, so a run cannot be held to the {limit} that it may cost"
    )]
    NoPrice { model: String, limit: Money },
    #[error("the run was stopped after {} seconds", .0.as_secs_f64())]
    Time(Duration),
}

impl LimitReached {
    /// Says what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            LimitReached::Rounds(_) => {
                "run the chat again to go on, or allow more with `--max-rounds`"
            }
            LimitReached::EqualCalls { .. } => {
                "tell the model in the chat what to do instead, and run it again"
            }
            LimitReached::UnknownTools(_) => {
                "declare the tool in the chat, or tell the model which tools there are"
            }
            LimitReached::CutCalls(_) => {
                "raise `option: max_tokens`, or ask for smaller steps, and run the chat again"
            }
            LimitReached::Tokens { .. } => {
                "run the chat again to go on, or allow more with `option: max_run_tokens`"
            }
            LimitReached::Cost { .. } => {
                "run the chat again to go on, or allow more with `--max-cost`"
            }
            LimitReached::CostUnknown { .. } => {
                "limit the run with `--max-run-tokens` instead of `--max-cost`"
            }
            LimitReached::NoPrice { .. } => {
                "add `[models.\"NAME\".price]` with `input` and `output` to `config.toml` (US dollars \
                 for a million tokens, 0 when it costs nothing), or limit the run with \
                 `--max-run-tokens`"
            }
            LimitReached::Time(_) => "run the chat again to go on, or allow more with `--timeout`",
        }
    }
}

/// What one run has used up so far.
pub(super) struct Spent {
    limits: Limits,
    pub(super) rounds: u32,
    tokens: u64,
    cost: Total,
    unknown_rounds: u32,
    cut_rounds: u32,
    repeats: Vec<Repeat>,
}

/// A call that was made, and how often.
struct Repeat {
    name: ToolName,
    arguments: Map<String, Value>,
    /// The last round that made it.
    round: u32,
    /// How many rounds in a row made it.
    row: u32,
    /// A hash of its last output, and how many rounds gave it that output.
    output: u64,
    same: u32,
}

/// What the calls of one round were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundOfCalls {
    /// All of them name tools that are not there.
    Unknown,
    /// The token limit cut some of them.
    Cut,
    Usual,
}

impl Spent {
    pub(super) fn new(limits: Limits) -> Spent {
        Spent {
            limits,
            rounds: 0,
            tokens: 0,
            cost: Total::NOTHING,
            unknown_rounds: 0,
            cut_rounds: 0,
            repeats: Vec::new(),
        }
    }

    /// Tells whether one more request may be made; asked before each.
    pub(super) fn check(&self) -> Result<(), LimitReached> {
        let limits = &self.limits;
        if self.rounds >= limits.rounds {
            return Err(LimitReached::Rounds(self.rounds));
        }
        if let Some(limit) = limits.tokens
            && self.tokens >= limit
        {
            return Err(LimitReached::Tokens {
                used: self.tokens,
                limit,
            });
        }
        if let Some(limit) = limits.cost {
            match self.cost {
                Total::Whole(used) if used >= limit => {
                    return Err(LimitReached::Cost { used, limit });
                }
                Total::Whole(_) => {}
                Total::AtLeast(_) => return Err(LimitReached::CostUnknown { limit }),
            }
        }
        if self.unknown_rounds >= limits.unknown_rounds {
            return Err(LimitReached::UnknownTools(self.unknown_rounds));
        }
        if self.cut_rounds >= limits.cut_rounds {
            return Err(LimitReached::CutCalls(self.cut_rounds));
        }
        for repeat in &self.repeats {
            let times = repeat.times();
            if times >= limits.equal_calls_stop {
                return Err(LimitReached::EqualCalls {
                    name: repeat.name.clone(),
                    times,
                });
            }
        }
        Ok(())
    }

    /// Counts the tokens of a reply.
    pub(super) fn used(&mut self, tokens: u64) {
        self.tokens = self.tokens.saturating_add(tokens);
    }

    /// Counts what a reply cost.
    pub(super) fn paid(&mut self, cost: Option<Money>) {
        self.cost = self.cost.with(cost);
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts a round of calls.
    pub(super) fn called(&mut self, round: RoundOfCalls) {
        (self.unknown_rounds, self.cut_rounds) = match round {
            RoundOfCalls::Unknown => (self.unknown_rounds + 1, 0),
            RoundOfCalls::Cut => (0, self.cut_rounds + 1),
            RoundOfCalls::Usual => (0, 0),
        };
    }

    /// Counts a call with its output; gives a warning when it is time for one.
    ///
    /// Equal calls count when they come in rounds in a row, and also with other calls between
    /// them when their outputs are equal too: a test that is run after each change is no circle.
    pub(super) fn returned(&mut self, call: &ToolCall, output: &ToolOutput) -> Option<String> {
        let round = self.rounds;
        let mut hasher = DefaultHasher::new();
        (&output.content, output.error).hash(&mut hasher);
        let hash = hasher.finish();
        let known = self
            .repeats
            .iter_mut()
            .find(|known| known.name == call.name && known.arguments == call.arguments);
        let Some(known) = known else {
            self.repeats.push(Repeat {
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                round,
                row: 1,
                output: hash,
                same: 1,
            });
            return None;
        };
        if known.round == round {
            return None;
        }
        let before = known.times();
        known.row = if known.round + 1 == round {
            known.row + 1
        } else {
            1
        };
        known.round = round;
        known.same = if known.output == hash {
            known.same + 1
        } else {
            1
        };
        known.output = hash;
        let warn = self.limits.equal_calls_warn;
        (before < warn && known.times() >= warn).then(|| {
            format!(
                "the model has called `{}` {} times with the same arguments",
                known.name.0,
                known.times()
            )
        })
    }
}

impl Repeat {
    fn times(&self) -> u32 {
        self.row.max(self.same)
    }
}
