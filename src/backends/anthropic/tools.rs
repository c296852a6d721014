//! What the model may call.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::backends::parameters::Parameters;
use crate::backends::{Note, Question, ToolChoice};
use crate::plan::{Item, Prompt, Turn};

/// The provider's own search of the web.
const WEB_SEARCH: &str = "web_search";

/// Tools with what is said about their use.
#[derive(Debug, Default)]
pub(super) struct Offered {
    pub(super) tools: Vec<Value>,
    pub(super) choice: Option<Value>,
    /// Whether a call is demanded.
    pub(super) forced: bool,
}

/// Gives the tools of a question. A turn that goes on where it paused has begun already, so
/// nothing is demanded of it.
pub(super) fn offered(
    question: &Question<'_>,
    parameters: &Parameters,
    resumes: bool,
    notes: &mut Vec<Note>,
) -> Offered {
    let mut tools: Vec<Value> = question
        .tools
        .iter()
        .map(|tool| {
            let place = format!("the tool `{}`", tool.name.0);
            json!({
                "name": tool.name.0,
                "description": tool.description,
                "input_schema": fitted(&tool.parameters, &place, notes),
            })
        })
        .collect();
    if tools.is_empty() {
        tools = withdrawn(question.prompt);
        if !question.web_search {
            return closed(tools, question.tool_choice, notes);
        }
    }
    if question.web_search {
        add_search(&mut tools, notes);
    }
    let choice = question.tool_choice.filter(|_| !resumes);
    let mut choice = choice.map(|choice| match choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
    });
    if parameters.parallel == Some(false) && question.tool_choice != Some(ToolChoice::None) {
        let choice = choice.get_or_insert_with(|| json!({"type": "auto"}));
        choice["disable_parallel_tool_use"] = true.into();
    }
    let forced = choice
        .as_ref()
        .is_some_and(|choice| choice["type"] == "any" || choice["type"] == "tool");
    Offered {
        tools,
        choice,
        forced,
    }
}

fn add_search(tools: &mut Vec<Value>, notes: &mut Vec<Note>) {
    if tools.iter().any(|tool| tool["name"] == WEB_SEARCH) {
        notes.push(Note::Warning(format!(
            "a tool of the chat is called `{WEB_SEARCH}`: Anthropic's own search is not offered"
        )));
    } else {
        tools.push(json!({"type": "web_search_20250305", "name": WEB_SEARCH}));
    }
}

/// No tool can be called: only what the history needs is declared.
fn closed(tools: Vec<Value>, choice: Option<ToolChoice<'_>>, notes: &mut Vec<Note>) -> Offered {
    match choice {
        Some(ToolChoice::Required | ToolChoice::Tool(_)) => notes.push(Note::Warning(
            "`tool_choice` is left out: no tool is offered".to_owned(),
        )),
        Some(ToolChoice::Auto | ToolChoice::None) | None => {}
    }
    Offered {
        choice: (!tools.is_empty()).then(|| json!({"type": "none"})),
        tools,
        forced: false,
    }
}

/// Declares the tools that the history calls, because the API wants to be told of them.
fn withdrawn(prompt: &Prompt) -> Vec<Value> {
    called(prompt)
        .into_iter()
        .map(|name| {
            json!({
                "name": name,
                "description": "No longer offered.",
                "input_schema": {"type": "object"},
            })
        })
        .collect()
}

fn called(prompt: &Prompt) -> BTreeSet<&str> {
    prompt
        .turns
        .iter()
        .filter_map(|turn| match turn {
            Turn::Assistant(items) => Some(items),
            Turn::System(_) | Turn::User(_) | Turn::Results(_) => None,
        })
        .flatten()
        .filter_map(|item| match item {
            Item::Call(call) => Some(call.name.0.as_str()),
            Item::Text(_) | Item::Reasoning(_) => None,
        })
        .collect()
}

/// Gives a schema as the API takes it.
pub(super) fn fitted(schema: &Value, _place: &str, _notes: &mut Vec<Note>) -> Value {
    schema.clone()
}
