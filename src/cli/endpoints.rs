//! `scoutai endpoints`: what can be asked, and whether it answers.

use serde_json::{Map, Value, json};

use super::args::EndpointsCommand;
use super::described;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Stream;
use super::session::Session;
use crate::backends::{AskFailure, Delta, FACTS_DATE, ModelFacts, Question, Reply, ToolChoice};
use crate::plan::{Item, Options, Part, Prompt, Turn};
use crate::tools::ToolDefinition;
use crate::wiring::backend::{self, Chosen};
use crate::wiring::endpoints::{self, Asked, Given, Listed, Source};
use crate::wiring::models;
use crate::wiring::trust::Trusting;
use crate::world::clock::{Stopwatch, stopwatch};

pub(crate) async fn endpoints(
    command: EndpointsCommand,
    session: &Session,
) -> Result<Exit, Failure> {
    match command {
        EndpointsCommand::List => {
            list(session);
            Ok(Exit::Answered)
        }
        EndpointsCommand::Show { name } => show(&name, session),
        EndpointsCommand::Test { name, model } => test(name, model, session).await,
    }
}

fn list(session: &Session) {
    let listed = endpoints::list(&session.settings);
    let widest = listed
        .iter()
        .map(|one| one.name.chars().count())
        .max()
        .unwrap_or(0);
    let mut out = Stream::stdout();
    for one in &listed {
        let what = match &one.target {
            Ok(target) => {
                let model = target
                    .model
                    .as_ref()
                    .map_or("no model", |model| &model.value);
                format!(
                    "{}  {model}  key: {}",
                    target.url_shown(),
                    target.key_shown()
                )
            }
            Err(error) => format!("cannot be used: {error}"),
        };
        let described = one
            .described
            .as_ref()
            .map(|from| format!("  ({from})"))
            .unwrap_or_default();
        out.line(&format!("{:widest$}  {what}{described}", one.name));
    }
}

fn show(name: &str, session: &Session) -> Result<Exit, Failure> {
    let Listed {
        described, target, ..
    } = endpoints::show(name, &session.settings);
    let target = target.map_err(|error| Failure::of_choice(&error.into()))?;
    let mut out = Stream::stdout();
    let mut line = |what: &str, value: &str| out.line(&format!("{what:10} {value}"));
    line("name", &target.name);
    if let Some(described) = described {
        line("described", &described.to_string());
    }
    line("backend", target.backend.name());
    line(
        "url",
        &format!("{} ({})", target.url_shown(), target.url.source),
    );
    match &target.model {
        Some(model) => line("model", &format!("{} ({})", model.value, model.source)),
        None => line("model", "none: name one in the chat"),
    }
    for (what, value) in known_of_model(&target, session) {
        line(what, &value);
    }
    line("key", &target.key_shown());
    for (name, value) in &target.parameters {
        line("option", &format!("{name} {value}"));
    }
    for name in target.headers.keys() {
        line("header", &format!("{name}: (set)"));
    }
    Ok(Exit::Answered)
}

/// What is known of the model of an endpoint, for people.
fn known_of_model(target: &endpoints::Target, session: &Session) -> Vec<(&'static str, String)> {
    let Some(model) = &target.model else {
        return Vec::new();
    };
    let mut lines = described::facts(&models::facts(target, &model.value, &session.settings));
    if models::shipped(target, &model.value) != ModelFacts::UNKNOWN {
        lines.push((
            "as of",
            format!("{FACTS_DATE}, where the configuration says nothing else"),
        ));
    }
    lines
}

/// Tries an endpoint step by step; each line tells what was tried, the result and the time.
async fn test(
    name: Option<String>,
    model: Option<String>,
    session: &Session,
) -> Result<Exit, Failure> {
    let given = |value| Given::new(value, Source::CommandLine);
    let asked = Asked {
        endpoint: name.map(given),
        model: model.map(given),
        ..Asked::default()
    };
    let watch = stopwatch();
    let endpoint = endpoints::find(&asked, &session.settings, Trusting::Own, &session.cancel)
        .await
        .map_err(|error| Failure::of_choice(&error.into()))?;
    let target = &endpoint.target;
    let at = format!("{} at {}", target.name, target.url_shown());
    tell("endpoint", &at, watch);
    tell("key", &endpoint.target.key_shown(), watch);
    let chosen = backend::open(endpoint, &Options::default(), &session.settings)
        .map_err(|error| Failure::of_choice(&error))?;
    tell("model", &chosen.model, watch);

    let (reply, pieces) = try_asking(&chosen, &[], "Say the word ready.", session).await?;
    tell("answer", &format!("{:?}", shortened(&said(&reply))), watch);
    tell(
        "streaming",
        if pieces > 1 { "yes" } else { "in one piece" },
        watch,
    );

    let tool = ToolDefinition::new(
        "get_word",
        "Gives the word of the day.",
        json!({"type": "object", "properties": {"day": {"type": "string", "enum": ["today"]}}, "required": ["day"]}),
    );
    let asking = "Call the tool get_word for today.";
    let (reply, _) = try_asking(&chosen, &[tool], asking, session).await?;
    let called = reply.items.iter().any(|item| matches!(item, Item::Call(_)));
    tell(
        "tool call",
        if called {
            "yes"
        } else {
            "the model called no tool"
        },
        watch,
    );
    Ok(Exit::Answered)
}

async fn try_asking(
    chosen: &Chosen,
    tools: &[ToolDefinition],
    text: &str,
    session: &Session,
) -> Result<(Reply, usize), Failure> {
    let mut parameters: Map<String, Value> = chosen.parameters.clone();
    parameters.entry("max_tokens").or_insert(200.into());
    if !tools.is_empty() {
        parameters.insert("parallel_tool_calls".to_owned(), false.into());
    }
    let prompt = Prompt {
        turns: vec![Turn::User(vec![Part::Text(text.to_owned())])],
        ..Prompt::default()
    };
    let question = Question {
        prompt: &prompt,
        tools,
        model: &chosen.model,
        format: None,
        tool_choice: (!tools.is_empty()).then_some(ToolChoice::Required),
        parameters: &parameters,
        facts: &chosen.facts,
        web_search: false,
        previous: None,
        keep: false,
        stream: chosen.stream,
        cancel: &session.cancel,
    };
    let mut pieces = 0;
    let mut count = |delta: Delta| match delta {
        Delta::Text(_) => pieces += 1,
        Delta::Reasoning(_) | Delta::Retrying { .. } | Delta::Noted(_) => {}
    };
    match chosen.backend.ask(question, &mut count).await {
        Ok(reply) => Ok((reply, pieces)),
        Err(AskFailure { error, .. }) => {
            Err(Failure::of_choice(&backend::ChoiceError::Backend(error)))
        }
    }
}

fn said(reply: &Reply) -> String {
    reply
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Text(text) => Some(text.as_str()),
            Item::Call(_) | Item::Reasoning(_) => None,
        })
        .collect()
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(60).collect()
}

fn tell(what: &str, result: &str, watch: Stopwatch) {
    let seconds = watch.elapsed().as_secs_f64();
    Stream::stdout().line(&format!("{what:10} {result}  ({seconds:.1} s)"));
}
