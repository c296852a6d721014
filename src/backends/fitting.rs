//! Schemas of a question in the dialect of an API, with what was rewritten told in notes.

use serde_json::Value;

use super::Note;
use super::schema::{Dialect, Fitted, fitted, is_strict};
use crate::tools::ToolDefinition;

/// The most changes of one schema that are told one by one.
const TOLD: usize = 8;

/// Gives the schema of a tool's arguments.
pub(super) fn of_tool(tool: &ToolDefinition, dialect: Dialect, notes: &mut Vec<Note>) -> Value {
    let whose = format!("the tool `{}`", tool.name.0);
    told(fitted(&tool.parameters, dialect), &whose, notes)
}

/// Gives the schema of an answer.
pub(super) fn of_answer(schema: &Value, dialect: Dialect, notes: &mut Vec<Note>) -> Value {
    told(fitted(schema, dialect), ANSWER, notes)
}

/// Gives the schema of an answer for `OpenAI`, and whether it can be held to it.
pub(super) fn of_openai_answer(schema: &Value, notes: &mut Vec<Note>) -> (bool, Value) {
    let strict = fitted(schema, Dialect::OpenAiStrict);
    if strict.is_exact() && is_strict(&strict.schema) {
        return (true, told(strict, ANSWER, notes));
    }
    (false, of_answer(schema, Dialect::Answer, notes))
}

const ANSWER: &str = "the answer";

fn told(fitted: Fitted, whose: &str, notes: &mut Vec<Note>) -> Value {
    let more = fitted.changes.len().saturating_sub(TOLD);
    let first = fitted.changes.iter().take(TOLD);
    notes.extend(first.map(|change| Note::Detail(format!("in the schema of {whose}, {change}"))));
    if more > 0 {
        notes.push(Note::Detail(format!(
            "in the schema of {whose}, {more} more places were rewritten"
        )));
    }
    fitted.schema
}
