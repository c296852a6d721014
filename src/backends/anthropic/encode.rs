//! A question as the body of a request.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::thinking::{Style, style, thinking};
use super::{Anthropic, messages};
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question, ToolChoice};
use crate::plan::{Item, Prompt, Turn};
use crate::tools::ToolDefinition;

/// What is made of the chat itself.
const KEPT: [&str; 5] = ["model", "messages", "stream", "system", "tools"];

/// The most tokens of an answer where neither the chat nor what is known of the model says it: the
/// API wants a number, and refuses one that is more than the model can.
const USUAL_MAX: u64 = 8192;

/// No answer is asked to be longer than this unless the chat says so.
const LONG_ENOUGH: u64 = 32_000;

/// What asks for JSON where the API has no word for it.
const ONLY_JSON: &str = "Answer with one JSON object and nothing else.";

/// Gives the body.
pub(super) fn encoded(question: &Question<'_>, speaker: &Anthropic) -> Encoded {
    let mut notes = Vec::new();
    let parameters = Parameters::of(question);
    let cache = cache_mark(&parameters);
    let style = style(question.model);
    let forced = matches!(
        question.tool_choice,
        Some(ToolChoice::Required | ToolChoice::Tool(_))
    );
    let thinking = thinking(style, &parameters, forced, &mut notes);
    let mut body = Map::new();
    body.insert("model".into(), question.model.into());
    body.insert(
        "max_tokens".into(),
        max_tokens(question, &parameters, thinking.budget, &mut notes).into(),
    );
    let (mut system, mut list) = messages::split(question.prompt, speaker, &mut notes);
    let mut output = Map::new();
    match question.format.map(wanted) {
        None => {}
        Some(Wanted::Json) => system.push(ONLY_JSON.to_owned()),
        Some(Wanted::Schema { schema, .. }) => {
            output.insert(
                "format".into(),
                json!({"type": "json_schema", "schema": schema}),
            );
        }
    }
    if !system.is_empty() {
        let mut block = json!({"type": "text", "text": system.join("\n\n")});
        mark(&mut block, cache.as_ref());
        body.insert("system".into(), json!([block]));
    }
    add_tools(
        &mut body,
        question,
        &parameters,
        cache.as_ref().filter(|_| system.is_empty()),
    );
    mark_messages(&mut list, cache.as_ref());
    body.insert("messages".into(), list.into());
    if question.stream {
        body.insert("stream".into(), true.into());
    }
    if let Some(effort) = thinking.effort {
        output.insert("effort".into(), effort.into());
    }
    if !output.is_empty() {
        body.insert("output_config".into(), output.into());
    }
    let manual = style == Style::Budget && thinking.budget.is_some();
    body.extend(thinking.field.map(|field| ("thinking".to_owned(), field)));
    add_sampling(&mut body, &parameters, manual, &mut notes);
    lay_over(&mut body, &parameters.rest, &KEPT);
    Encoded {
        body: Value::Object(body),
        notes,
    }
}

fn max_tokens(
    question: &Question<'_>,
    parameters: &Parameters,
    budget: Option<u64>,
    notes: &mut Vec<Note>,
) -> u64 {
    let known = question.facts.max_output;
    let asked = parameters
        .max_tokens
        .or(known.map(|known| known.min(LONG_ENOUGH)))
        .unwrap_or(USUAL_MAX);
    match budget {
        // The limit counts what the model thinks, too, and has to be larger.
        Some(budget) if asked <= budget => {
            notes.push(Note::Detail(format!(
                "`max_tokens` counts what the model thinks: {budget} tokens are added to {asked}"
            )));
            asked + budget
        }
        Some(_) | None => asked,
    }
}

fn add_sampling(
    body: &mut Map<String, Value>,
    parameters: &Parameters,
    manual: bool,
    notes: &mut Vec<Note>,
) {
    if let Some(stop) = &parameters.stop {
        body.insert("stop_sequences".into(), stop.clone().into());
    }
    for (name, value) in [
        ("temperature", &parameters.temperature),
        ("top_p", &parameters.top_p),
        ("top_k", &parameters.top_k),
    ] {
        match value {
            Some(_) if manual => notes.push(Note::Detail(format!(
                "a model that thinks with a budget takes no `{name}`: it is left out"
            ))),
            Some(value) => drop(body.insert(name.into(), value.clone())),
            None => {}
        }
    }
    for (set, name) in [
        (parameters.seed.is_some(), "seed"),
        (parameters.verbosity.is_some(), "verbosity"),
    ] {
        if set {
            notes.push(Note::Detail(format!(
                "Anthropic has no `{name}`: it is left out"
            )));
        }
    }
}

fn add_tools(
    body: &mut Map<String, Value>,
    question: &Question<'_>,
    parameters: &Parameters,
    cache: Option<&Value>,
) {
    let mut tools: Vec<Value> = question.tools.iter().map(tool).collect();
    let mut choice = match question.tool_choice {
        None if parameters.parallel == Some(false) => Some(json!({"type": "auto"})),
        None => None,
        Some(ToolChoice::Auto) => Some(json!({"type": "auto"})),
        Some(ToolChoice::None) => Some(json!({"type": "none"})),
        Some(ToolChoice::Required) => Some(json!({"type": "any"})),
        Some(ToolChoice::Tool(name)) => Some(json!({"type": "tool", "name": name})),
    };
    if tools.is_empty() {
        // Calls of the history must be of tools that are declared, although none can be called now.
        tools = called(question.prompt).into_iter().map(gone).collect();
        choice = Some(json!({"type": "none"}));
    } else if let (Some(false), Some(Value::Object(choice))) = (parameters.parallel, &mut choice)
        && choice.get("type") != Some(&"none".into())
    {
        choice.insert("disable_parallel_tool_use".into(), true.into());
    }
    if let Some(last) = tools.last_mut() {
        mark(last, cache);
    }
    if question.web_search {
        tools.push(json!({"type": "web_search_20250305", "name": "web_search"}));
        if question.tools.is_empty() {
            choice = None;
        }
    }
    if tools.is_empty() {
        return;
    }
    body.insert("tools".into(), tools.into());
    body.extend(choice.map(|choice| ("tool_choice".to_owned(), choice)));
}

fn tool(definition: &ToolDefinition) -> Value {
    json!({
        "name": definition.name.0,
        "description": definition.description,
        "input_schema": definition.parameters,
    })
}

fn gone(name: &str) -> Value {
    json!({
        "name": name,
        "description": "This tool is not there any more.",
        "input_schema": {"type": "object"},
    })
}

/// Names the tools that the history calls.
fn called(prompt: &Prompt) -> BTreeSet<&str> {
    let items = prompt.turns.iter().flat_map(|turn| match turn {
        Turn::Assistant(items) => items.as_slice(),
        Turn::System(_) | Turn::User(_) | Turn::Results(_) => &[],
    });
    items
        .filter_map(|item| match item {
            Item::Call(call) => Some(call.name.0.as_str()),
            Item::Text(_) | Item::Reasoning(_) => None,
        })
        .collect()
}

/// Gives the mark up to which a prompt is kept in the provider's cache: a chat that grows is then
/// read from there and not paid for again.
fn cache_mark(parameters: &Parameters) -> Option<Value> {
    match parameters.prompt_cache.as_deref() {
        Some("off" | "none") => None,
        Some(time @ ("1h" | "5m")) => Some(json!({"type": "ephemeral", "ttl": time})),
        Some(_) | None => Some(json!({"type": "ephemeral"})),
    }
}

fn mark(block: &mut Value, cache: Option<&Value>) {
    if let (Value::Object(block), Some(cache)) = (block, cache) {
        block.insert("cache_control".into(), cache.clone());
    }
}

/// Marks the ends of the last two messages of the user: what the last request wrote is read by this
/// one, and what this one writes by the next.
fn mark_messages(messages: &mut [Value], cache: Option<&Value>) {
    messages
        .iter_mut()
        .rev()
        .filter(|message| message["role"] == "user")
        .filter_map(|message| message["content"].as_array_mut()?.last_mut())
        .take(2)
        .for_each(|block| mark(block, cache));
}
