//! What can be found in one chat without asking the world: for `scoutai check`.

use std::collections::{HashMap, HashSet};

use super::Saying;
use super::directive::Directive;
use super::faults::{nearest, warning};
use super::options::CONTROL;
use super::source::{What, typed};
use crate::chat::{CallId, Chat, Diagnostic, Message, Origin, Role};

/// Gives what is wrong, or looks wrong, with the messages of a chat: values that cannot be read,
/// calls and outputs without each other, options with a slip of the pen. What the reader of the
/// file noticed is not among it.
pub fn check(chat: &Chat) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut calls = Calls::default();
    for message in &chat.messages {
        match typed(message.clone()) {
            Err(fault) => found.push(*fault.diagnostic),
            Ok(What::Said(saying)) => calls.look(message, &saying, &mut found),
            Ok(What::Directive(Directive::Set(assignment))) => {
                found.extend(near_miss(&assignment.key, message));
            }
            Ok(What::Directive(_)) => {}
        }
    }
    found
}

/// Calls and outputs as they are paired.
#[derive(Default)]
struct Calls {
    /// The open ones, each with its number in the file.
    open: HashMap<CallId, (usize, Origin)>,
    made: usize,
    answered: HashSet<CallId>,
}

impl Calls {
    fn look(&mut self, message: &Message, saying: &Saying, found: &mut Vec<Diagnostic>) {
        let at = || message.origin.clone();
        match saying {
            Saying::Call(call) => {
                self.made += 1;
                let before = self.open.insert(call.id.clone(), (self.made, at()));
                if before.is_some() {
                    let text = format!("the call id `{}` stands here twice", call.id.0);
                    found.push(warning(at(), "equal-ids", text));
                }
            }
            Saying::Output(output) => {
                if self.open.remove(&output.id).is_some() {
                    self.answered.insert(output.id.clone());
                } else if self.answered.contains(&output.id) {
                    let text = format!("the call `{}` has an output already", output.id.0);
                    found.push(warning(at(), "equal-ids", text));
                } else {
                    let text = format!("this output has no call `{}`", output.id.0);
                    found.push(warning(at(), "orphan-output", text));
                }
            }
            Saying::Text {
                role: Role::System | Role::Developer | Role::User,
                ..
            }
            | Saying::Media(_) => self.pass(found),
            Saying::Meta(meta) if meta.is_mark() => self.pass(found),
            Saying::Text { .. } | Saying::Reasoning(_) | Saying::Meta(_) => {}
        }
    }

    /// Tells of calls that stay open although the conversation goes on. At the end of a file they
    /// are no finding: the next run closes them.
    fn pass(&mut self, found: &mut Vec<Diagnostic>) {
        let mut open: Vec<(CallId, (usize, Origin))> = self.open.drain().collect();
        open.sort_by_key(|(_, (number, _))| *number);
        for (id, (_, at)) in open {
            let text = format!("the call `{}` has no output", id.0);
            found.push(warning(at, "orphan-call", text));
        }
    }
}

/// Parameters that most providers know.
const PARAMETERS: [&str; 24] = [
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "metadata",
    "min_p",
    "modalities",
    "num_ctx",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning_effort",
    "repeat_penalty",
    "response_format",
    "seed",
    "service_tier",
    "stop",
    "store",
    "temperature",
    "top_k",
    "top_logprobs",
    "top_p",
    "verbosity",
];

fn near_miss(key: &str, message: &Message) -> Option<Diagnostic> {
    let known = || PARAMETERS.iter().chain(&CONTROL).copied();
    // Short names differ by one letter as a rule, not by mistake.
    if key.len() < 5 || known().any(|name| name == key) {
        return None;
    }
    let near = nearest(key, known())?;
    let mut finding = warning(
        super::faults::value_at(message),
        "unknown-option",
        format!("option `{key}` is not one that is known"),
    );
    finding.hint = Some(format!("did you mean `{near}`?"));
    Some(finding)
}
