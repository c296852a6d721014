//! `scoutai endpoints`: what can be asked, and whether it answers.

mod steps;
mod trial;

use super::args::EndpointsCommand;
use super::described;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Stream;
use super::session::Session;
use crate::backends::{FACTS_DATE, ModelFacts};
use crate::wiring::endpoints::{self, Listed};
use crate::wiring::models;
use steps::Form;

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
        EndpointsCommand::Test { name, model, json } => {
            let form = if json { Form::Json } else { Form::Lines };
            trial::test(name, model, form, session).await
        }
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
