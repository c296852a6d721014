//! How long an answer may be: the API wants to be told, and refuses what a model cannot give.

use super::thinking::{LEAST, Planned};
use crate::backends::parameters::Parameters;
use crate::backends::{Note, Question};

/// The limit for a model of which nothing is known: every model that is still served takes it.
const UNKNOWN: u64 = 8192;

/// The most that is asked for by itself. A whole reply that takes longer than some minutes is cut
/// by proxies on the way, so it is given less.
const STREAMED: u64 = 32_000;
const WHOLE: u64 = 16_000;

/// Gives `max_tokens`: what was asked for, or what the model gives up to a sensible length; always
/// more than the model may think.
pub(super) fn limit(
    question: &Question<'_>,
    parameters: &Parameters,
    thought: &Planned,
    notes: &mut Vec<Note>,
) -> u64 {
    let most = if question.stream { STREAMED } else { WHOLE };
    let own = question
        .facts
        .max_output
        .map_or(UNKNOWN, |known| known.min(most));
    let asked = parameters.max_tokens.unwrap_or(own);
    let Some(budget) = thought.budget.filter(|budget| *budget >= asked) else {
        return asked;
    };
    let raised = budget.saturating_add(asked.max(LEAST));
    let raised = match question.facts.max_output {
        Some(known) if known > budget => raised.min(known),
        Some(_) | None => raised,
    };
    if parameters.max_tokens.is_some() {
        notes.push(Note::Detail(format!(
            "the model may think up to {budget} tokens: `max_tokens` is raised from {asked} to \
             {raised}"
        )));
    }
    raised
}
