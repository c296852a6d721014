//! The loop: ask, call, record, until the chat ends in an answer.

use std::collections::HashSet;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::calls::{Desk, MadeBy, RetryCalls};
use super::conversation::{Sent, previous};
use super::error::Partial;
use super::journal::Journal;
use super::limits::Spent;
use super::next::refused;
use super::replies::refusal;
use super::request::request;
use super::{Event, LimitReached, Limits, Next, RunError, Sink, Transcript, next, without_answer};
use crate::backends::{Backend, ModelFacts, Note, Question, ToolChoice, Usage};
use crate::chat::{Role, ToolCall};
use crate::plan::{Prompt, Said, Saying, turn_begun};
use crate::tools::{CallContext, ToolRegistry};

/// What a run goes by.
pub struct Run<'a> {
    /// What was said so far, a new question included.
    pub said: Vec<Said>,
    pub asked: Asked<'a>,
    pub registry: &'a ToolRegistry,
    pub backend: &'a dyn Backend,
    pub transcript: &'a mut dyn Transcript,
    pub sink: &'a mut dyn Sink,
    pub limits: Limits,
    pub retry_calls: RetryCalls,
    pub answered: Answered,
    /// Ends the run early; what has come until then is recorded.
    pub cancel: CancellationToken,
}

/// What each request says besides the prompt and the tools.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    pub model: &'a str,
    /// The name of the endpoint, for the record; may be empty.
    pub endpoint: &'a str,
    pub format: Option<&'a Value>,
    /// Goes with the first request of a turn only: else a model that must call a tool never
    /// answers.
    pub tool_choice: Option<&'a str>,
    pub parameters: &'a Map<String, Value>,
    /// What is known of the model.
    pub facts: &'a ModelFacts,
    /// Whether the provider's own search of the web is offered.
    pub web_search: bool,
    /// Whether the provider is to keep the conversation, and to go on from what it kept.
    pub keep: bool,
    pub stream: bool,
}

/// What to do with a chat that ends in a whole answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answered {
    /// The answer is given again, and nothing is asked.
    #[default]
    Keep,
    /// The model is asked anew, and is not shown the answer.
    AskAnew,
}

/// After so many kept responses that the provider does not know it is asked to keep none: the first
/// may be too old, but the second is from this run.
const MOST_FORGOTTEN: usize = 2;

/// How a run that was successful ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub answer: String,
    pub by: AnsweredBy,
    /// What this run took.
    pub usage: Usage,
    /// How many requests it made.
    pub rounds: u32,
}

/// Which run the answer is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    ThisRun,
    /// It stood in the chat already.
    EarlierRun,
}

/// Carries a chat on until it ends in an answer.
///
/// Everything that happens is recorded as soon as it is whole, so a run that ends in an error, or
/// is killed, goes on where it was when the chat is run again.
///
/// A program that uses this library registers its own tools:
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use scoutai::backends::{ModelFacts, Scripted};
/// use scoutai::chat;
/// use scoutai::plan::{Draft, Exec, Rules, Trust};
/// use scoutai::run::{
///     Answered, Asked, Event, Limits, MemoryTranscript, RetryCalls, Run, Sink, run,
/// };
/// use scoutai::tools::{self, Effects, ToolDefinition, ToolRegistry};
/// use serde_json::{Map, json};
///
/// /// Looks at nothing.
/// struct Quiet;
///
/// impl Sink for Quiet {
///     fn tell(&mut self, _: Event) {}
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // A tool is a closure with a definition.
/// let mut registry = ToolRegistry::new();
/// let add = ToolDefinition::new(
///     "add",
///     "Adds two numbers.",
///     json!({
///         "type": "object",
///         "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
///         "required": ["a", "b"],
///     }),
/// );
/// registry.register(tools::function(add, Effects::ReadOnly, |numbers| {
///     let number = |name| numbers[name].as_i64().unwrap_or_default();
///     Ok((number("a") + number("b")).to_string())
/// }));
///
/// // What was said comes from a chat; this one needs nothing else.
/// let path: Arc<Path> = Arc::from(Path::new("sum.md"));
/// let chat = chat::parse("user: What is 2 and 3?\n", &path);
/// let rules = Rules { exec: Exec::Forbidden };
/// let plan = Draft::new(chat, &path, Trust::Trusted, rules)
///     .finish()
///     .map_err(|faults| format!("{:?}", faults.diagnostics))?;
///
/// // The model here plays a script; any other backend does as well.
/// let script = "\
/// meta: stop=calls
/// function_call: {\"name\":\"add\",\"arguments\":{\"a\":2,\"b\":3},\"id\":\"1\"}
///
/// meta: stop=end
/// assistant: It is 5.
/// ";
/// let backend = Scripted::new(&chat::parse(script, &path).messages, 0)?;
///
/// let parameters = Map::new();
/// let mut transcript = MemoryTranscript::default();
/// let outcome = run(Run {
///     said: plan.said,
///     asked: Asked {
///         model: "script",
///         endpoint: "",
///         format: None,
///         tool_choice: None,
///         parameters: &parameters,
///         facts: &ModelFacts::UNKNOWN,
///         web_search: false,
///         keep: false,
///         stream: true,
///     },
///     registry: &registry,
///     backend: &backend,
///     transcript: &mut transcript,
///     sink: &mut Quiet,
///     limits: Limits::default(),
///     retry_calls: RetryCalls::Harmless,
///     answered: Answered::Keep,
///     cancel: tokio_util::sync::CancellationToken::new(),
/// })
/// .await?;
/// assert_eq!(outcome.answer, "It is 5.");
/// assert_eq!(outcome.rounds, 2);
/// let outputs = chat::print(&transcript.messages());
/// assert!(outputs.contains("\"name\":\"add\",\"content\":\"5\""), "{outputs}");
/// # Ok(())
/// # }
/// ```
pub async fn run(run: Run<'_>) -> Result<Outcome, RunError> {
    let time = run.limits.time;
    let outer = run.cancel.clone();
    let inner = outer.child_token();
    let rounds = Rounds::new(run, inner.clone()).go();
    let Some(time) = time else {
        return rounds.await;
    };
    tokio::pin!(rounds);
    let result = tokio::select! {
        biased;
        result = &mut rounds => return result,
        () = tokio::time::sleep(time) => {
            // What has come until now is recorded, as for any other interruption.
            inner.cancel();
            rounds.await
        }
    };
    match result {
        Err(RunError::Interrupted) if !outer.is_cancelled() => Err(LimitReached::Time(time).into()),
        result => result,
    }
}

/// A run under way.
pub(super) struct Rounds<'a> {
    pub(super) asked: Asked<'a>,
    pub(super) desk: Desk<'a>,
    pub(super) journal: Journal<'a>,
    pub(super) sink: &'a mut dyn Sink,
    pub(super) spent: Spent,
    /// What the provider was sent last, when it keeps the conversation.
    pub(super) sent: Option<Sent>,
    /// Ids of kept responses that the provider would not go on from.
    forgotten: HashSet<String>,
    noted: HashSet<Note>,
    backend: &'a dyn Backend,
}

impl<'a> Rounds<'a> {
    fn new(run: Run<'a>, cancel: CancellationToken) -> Rounds<'a> {
        let said = match run.answered {
            Answered::Keep => run.said,
            Answered::AskAnew => without_answer(run.said),
        };
        Rounds {
            desk: Desk {
                registry: run.registry,
                context: CallContext { cancel },
                limit: run.limits.output,
                retry: run.retry_calls,
            },
            backend: run.backend,
            journal: Journal::new(said, run.transcript, run.asked.endpoint),
            asked: run.asked,
            sink: run.sink,
            spent: Spent::new(run.limits),
            sent: None,
            forgotten: HashSet::new(),
            noted: HashSet::new(),
        }
    }

    async fn go(mut self) -> Result<Outcome, RunError> {
        let mut made_by = MadeBy::EarlierRun;
        loop {
            match next(&self.journal.said) {
                Next::Done { answer } => return self.done(answer),
                Next::Call(calls) => self.call(&calls, made_by).await?,
                Next::Ask => {
                    self.ask().await?;
                    made_by = MadeBy::ThisRun;
                }
            }
        }
    }

    fn done(mut self, answer: String) -> Result<Outcome, RunError> {
        let by = if self.spent.rounds == 0 {
            not_refused(&self.journal.said)?;
            AnsweredBy::EarlierRun
        } else {
            self.sink.tell(Event::Answered {
                text: answer.clone(),
            });
            self.journal.leave_room()?;
            AnsweredBy::ThisRun
        };
        Ok(Outcome {
            answer,
            by,
            usage: self.journal.used(),
            rounds: self.spent.rounds,
        })
    }

    async fn call(&mut self, calls: &[ToolCall], made_by: MadeBy) -> Result<(), RunError> {
        let outputs = self
            .desk
            .run(calls, made_by, &mut self.journal, self.sink)
            .await?;
        for (call, output) in calls.iter().zip(&outputs) {
            if let Some(warning) = self.spent.returned(call, output) {
                self.sink.tell(Event::Warned(warning));
            }
        }
        Ok(())
    }

    async fn ask(&mut self) -> Result<(), RunError> {
        if self.desk.context.cancel.is_cancelled() {
            return Err(RunError::Interrupted);
        }
        self.spent.check()?;
        self.spent
            .limits()
            .can_hold(self.asked.model, self.asked.facts)?;
        if !self.journal.said.iter().any(is_conversation) {
            return Err(RunError::NothingAsked);
        }
        let prompt = Prompt::of(&self.journal.said);
        self.spent.rounds += 1;
        self.sink.tell(Event::Asking {
            model: self.asked.model.to_owned(),
            round: self.spent.rounds,
        });
        let tools = self.desk.registry.definitions();
        let keep = self.keeps();
        self.sent = keep.then(|| Sent::of(&prompt));
        let kept = keep
            .then(|| previous(&self.journal.said, &prompt, self.asked.endpoint))
            .flatten()
            .filter(|kept| !self.forgotten.contains(kept.response_id));
        let mut question = Question {
            prompt: &prompt,
            tools: &tools,
            model: self.asked.model,
            format: self.asked.format,
            tool_choice: self
                .asked
                .tool_choice
                .filter(|_| !turn_begun(&self.journal.said))
                .map(ToolChoice::read),
            parameters: self.asked.parameters,
            facts: self.asked.facts,
            web_search: self.asked.web_search,
            previous: kept,
            keep,
            stream: self.asked.stream,
            cancel: &self.desk.context.cancel,
        };
        let asking = question.clone();
        let mut outcome = request(self.backend, asking, &mut self.noted, self.sink).await;
        if let (Err(failure), Some(kept)) = (&outcome, kept)
            && failure.is_refusal_of_the_request()
        {
            self.sink.tell(Event::Warned(format!(
                "the provider does not go on from the conversation that it kept ({}): the whole \
                 chat is sent",
                failure.error.message
            )));
            self.forgotten.insert(kept.response_id.to_owned());
            question.previous = None;
            outcome = request(self.backend, question, &mut self.noted, self.sink).await;
        }
        match outcome {
            Ok(answer) => self.take(answer),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Tells whether the provider is to keep the conversation. One that does not know even what it
    /// has just answered keeps nothing, whatever its protocol says.
    fn keeps(&mut self) -> bool {
        if self.asked.keep && !self.backend.keeps_conversations() {
            let what = "`previous_response` does nothing here: the provider keeps no conversations";
            if self.noted.insert(Note::Warning(what.to_owned())) {
                self.sink.tell(Event::Warned(what.to_owned()));
            }
            return false;
        }
        self.asked.keep && self.forgotten.len() < MOST_FORGOTTEN
    }
}

/// Gives the answer in which a chat ends already, or why that is none, when nothing is to be done.
pub fn settled(said: &[Said]) -> Option<Result<String, RunError>> {
    match next(said) {
        Next::Done { answer } => Some(not_refused(said).map(|()| answer)),
        Next::Ask | Next::Call(_) => None,
    }
}

/// An answer of an earlier run that was refused or filtered is not made good by asking for it again.
fn not_refused(said: &[Said]) -> Result<(), RunError> {
    match refused(said) {
        None => Ok(()),
        Some(stop) => Err(RunError::Refused {
            message: refusal(&stop).to_owned(),
            partial: Partial::Recorded,
        }),
    }
}

/// Tells whether something is part of a conversation: system text alone asks nothing.
fn is_conversation(said: &Said) -> bool {
    match &said.what {
        Saying::Text { role, text } => {
            matches!(role, Role::User | Role::Assistant) && !text.trim().is_empty()
        }
        Saying::Media(_) | Saying::Call(_) | Saying::Output(_) => true,
        Saying::Reasoning(_) | Saying::Meta(_) => false,
    }
}
