//! Why a model stopped; some reasons are errors.

use serde_json::Value;

use super::decode::text;
use crate::backends::gather::{Ended, Gathered};
use crate::backends::wire::Failure;
use crate::backends::{ErrorKind, Reply, Stop, fault};

/// Reads the reason of a piece, when it has one.
pub(super) fn ending(gathered: &mut Gathered, piece: &Value) -> Result<Option<Stop>, Failure> {
    let block = piece
        .pointer("/promptFeedback/blockReason")
        .and_then(Value::as_str);
    match block {
        None | Some("" | "BLOCK_REASON_UNSPECIFIED" | "BLOCKED_REASON_UNSPECIFIED") => {}
        Some(reason) => return Err(blocked(gathered, reason, piece)),
    }
    let Some(candidate) = super::decode::candidate(piece) else {
        return Ok(None);
    };
    let reason = text(candidate, "finishReason");
    let message = text(candidate, "finishMessage");
    Ok(match reason {
        // What is not set is written out by some servers.
        "" | "FINISH_REASON_UNSPECIFIED" => None,
        "STOP" | "FUNCTION_CALL" => Some(Stop::End),
        // The second is a bound of a single request.
        "MAX_TOKENS" | "CONTINUATION" => Some(Stop::Length),
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "ESCALATION"
        | "MODEL_ARMOR"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => Some(Stop::Filter),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" => {
            let what = if reason == "MALFORMED_RESPONSE" {
                "the model gave an answer that cannot be read"
            } else {
                "the model made a call that cannot be read"
            };
            let told = Failure::new(ErrorKind::Server, with_words(what, message));
            let told = told.hint("ask again, or offer fewer tools").passing();
            return Err(told.with_partial(came_in(gathered)));
        }
        "MISSING_THOUGHT_SIGNATURE" => {
            let what = "the model misses its signature on a call of this chat";
            let told = Failure::new(ErrorKind::Request, with_words(what, message));
            return Err(told.hint(
                "the `reasoning:` records before the calls hold them: put them back, or ask anew",
            ));
        }
        "PUP_LIMITED_DISABLED" => {
            let what = "the provider has limited or disabled the account";
            let told = Failure::new(ErrorKind::Authentication, with_words(what, message));
            return Err(told.hint("look at the account with the provider"));
        }
        other => Some(Stop::Other(other.to_lowercase())),
    })
}

/// A question that is blocked has no answer at all.
fn blocked(gathered: &mut Gathered, reason: &str, piece: &Value) -> Failure {
    let what = format!(
        "the provider's content filter blocked the question ({})",
        fault::one_line(reason)
    );
    let words = piece
        .pointer("/promptFeedback/blockReasonMessage")
        .and_then(Value::as_str);
    let message = with_words(&what, words.unwrap_or_default());
    let partial = came_in(gathered).unwrap_or_else(|| Reply {
        items: Vec::new(),
        cut_calls: Vec::new(),
        stop: Stop::Filter,
        usage: gathered.usage,
        model: gathered.model.clone(),
        response_id: gathered.response_id.clone(),
    });
    Failure::new(ErrorKind::Refused, message)
        .hint("change the question, or ask another model")
        .with_partial(Some(Reply {
            stop: Stop::Filter,
            ..partial
        }))
}

/// Gives what came in until now, when that is something.
fn came_in(gathered: &mut Gathered) -> Option<Reply> {
    match std::mem::take(gathered).settle(Ended::BrokenOff) {
        Ok(reply) => Some(reply),
        Err(failure) => failure.partial.map(|reply| *reply),
    }
}

fn with_words(what: &str, words: &str) -> String {
    if words.trim().is_empty() {
        what.to_owned()
    } else {
        format!("{what}: {}", fault::one_line(words))
    }
}
