//! A reply in one piece, and what every reply says beside its blocks.

use serde_json::Value;

use super::blocks::{Blocks, text};
use crate::backends::fault;
use crate::backends::gather::Ended;
use crate::backends::wire::Failure;
use crate::backends::{ErrorKind, Reply, Stop, Usage};

/// What a reply says beside its blocks.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    stop: Option<Stop>,
    refusal: String,
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    cache_write_1h: Option<u64>,
    thinking: Option<u64>,
}

/// Reads a reply.
pub(super) fn reply(body: &Value, provider: &str) -> Result<Reply, Failure> {
    if let Some(failure) = fault::told_in(body) {
        return Err(failure);
    }
    let has_content = body
        .get("content")
        .is_some_and(|content| content.is_array() || content.is_string());
    if !has_content && text(body, "stop_reason").is_empty() {
        return Err(Failure::new(
            ErrorKind::Protocol,
            "the reply has no `content`: it is not one of Anthropic's Messages",
        )
        .hint("look at the URL of the endpoint, and at the protocol that its backend speaks"));
    }
    let mut blocks = Blocks::new(provider);
    let mut around = Surroundings::default();
    take(body, &mut blocks, &mut around);
    around.settle(blocks, Proof::Given)
}

/// Whether a reply is known to have come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    Given,
    Missing,
}

/// Takes a message as far as it is told.
pub(super) fn take(
    message: &Value,
    blocks: &mut Blocks,
    around: &mut Surroundings,
) -> Vec<crate::backends::Delta> {
    let gathered = &mut blocks.gathered;
    let told = |key| Some(text(message, key).to_owned()).filter(|text| !text.is_empty());
    gathered.model = told("model").or(gathered.model.take());
    gathered.response_id = told("id").or(gathered.response_id.take());
    around.usage(message);
    around.stop(message);
    match message.get("content") {
        Some(Value::Array(all)) => all.iter().filter_map(|one| blocks.whole(one)).collect(),
        Some(Value::String(words)) => {
            let block = serde_json::json!({"type": "text", "text": words});
            blocks.whole(&block).into_iter().collect()
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            Vec::new()
        }
    }
}

impl Surroundings {
    /// Takes counts: later ones replace earlier ones, as they are sums.
    pub(super) fn usage(&mut self, holder: &Value) {
        let Some(usage) = holder.get("usage") else {
            return;
        };
        let take = |place: &mut Option<u64>, path: &str| {
            *place = usage.pointer(path).and_then(Value::as_u64).or(*place);
        };
        take(&mut self.input, "/input_tokens");
        take(&mut self.output, "/output_tokens");
        take(&mut self.cache_read, "/cache_read_input_tokens");
        take(&mut self.cache_write, "/cache_creation_input_tokens");
        let hour = "/cache_creation/ephemeral_1h_input_tokens";
        take(&mut self.cache_write_1h, hour);
        take(&mut self.thinking, "/output_tokens_details/thinking_tokens");
    }

    /// Takes the reason of the end, where it is told.
    pub(super) fn stop(&mut self, holder: &Value) {
        let reason = text(holder, "stop_reason");
        if reason.is_empty() {
            return;
        }
        let stop = read_stop(reason);
        if stop == Stop::Refusal {
            let details = holder.get("stop_details");
            let told = |key| details.map_or("", |details| text(details, key));
            self.refusal = match (told("explanation"), told("category")) {
                ("", category) => category.to_owned(),
                (explanation, _) => explanation.to_owned(),
            };
        }
        self.stop = Some(stop);
    }

    /// Gives the reply, or says why it is none.
    pub(super) fn settle(self, blocks: Blocks, proof: Proof) -> Result<Reply, Failure> {
        let mut gathered = blocks.close();
        gathered.usage = self.counted();
        gathered.refusal = self.refusal;
        gathered.settle(match proof {
            Proof::Given => Ended::Whole(self.stop.unwrap_or(Stop::End)),
            Proof::Missing => Ended::BrokenOff,
        })
    }

    /// The provider counts what came from the cache and what went into it apart.
    fn counted(&self) -> Usage {
        let parts = [self.input, self.cache_read, self.cache_write];
        let prompt = parts.iter().any(Option::is_some).then(|| {
            parts
                .iter()
                .flatten()
                .fold(0, |sum: u64, n| sum.saturating_add(*n))
        });
        let total = prompt
            .zip(self.output)
            .map(|(prompt, output)| prompt.saturating_add(output));
        Usage {
            prompt,
            completion: self.output,
            total,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            cache_write_1h: self.cache_write_1h,
            reasoning: self.thinking,
            cost: None,
        }
    }
}

fn read_stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" | "stop" => Stop::End,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" | "length" => Stop::Length,
        "refusal" => Stop::Refusal,
        "pause_turn" => Stop::Paused,
        other => Stop::Other(other.to_owned()),
    }
}
