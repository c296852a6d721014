//! How much the model is to think, in the words that it knows.

use serde_json::{Map, Value, json};

use super::model::Style;
use crate::backends::parameters::Parameters;
use crate::backends::{ModelFacts, Note};

/// The least budget that the API takes.
pub(super) const LEAST: u64 = 1024;

/// What decides about thinking.
pub(super) struct Asked<'a> {
    /// Whether a call is demanded.
    pub(super) forced: bool,
    /// Whether the model is in the middle of calls and has not thought before them.
    pub(super) loop_without: bool,
    pub(super) parameters: &'a Parameters,
    pub(super) facts: &'a ModelFacts,
    pub(super) style: Style,
}

/// Whether the model is told to think: then it takes no sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Thinks {
    Yes,
    #[default]
    No,
}

/// What is sent.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Planned {
    /// The field `thinking`.
    pub(super) config: Option<Value>,
    /// `output_config.effort`.
    pub(super) effort: Option<String>,
    /// The most tokens of thinking, when they are counted.
    pub(super) budget: Option<u64>,
    pub(super) thinks: Thinks,
}

/// Plans the thinking of one request.
///
/// Of a model of which nothing is known it is taken that it is newer than what is known: an effort
/// stays an effort, and a budget is sent only where one was asked for.
pub(super) fn plan(asked: &Asked<'_>, notes: &mut Vec<Note>) -> Planned {
    if asked.parameters.rest.contains_key("thinking") {
        return own(asked.parameters);
    }
    let Some(wish) = Wish::of(asked.parameters) else {
        return Planned::default();
    };
    match (wish, asked.style) {
        (Wish::Off, Style::Never) => Planned::default(),
        (_, Style::Never) => {
            notes.push(Note::Warning(
                "this model cannot think before it answers: the effort is left out".to_owned(),
            ));
            Planned::default()
        }
        (Wish::Off, _) if asked.facts.always_thinks == Some(true) => {
            notes.push(Note::Warning(
                "this model always thinks: it cannot be told not to".to_owned(),
            ));
            Planned {
                thinks: Thinks::Yes,
                ..Planned::default()
            }
        }
        (Wish::Off, Style::Adaptive | Style::Budget | Style::Any) => Planned {
            config: Some(json!({"type": "disabled"})),
            ..Planned::default()
        },
        (Wish::Effort(effort), Style::Adaptive | Style::Any) => {
            adaptive(Some(effort), asked, notes)
        }
        (Wish::Free, Style::Adaptive | Style::Any) => adaptive(None, asked, notes),
        (Wish::Budget(budget), Style::Adaptive) => {
            let effort = effort_of(budget);
            notes.push(Note::Detail(format!(
                "this model has no budget of thinking: {budget} tokens are asked for as the \
                 effort `{effort}`"
            )));
            adaptive(Some(effort), asked, notes)
        }
        (Wish::Budget(budget), Style::Any | Style::Budget) => counted(budget, asked, notes),
        (Wish::Effort(effort), Style::Budget) => counted(budget_of(effort), asked, notes),
        (Wish::Free, Style::Budget) => counted(budget_of("medium"), asked, notes),
    }
}

/// What a chat wants.
#[derive(Clone, Copy)]
enum Wish<'a> {
    Off,
    Effort(&'a str),
    Budget(u64),
    /// To think, as the model likes.
    Free,
}

impl<'a> Wish<'a> {
    /// An effort counts more than a budget, and a summary alone is a wish to see thinking.
    fn of(parameters: &'a Parameters) -> Option<Wish<'a>> {
        match (parameters.effort.as_deref(), parameters.budget) {
            (Some("none" | "off" | "disabled"), _) | (None, Some(0)) => Some(Wish::Off),
            (Some(effort), _) => Some(Wish::Effort(effort)),
            (None, Some(budget)) => Some(match u64::try_from(budget) {
                Ok(budget) => Wish::Budget(budget),
                Err(_) => Wish::Free,
            }),
            (None, None) => parameters
                .summary
                .as_deref()
                .filter(|summary| shows(summary))
                .map(|_| Wish::Free),
        }
    }
}

fn shows(summary: &str) -> bool {
    !["none", "off", "omitted"].contains(&summary)
}

fn adaptive(effort: Option<&str>, asked: &Asked<'_>, notes: &mut Vec<Note>) -> Planned {
    let effort = effort.map(|effort| match effort {
        "minimal" => {
            notes.push(Note::Detail(
                "Anthropic has no effort `minimal`: `low` is asked for".to_owned(),
            ));
            "low".to_owned()
        }
        other => other.to_owned(),
    });
    // Newer models leave the text of their thinking out unless it is asked for.
    let seen = asked.parameters.summary.as_deref().is_none_or(shows);
    let display = if seen { "summarized" } else { "omitted" };
    Planned {
        config: Some(json!({"type": "adaptive", "display": display})),
        effort,
        budget: None,
        thinks: Thinks::Yes,
    }
}

/// Thinking by a budget, where the rest of the request allows it.
fn counted(budget: u64, asked: &Asked<'_>, notes: &mut Vec<Note>) -> Planned {
    let why = if asked.forced {
        "a tool call is demanded"
    } else if asked.loop_without {
        "it has called tools in this turn without thinking first"
    } else {
        return with_budget(budget, asked, notes);
    };
    notes.push(Note::Detail(format!(
        "the model does not think in this request, because {why}"
    )));
    Planned::default()
}

fn with_budget(wanted: u64, asked: &Asked<'_>, notes: &mut Vec<Note>) -> Planned {
    // Some room for the answer is left.
    let most = asked
        .facts
        .max_output
        .map_or(u64::MAX, |most| most.saturating_sub(LEAST));
    let budget = wanted.min(most).max(LEAST);
    if budget != wanted {
        notes.push(Note::Detail(format!(
            "a budget of {wanted} tokens of thinking is not accepted: {budget} are asked for"
        )));
    }
    let mut config = Map::new();
    config.insert("type".into(), "enabled".into());
    config.insert("budget_tokens".into(), budget.into());
    if asked
        .parameters
        .summary
        .as_deref()
        .is_some_and(|summary| !shows(summary))
    {
        config.insert("display".into(), "omitted".into());
    }
    Planned {
        config: Some(config.into()),
        effort: None,
        budget: Some(budget),
        thinks: Thinks::Yes,
    }
}

/// The chat says itself what `thinking` is; it is laid over the body with the other parameters.
fn own(parameters: &Parameters) -> Planned {
    let config = parameters.rest.get("thinking");
    let field = |name| config.and_then(|config| config.get(name));
    Planned {
        config: None,
        effort: parameters.effort.clone(),
        budget: field("budget_tokens").and_then(Value::as_u64),
        thinks: match field("type").and_then(Value::as_str) {
            None | Some("disabled") => Thinks::No,
            Some(_) => Thinks::Yes,
        },
    }
}

fn budget_of(effort: &str) -> u64 {
    match effort {
        "minimal" => LEAST,
        "low" => 2048,
        "high" => 16_384,
        "xhigh" | "max" => 32_000,
        _ => 8192,
    }
}

fn effort_of(budget: u64) -> &'static str {
    match budget {
        0..=2048 => "low",
        2049..=8192 => "medium",
        8193..=16_384 => "high",
        _ => "xhigh",
    }
}
