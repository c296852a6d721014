//! `scoutai endpoints test`: tries an endpoint step by step.

use serde_json::{Map, Value, json};

use super::steps::{Form, Step, Steps};
use crate::backends::{
    AskFailure, Backend, BackendError, Delta, ErrorKind, ModelList, Question, Reply, ToolChoice,
};
use crate::chat::{Origin, Role, ToolOutput};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::session::Session;
use crate::plan::{Item, Options, Prompt, Said, Saying};
use crate::tools::ToolDefinition;
use crate::wiring::backend::{self, ChoiceError, Chosen};
use crate::wiring::endpoints::{self, Asked, EndpointError, Given, Source, Target};
use crate::wiring::trust::Trusting;
use crate::world::config::nearest;

/// Enough for a model that thinks before it says a word.
const MOST_TOKENS: u32 = 1000;

/// The word that the tool of the test gives.
const WORD: &str = "heron";

/// Tries an endpoint; each step is told with its result and the time that it took.
pub(super) async fn test(
    name: Option<String>,
    model: Option<String>,
    form: Form,
    session: &Session,
) -> Result<Exit, Failure> {
    let given = |value| Given::new(value, Source::CommandLine);
    let asked = Asked {
        endpoint: name.map(given),
        model: model.map(given),
        ..Asked::default()
    };
    let mut steps = Steps::new(form);
    // What failed is told, and no step after it makes sense.
    let _: Option<()> = run(&asked, session, &mut steps).await;
    steps.end()
}

async fn run(asked: &Asked, session: &Session, steps: &mut Steps) -> Option<()> {
    let target = match endpoints::choose(asked, &session.settings, Trusting::Own).await {
        Ok(target) => target,
        Err(error) => {
            let step = step_of(&error);
            if step == Step::Key {
                let name = asked.endpoint.as_ref().map(|name| name.value.as_str());
                steps.passed(Step::Endpoint, name.unwrap_or("the default one"));
            }
            steps.failed(step, &error.into());
            return None;
        }
    };
    let at = format!("{} at {}", target.name, target.url_shown());
    steps.passed(Step::Endpoint, &at);
    let key = match (&target.key, &target.withheld) {
        (None, None) => "not needed".to_owned(),
        (Some(_), _) | (None, Some(_)) => target.key_shown(),
    };
    let got = endpoints::with_key(target, &session.settings, &session.cancel).await;
    let endpoint = told(steps, Step::Key, got.map_err(ChoiceError::from))?;
    steps.passed(Step::Key, &key);

    let backend = told(steps, Step::Reachable, backend::connected(&endpoint))?;
    let listed = reach(&*backend, session, steps).await?;
    let opened = backend::open(&endpoint, &Options::default(), &session.settings);
    let chosen = told(steps, Step::Model, opened)?;
    steps.passed(Step::Model, &known(&chosen.model, listed.as_deref()));

    let trial = Trial { chosen, session };
    trial.answer(steps).await?;
    trial.streaming(&endpoint.target, steps).await?;
    trial.tool_round(steps).await
}

/// Which step an endpoint fails at that cannot be had.
fn step_of(error: &EndpointError) -> Step {
    match error {
        EndpointError::MissingKey { .. }
        | EndpointError::BadKey { .. }
        | EndpointError::KeyUnread { .. }
        | EndpointError::NeedsTrust { .. } => Step::Key,
        EndpointError::Unknown { .. }
        | EndpointError::UnknownBackend { .. }
        | EndpointError::NoRegion { .. }
        | EndpointError::BadRegion { .. }
        | EndpointError::LeftOut { .. }
        | EndpointError::BadUrl { .. }
        | EndpointError::Settings(_)
        | EndpointError::NothingSet { .. } => Step::Endpoint,
    }
}

/// Gives what a step came to, or tells why it failed.
fn told<T>(steps: &mut Steps, step: Step, outcome: Result<T, ChoiceError>) -> Option<T> {
    outcome.map_err(|error| steps.failed(step, &error)).ok()
}

/// Asks for the list of models: whoever refuses to give one is there all the same.
async fn reach(
    backend: &dyn Backend,
    session: &Session,
    steps: &mut Steps,
) -> Option<Option<Vec<String>>> {
    match backend.models(&session.cancel).await {
        Ok(ModelList::Named(names)) => {
            let result = match names.len() {
                1 => "yes, lists 1 model".to_owned(),
                many => format!("yes, lists {many} models"),
            };
            steps.passed(Step::Reachable, &result);
            Some(Some(names))
        }
        Ok(ModelList::None) => {
            steps.passed(Step::Reachable, "not tried: there is no list of models");
            Some(None)
        }
        Err(error) => match error.kind {
            ErrorKind::Connection | ErrorKind::Cut | ErrorKind::Server | ErrorKind::Cancelled => {
                steps.failed(Step::Reachable, &error.into());
                None
            }
            ErrorKind::Authentication
            | ErrorKind::NotFound
            | ErrorKind::RateLimit
            | ErrorKind::TooLong
            | ErrorKind::Request
            | ErrorKind::Protocol
            | ErrorKind::Empty
            | ErrorKind::Refused => {
                let result = format!("answers, with no list of models ({error})");
                steps.passed(Step::Reachable, &result);
                Some(None)
            }
        },
    }
}

/// Says whether a model is in the list of its server.
fn known(model: &str, listed: Option<&[String]>) -> String {
    let Some(listed) = listed else {
        return format!("{model}, no list");
    };
    // Ollama lists the tag that a bare name stands for.
    let latest = format!("{model}:latest");
    if listed.iter().any(|one| *one == model || *one == latest) {
        return format!("{model}, listed");
    }
    match nearest(model, listed.iter().map(String::as_str)) {
        Some(near) => format!("{model}, not listed; the nearest is {near}"),
        None => format!("{model}, not listed"),
    }
}

/// Asks the model of an endpoint.
struct Trial<'a> {
    chosen: Chosen,
    session: &'a Session,
}

/// A question of the test.
struct Asking<'a> {
    said: &'a [Said],
    tools: &'a [ToolDefinition],
    choice: Option<ToolChoice<'a>>,
    stream: bool,
}

impl Trial<'_> {
    async fn answer(&self, steps: &mut Steps) -> Option<()> {
        let said = [user("Say the word ready.")];
        let outcome = self.ask(&Asking::plain(&said, false)).await;
        let (reply, _) = told(steps, Step::Answer, outcome)?;
        let text = told(steps, Step::Answer, text(&reply))?;
        steps.passed(Step::Answer, &quoted(&text));
        Some(())
    }

    async fn streaming(&self, target: &Target, steps: &mut Steps) -> Option<()> {
        if !self.chosen.stream {
            let reason = format!("the endpoint `{}` says `stream = false`", target.name);
            steps.skipped(Step::Streaming, &reason);
            return Some(());
        }
        let said = [user("Count from one to five, in words.")];
        let outcome = self.ask(&Asking::plain(&said, true)).await;
        let (reply, pieces) = told(steps, Step::Streaming, outcome)?;
        told(steps, Step::Streaming, text(&reply))?;
        let result = match pieces {
            0 | 1 => "in one piece".to_owned(),
            many => format!("in {many} pieces"),
        };
        steps.passed(Step::Streaming, &result);
        Some(())
    }

    /// Has the model call a tool, gives it the result, and waits for its words.
    async fn tool_round(&self, steps: &mut Steps) -> Option<()> {
        let tools = [tool()];
        let mut said = vec![user(
            "Call the tool get_word for today, and then say the word that it gave.",
        )];
        let mut asking = Asking {
            tools: &tools,
            choice: Some(ToolChoice::Required),
            ..Asking::plain(&said, self.chosen.stream)
        };
        let mut outcome = self.ask(&asking).await;
        // Some models take tools and cannot be told to call one.
        if outcome.as_ref().is_err_and(is_refusal) {
            asking.choice = None;
            outcome = self.ask(&asking).await;
        }
        let reply = match outcome {
            Ok((reply, _)) => reply,
            Err(error) if is_refusal(&error) => {
                steps.passed(Step::ToolRound, &format!("no call: {error}"));
                return Some(());
            }
            Err(error) => {
                steps.failed(Step::ToolRound, &error);
                return None;
            }
        };
        let called = reply.items.iter().any(|item| matches!(item, Item::Call(_)));
        if !called {
            let why = match reply.cut_calls.first() {
                Some(cut) => format!("no call: {}", cut.fault),
                None => "no call: the model answers in words".to_owned(),
            };
            steps.passed(Step::ToolRound, &why);
            return Some(());
        }
        said.extend(recorded(reply.items));
        let asking = Asking {
            tools: &tools,
            ..Asking::plain(&said, self.chosen.stream)
        };
        let outcome = self.ask(&asking).await;
        let (reply, _) = told(steps, Step::ToolRound, outcome)?;
        let result = match text(&reply) {
            Ok(text) => format!("called, then {}", quoted(&text)),
            Err(_) if reply.items.iter().any(|item| matches!(item, Item::Call(_))) => {
                "called, and calls again when it has the result".to_owned()
            }
            Err(error) => {
                steps.failed(Step::ToolRound, &error);
                return None;
            }
        };
        steps.passed(Step::ToolRound, &result);
        Some(())
    }

    async fn ask(&self, asking: &Asking<'_>) -> Result<(Reply, usize), ChoiceError> {
        let chosen = &self.chosen;
        // The endpoint may name the same limit otherwise, and the later one counts.
        let mut parameters: Map<String, Value> = Map::new();
        parameters.insert("max_tokens".to_owned(), MOST_TOKENS.into());
        parameters.extend(chosen.parameters.clone());
        let prompt = Prompt::of(asking.said);
        let question = Question {
            prompt: &prompt,
            tools: asking.tools,
            model: &chosen.model,
            format: None,
            tool_choice: asking.choice,
            parameters: &parameters,
            facts: &chosen.facts,
            web_search: false,
            previous: None,
            keep: false,
            stream: asking.stream,
            cancel: &self.session.cancel,
        };
        let mut pieces = 0;
        let mut count = |delta: Delta| match delta {
            Delta::Text(_) => pieces += 1,
            Delta::Reasoning(_) | Delta::Retrying { .. } | Delta::Noted(_) => {}
        };
        match chosen.backend.ask(question, &mut count).await {
            Ok(reply) => Ok((reply, pieces)),
            Err(AskFailure { error, .. }) => Err(error.into()),
        }
    }
}

impl<'a> Asking<'a> {
    fn plain(said: &'a [Said], stream: bool) -> Asking<'a> {
        Asking {
            said,
            tools: &[],
            choice: None,
            stream,
        }
    }
}

/// Tells whether a server takes no such request, rather than failing at it.
fn is_refusal(error: &ChoiceError) -> bool {
    match error {
        ChoiceError::Backend(error) => {
            matches!(error.kind, ErrorKind::Request | ErrorKind::NotFound)
        }
        ChoiceError::Endpoint(_)
        | ChoiceError::Script(_)
        | ChoiceError::ScriptContent(_)
        | ChoiceError::File(_)
        | ChoiceError::NoModel { .. }
        | ChoiceError::ApiVersion { .. } => false,
    }
}

fn tool() -> ToolDefinition {
    ToolDefinition::new(
        "get_word",
        "Gives the word of the day.",
        json!({"type": "object", "properties": {"day": {"type": "string", "enum": ["today"]}}, "required": ["day"]}),
    )
}

fn user(text: &str) -> Said {
    said(Saying::Text {
        role: Role::User,
        text: text.to_owned(),
    })
}

fn said(what: Saying) -> Said {
    Said {
        what,
        origin: Origin::Run,
    }
}

/// Gives a reply and the results of its calls as a chat would hold them.
fn recorded(items: Vec<Item>) -> Vec<Said> {
    let mut outputs = Vec::new();
    let mut all: Vec<Said> = items
        .into_iter()
        .map(|item| {
            said(match item {
                Item::Text(text) => Saying::Text {
                    role: Role::Assistant,
                    text,
                },
                Item::Reasoning(reasoning) => Saying::Reasoning(Box::new(reasoning)),
                Item::Call(call) => {
                    let output = ToolOutput {
                        id: call.id.clone(),
                        name: Some(call.name.clone()),
                        content: WORD.to_owned(),
                        error: false,
                        media: Vec::new(),
                        start_timestamp: None,
                        timestamp: None,
                        other: Map::new(),
                    };
                    outputs.push(said(Saying::Output(Box::new(output.into()))));
                    Saying::Call(Box::new(call))
                }
            })
        })
        .collect();
    all.extend(outputs);
    all
}

/// Gives the text of a reply, which has to say something.
fn text(reply: &Reply) -> Result<String, ChoiceError> {
    let text: String = reply
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(text.as_str()),
            Item::Call(_) | Item::Reasoning(_) => None,
        })
        .collect();
    if text.trim().is_empty() {
        return Err(ChoiceError::Backend(BackendError {
            kind: ErrorKind::Empty,
            message: format!("the model says nothing (stop: {})", reply.stop.name()),
            hint: Some(
                "try another model, or allow more with the option `max_tokens` of the endpoint"
                    .to_owned(),
            ),
            request_id: None,
        }));
    }
    Ok(text)
}

fn quoted(text: &str) -> String {
    format!("{:?}", text.trim().chars().take(60).collect::<String>())
}
