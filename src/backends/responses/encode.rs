//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::{Responses, input};
use crate::backends::fitting;
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::schema::Dialect;
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question, ToolChoice};
use crate::tools::ToolDefinition;

/// What is made of the chat itself.
const KEPT: [&str; 6] = [
    "model",
    "input",
    "tools",
    "stream",
    "previous_response_id",
    "conversation",
];

/// The least limit of an answer that the API takes.
const LEAST_OUTPUT: u64 = 16;

/// Gives the body.
pub(super) fn encoded(question: &Question<'_>, speaker: &Responses) -> Encoded {
    let mut notes = Vec::new();
    let parameters = Parameters::of(question);
    let mut body = Map::new();
    body.insert("model".into(), question.model.into());
    if let Some(previous) = question.previous {
        body.insert("previous_response_id".into(), previous.response_id.into());
    }
    let (instructions, mut items) = input::items(question, speaker, &mut notes);
    if let Some(instructions) = instructions {
        body.insert("instructions".into(), instructions.into());
    }
    let form = question.format.map(wanted);
    if form == Some(Wanted::Json) && !items.iter().any(names_json) {
        // The form is refused when nothing in the input asks for it in words.
        items.push(json!({"role": "developer", "content": "Answer in JSON."}));
    }
    body.insert("input".into(), items.into());
    // The chat file is the record: the provider keeps one only when the chat builds on it.
    body.insert("store".into(), question.keep.into());
    body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    if let Some(most) = parameters.max_tokens {
        if most < LEAST_OUTPUT {
            notes.push(Note::Detail(format!(
                "Responses takes no `max_output_tokens` below {LEAST_OUTPUT}: it is told that \
                 instead of {most}"
            )));
        }
        body.insert("max_output_tokens".into(), limit(most).into());
    }
    add_tools(&mut body, question, &parameters, &mut notes);
    add_reasoning(&mut body, &parameters);
    add_text(&mut body, form, &parameters, &mut notes);
    for (name, value) in [
        ("temperature", &parameters.temperature),
        ("top_p", &parameters.top_p),
    ] {
        if let Some(value) = value {
            body.insert(name.into(), value.clone());
        }
    }
    for (set, name) in [
        (parameters.top_k.is_some(), "top_k"),
        (parameters.seed.is_some(), "seed"),
        (parameters.stop.is_some(), "stop"),
        (parameters.budget.is_some(), "reasoning_budget"),
        (parameters.prompt_cache.is_some(), "prompt_cache"),
    ] {
        if set {
            notes.push(Note::Detail(format!(
                "Responses has no `{name}`: it is left out"
            )));
        }
    }
    if question.stream {
        body.insert("stream".into(), true.into());
    }
    lay_over(&mut body, &parameters.rest, &KEPT);
    Encoded {
        body: Value::Object(body),
        notes,
    }
}

fn add_tools(
    body: &mut Map<String, Value>,
    question: &Question<'_>,
    parameters: &Parameters,
    notes: &mut Vec<Note>,
) {
    let mut tools: Vec<Value> = question.tools.iter().map(|one| tool(one, notes)).collect();
    if question.web_search {
        tools.push(json!({"type": "web_search"}));
    }
    if tools.is_empty() {
        return;
    }
    body.insert("tools".into(), tools.into());
    let choice: Option<Value> = question.tool_choice.map(|choice| match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool(name) => json!({"type": "function", "name": name}),
    });
    body.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
    if let Some(parallel) = parameters.parallel {
        body.insert("parallel_tool_calls".into(), parallel.into());
    }
}

/// A tool without `strict` would be held to the strict subset of schemas here.
fn tool(definition: &ToolDefinition, notes: &mut Vec<Note>) -> Value {
    json!({
        "type": "function",
        "name": definition.name.0,
        "description": definition.description,
        "parameters": fitting::of_tool(definition, Dialect::OpenAiTool, notes),
        "strict": false,
    })
}

fn add_reasoning(body: &mut Map<String, Value>, parameters: &Parameters) {
    let mut reasoning = Map::new();
    for (name, value) in [
        ("effort", &parameters.effort),
        ("summary", &parameters.summary),
    ] {
        if let Some(value) = value {
            reasoning.insert(name.into(), value.clone().into());
        }
    }
    if !reasoning.is_empty() {
        body.insert("reasoning".into(), reasoning.into());
    }
}

/// Gives the limit of an answer that is told for the one that was asked for.
pub(super) fn limit(asked: u64) -> u64 {
    asked.max(LEAST_OUTPUT)
}

/// Tells whether an item speaks of JSON.
fn names_json(item: &Value) -> bool {
    item["content"]
        .to_string()
        .to_ascii_lowercase()
        .contains("json")
}

fn add_text(
    body: &mut Map<String, Value>,
    form: Option<Wanted>,
    parameters: &Parameters,
    notes: &mut Vec<Note>,
) {
    let mut text = Map::new();
    match form {
        None => {}
        Some(Wanted::Json) => drop(text.insert("format".into(), json!({"type": "json_object"}))),
        Some(Wanted::Schema { name, schema }) => {
            let (strict, schema) = fitting::of_openai_answer(&schema, notes);
            let format =
                json!({"type": "json_schema", "name": name, "strict": strict, "schema": schema});
            text.insert("format".into(), format);
        }
    }
    if let Some(verbosity) = &parameters.verbosity {
        text.insert("verbosity".into(), verbosity.clone().into());
    }
    if !text.is_empty() {
        body.insert("text".into(), text.into());
    }
}
