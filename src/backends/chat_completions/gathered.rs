//! What has come in of a reply, with what is particular to this protocol.

use serde_json::{Map, Value};

use super::pieces::Places;
use crate::backends::gather::{self, Part, Thought};
use crate::backends::wire::Failure;
use crate::backends::{Money, Reply, Stop, Usage};

/// A reply in the making.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) inner: gather::Gathered,
    places: Places,
    /// Fields of the speaker's own, to be given back: lists of details of reasoning.
    details: Vec<Value>,
    pub(super) finish: Option<String>,
}

/// How a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Whole,
    BrokenOff,
}

impl Gathered {
    pub(super) fn new(provider: &str) -> Gathered {
        Gathered {
            inner: gather::Gathered::new(provider),
            places: Places::default(),
            details: Vec::new(),
            finish: None,
        }
    }

    pub(super) fn call(&mut self, piece: &Value) {
        self.places.add(&mut self.inner, piece);
    }

    /// Takes a piece of `reasoning_details`: pieces of one index and type are put together.
    pub(super) fn detail(&mut self, piece: &Value) {
        let same = |before: &&mut Value| {
            ["index", "type"]
                .iter()
                .all(|key| before.get(key) == piece.get(key))
        };
        let (Some(Value::Object(before)), Some(fields)) =
            (self.details.iter_mut().rfind(same), piece.as_object())
        else {
            self.details.push(piece.clone());
            return;
        };
        for (key, value) in fields {
            match (before.get_mut(key), value) {
                (_, Value::Null) => {}
                (Some(Value::String(text)), Value::String(more))
                    if ["text", "summary", "data"].contains(&key.as_str()) =>
                {
                    text.push_str(more);
                }
                (Some(_) | None, _) => {
                    before.insert(key.clone(), value.clone());
                }
            }
        }
    }

    /// Takes what stands beside the choices: ids and counts.
    pub(super) fn surroundings(&mut self, body: &Value) {
        let text = |key| {
            let text = body.get(key).and_then(Value::as_str);
            text.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        self.inner.model = text("model").or(self.inner.model.take());
        self.inner.response_id = text("id").or(self.inner.response_id.take());
        if let Some(usage) = body.get("usage").filter(|usage| usage.is_object()) {
            self.inner.usage = read_usage(usage);
        }
    }

    /// Gives the reply, or says why it is none.
    pub(super) fn settle(mut self, ended: Ended) -> Result<Reply, Failure> {
        if !self.details.is_empty() {
            self.keep_details();
        }
        let finish = self.finish.as_deref().unwrap_or_default();
        self.inner.settle(match ended {
            Ended::Whole => gather::Ended::Whole(read_finish(finish)),
            Ended::BrokenOff => gather::Ended::BrokenOff,
        })
    }

    /// The first reasoning of a reply carries all the details: they are given back as one list.
    fn keep_details(&mut self) {
        let details = std::mem::take(&mut self.details);
        let data = Value::Object(Map::from_iter([(
            "reasoning_details".into(),
            details.into(),
        )]));
        let first = self.inner.parts().find_map(|part| match part {
            Part::Thought(thought) => Some(thought),
            Part::Text(_) | Part::Call(_) => None,
        });
        match first {
            Some(thought) => thought.data = Some(data),
            None => self.inner.begin_with(Thought {
                text: String::new(),
                data: Some(data),
            }),
        }
    }
}

fn read_finish(reason: &str) -> Stop {
    match reason {
        "" | "stop" | "eos" | "end_turn" => Stop::End,
        "tool_calls" | "function_call" => Stop::Calls,
        "length" | "max_tokens" => Stop::Length,
        "content_filter" => Stop::Filter,
        "refusal" => Stop::Refusal,
        "error" => Stop::Error,
        other => Stop::Other(other.to_owned()),
    }
}

fn read_usage(usage: &Value) -> Usage {
    let count = |path: &[&str]| {
        path.iter()
            .try_fold(usage, |at, key| at.get(key))
            .and_then(Value::as_u64)
    };
    Usage {
        prompt: count(&["prompt_tokens"]),
        completion: count(&["completion_tokens"]),
        total: count(&["total_tokens"]),
        cache_read: count(&["prompt_tokens_details", "cached_tokens"])
            .or_else(|| count(&["prompt_cache_hit_tokens"])),
        cache_write: count(&["prompt_tokens_details", "cache_write_tokens"]),
        reasoning: count(&["completion_tokens_details", "reasoning_tokens"]),
        cost: told_cost(usage),
        ..Usage::default()
    }
}

/// Reads what `OpenRouter` says of the cost: with a key of one's own at the maker, what the maker
/// takes comes on top of its own fee.
fn told_cost(usage: &Value) -> Option<Money> {
    let dollars = |value: Option<&Value>| Money::from_dollars(value?.as_f64()?);
    let own = dollars(usage.get("cost"))?;
    if usage.get("is_byok").and_then(Value::as_bool) != Some(true) {
        return Some(own);
    }
    let upstream = dollars(usage.pointer("/cost_details/upstream_inference_cost"))?;
    Some(own.plus(upstream))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Money, read_usage};

    #[test]
    fn the_cost_that_is_told_is_read_and_what_the_maker_takes_comes_on_top() {
        for (usage, cost) in [
            (json!({"cost": 0.000_123}), Some(123_000)),
            (json!({"cost": 0}), Some(0)),
            (json!({"cost": null}), None),
            (json!({"cost": {"total_cost": 1}}), None),
            (json!({"cost": -1}), None),
            (
                json!({"cost": 0.001, "is_byok": true,
                    "cost_details": {"upstream_inference_cost": 0.02}}),
                Some(21_000_000),
            ),
            (
                json!({"cost": 0.001, "is_byok": false,
                    "cost_details": {"upstream_inference_cost": 0.001}}),
                Some(1_000_000),
            ),
            (json!({"cost": 0.001, "is_byok": true}), None),
        ] {
            assert_eq!(read_usage(&usage).cost, cost.map(Money), "{usage}");
        }
    }
}
