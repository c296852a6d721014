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
            Saying::Output(returned) => {
                let output = &returned.output;
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

#[cfg(test)]
mod tests {
    use super::check;
    use crate::chat::{Origin, parse};
    use std::path::Path;
    use std::sync::Arc;

    /// Gives each finding with the text that it points at.
    fn found(text: &str) -> Vec<(String, &str)> {
        let path: Arc<Path> = Path::new("chat.md").into();
        check(&parse(text, &path))
            .into_iter()
            .map(|one| match one.at {
                Origin::File { span, .. } => (one.message, &text[span.start..span.end]),
                Origin::Run => panic!("a finding without a place: {}", one.message),
            })
            .collect()
    }

    #[test]
    fn calls_and_outputs_without_each_other() {
        let call = |id: u8| format!("function_call: {{\"name\":\"f\",\"id\":\"{id}\"}}\n");
        let output =
            |id: u8| format!("function_call_output: {{\"content\":\"r\",\"id\":\"{id}\"}}\n");
        let whole = [call(1), output(1), call(1), output(1), call(2)].concat();
        assert_eq!(found(&whole), []);
        let text = [
            call(1),
            call(1),
            output(1),
            output(1),
            output(3),
            call(4),
            call(5),
            "assistant: beside them\n".to_owned(),
            output(5),
            "user: x\n".to_owned(),
        ]
        .concat();
        let messages: Vec<String> = found(&text)
            .into_iter()
            .map(|(message, _)| message)
            .collect();
        assert_eq!(
            messages,
            [
                "the call id `1` stands here twice",
                "the call `1` has an output already",
                "this output has no call `3`",
                "the call `4` has no output",
            ]
        );
        assert_eq!(
            found(&format!(
                "{}\nmeta: inference_id=1\nassistant: a\n",
                call(1)
            )),
            [(
                "the call `1` has no output".to_owned(),
                "function_call: {\"name\":\"f\",\"id\":\"1\"}"
            )]
        );
    }

    #[test]
    fn options_with_a_slip_of_the_pen() {
        let text = "option: temprature 1\noption: max_token 5\noption: seeds 1\noption: my_own 2\n\
                    option: temperature 1\nsticky_option: max_round 4\nmodel: x\n";
        let known = |key: &str| format!("option `{key}` is not one that is known");
        assert_eq!(
            found(text),
            [
                (known("temprature"), "temprature 1"),
                (known("max_token"), "max_token 5"),
                (known("seeds"), "seeds 1"),
                (known("max_round"), "max_round 4"),
            ]
        );
    }

    #[test]
    fn values_that_cannot_be_read_are_found_though_edited_out() {
        assert_eq!(
            found("persist: maybe\ntask: W t\nkb: x\nclear:\nuser: q\n"),
            [(
                "`persist` takes `true` or `false`, and this is `maybe`".to_owned(),
                "maybe"
            )]
        );
    }
}
