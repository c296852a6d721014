//! How much a model is told to think, by the rules of its family.

use serde_json::{Value, json};

use crate::backends::Note;
use crate::backends::parameters::Parameters;

/// How a family of models is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::backends) enum Style {
    /// It cannot.
    None,
    /// With a budget of tokens.
    Budget,
    /// By itself, as much as the effort asks for.
    Adaptive,
}

/// What a request says about thinking.
#[derive(Debug, Default, PartialEq)]
pub(in crate::backends) struct Thinking {
    pub(in crate::backends) field: Option<Value>,
    pub(in crate::backends) effort: Option<String>,
    /// The tokens that `max_tokens` has to leave room for.
    pub(in crate::backends) budget: Option<u64>,
}

/// The least budget that the API takes.
const LEAST_BUDGET: u64 = 1024;

/// Tells the style from the name; a model that is not known is taken for a new one.
pub(in crate::backends) fn style(model: &str) -> Style {
    let name = model.rsplit(['/', '.']).next().unwrap_or(model);
    let holds = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if holds(&["claude-3-7"]) {
        Style::Budget
    } else if holds(&["claude-3", "claude-2", "claude-instant"]) {
        Style::None
    } else if holds(&[
        "sonnet-4-5",
        "opus-4-5",
        "haiku-4-5",
        "opus-4-1",
        "sonnet-4-0",
        "opus-4-0",
        "sonnet-4-2025",
        "opus-4-2025",
    ]) || name.ends_with("sonnet-4")
        || name.ends_with("opus-4")
    {
        Style::Budget
    } else {
        Style::Adaptive
    }
}

/// Works out what is said about thinking; nothing when the chat says nothing.
pub(in crate::backends) fn thinking(
    style: Style,
    parameters: &Parameters,
    forced_call: bool,
    notes: &mut Vec<Note>,
) -> Thinking {
    let off = || Thinking {
        field: Some(json!({"type": "disabled"})),
        ..Thinking::default()
    };
    let (effort, budget) = (parameters.effort.as_deref(), parameters.budget);
    if effort.is_none() && budget.is_none() {
        return Thinking::default();
    }
    if effort == Some("none") || (effort.is_none() && budget == Some(0)) {
        return if style == Style::None {
            Thinking::default()
        } else {
            off()
        };
    }
    match style {
        Style::None => {
            notes.push(Note::Detail(
                "this model does not think: effort and budget are left out".to_owned(),
            ));
            Thinking::default()
        }
        Style::Budget if forced_call => {
            notes.push(Note::Detail(
                "a call is demanded, and this model cannot think before one: it is not told to \
                 think"
                    .to_owned(),
            ));
            Thinking::default()
        }
        Style::Budget => {
            let asked = budget.and_then(|budget| u64::try_from(budget).ok());
            let budget = asked.unwrap_or_else(|| budget_of(effort)).max(LEAST_BUDGET);
            Thinking {
                field: Some(json!({"type": "enabled", "budget_tokens": budget})),
                effort: None,
                budget: Some(budget),
            }
        }
        Style::Adaptive => Thinking {
            field: Some(json!({"type": "adaptive"})),
            effort: Some(match (effort, budget) {
                (Some("minimal"), _) => "low".to_owned(),
                (Some(effort), _) => effort.to_owned(),
                (None, Some(..=2048)) => "low".to_owned(),
                (None, Some(..=8192)) => "medium".to_owned(),
                (None, Some(_) | None) => "high".to_owned(),
            })
            .filter(|_| budget != Some(-1) || effort.is_some()),
            budget: None,
        },
    }
}

fn budget_of(effort: Option<&str>) -> u64 {
    match effort {
        Some("minimal") => LEAST_BUDGET,
        Some("low") => 2048,
        Some("high") => 16_384,
        Some("xhigh") => 24_576,
        Some("max") => 32_000,
        Some(_) | None => 8192,
    }
}
