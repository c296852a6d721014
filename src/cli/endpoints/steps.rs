//! The steps of a test, each told when it is done, with the time that it took.

use serde_json::json;

use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::output::Stream;
use crate::wiring::backend::ChoiceError;
use crate::world::clock::{Stopwatch, stopwatch};

/// In which form steps are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A line for people.
    Lines,
    /// A JSON object on a line.
    Json,
}

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Endpoint,
    Key,
    Reachable,
    Model,
    Answer,
    Streaming,
    ToolRound,
}

impl Step {
    const ALL: [Step; 7] = [
        Step::Endpoint,
        Step::Key,
        Step::Reachable,
        Step::Model,
        Step::Answer,
        Step::Streaming,
        Step::ToolRound,
    ];

    fn name(self) -> &'static str {
        match self {
            Step::Endpoint => "endpoint",
            Step::Key => "key",
            Step::Reachable => "reachable",
            Step::Model => "model",
            Step::Answer => "answer",
            Step::Streaming => "streaming",
            Step::ToolRound => "tool round",
        }
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
    Skipped,
}

impl Outcome {
    fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Skipped => "skipped",
        }
    }
}

/// What was told so far.
pub(super) struct Steps {
    form: Form,
    /// How many of all steps were told.
    told: usize,
    watch: Stopwatch,
    /// The first failure, which is what the command ends with.
    failure: Option<Failure>,
}

impl Steps {
    pub(super) fn new(form: Form) -> Steps {
        Steps {
            form,
            told: 0,
            watch: stopwatch(),
            failure: None,
        }
    }

    pub(super) fn passed(&mut self, step: Step, result: &str) {
        self.tell(step, Outcome::Passed, result, None);
    }

    pub(super) fn failed(&mut self, step: Step, error: &ChoiceError) {
        self.tell(
            step,
            Outcome::Failed,
            &error.to_string(),
            error.hint().as_deref(),
        );
        self.failure.get_or_insert(Failure::of_choice(error));
    }

    pub(super) fn skipped(&mut self, step: Step, reason: &str) {
        self.tell(step, Outcome::Skipped, reason, None);
    }

    /// Tells of the steps that were not come to, and how the command ends.
    pub(super) fn end(mut self) -> Result<Exit, Failure> {
        for step in &Step::ALL[self.told..] {
            self.skipped(*step, "");
        }
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(Exit::Answered),
        }
    }

    fn tell(&mut self, step: Step, outcome: Outcome, result: &str, hint: Option<&str>) {
        let seconds = self.watch.elapsed().as_secs_f64();
        let line = match self.form {
            Form::Lines => {
                let result = match (outcome, result) {
                    (Outcome::Passed, result) => result.to_owned(),
                    (Outcome::Failed | Outcome::Skipped, "") => outcome.name().to_owned(),
                    (Outcome::Failed | Outcome::Skipped, result) => {
                        format!("{}: {result}", outcome.name())
                    }
                };
                format!("{:10}  {result}  ({seconds:.1} s)", step.name())
            }
            Form::Json => json!({
                "step": step.name(), "result": outcome.name(), "told": result, "hint": hint,
                "seconds": seconds,
            })
            .to_string(),
        };
        Stream::stdout().line(&line);
        self.told += 1;
        self.watch = stopwatch();
    }
}
