//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::{Ollama, messages};
use crate::backends::fitting;
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::schema::Dialect;
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question, ToolChoice};
use crate::tools::ToolDefinition;

/// Parameters that stand beside the messages; all others are options of the model.
const OUTSIDE: [&str; 9] = [
    "format",
    "keep_alive",
    "logprobs",
    "options",
    "shift",
    "template",
    "think",
    "top_logprobs",
    "truncate",
];

/// What is made of the chat itself.
const KEPT: [&str; 4] = ["model", "messages", "stream", "tools"];

/// Gives the body.
pub(super) fn encoded(question: &Question<'_>, speaker: &Ollama) -> Encoded {
    let mut notes = Vec::new();
    let parameters = Parameters::of(question);
    let mut body = Map::new();
    body.insert("model".into(), question.model.into());
    let list = messages::list(question.prompt, speaker, &mut notes);
    body.insert("messages".into(), list.into());
    // Ollama streams unless it is told not to.
    body.insert("stream".into(), question.stream.into());
    let offered = offered(question, &mut notes);
    let tools: Vec<Value> = offered
        .into_iter()
        .map(|one| tool(one, &mut notes))
        .collect();
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    match question.format.map(wanted) {
        None => {}
        Some(Wanted::Json) => drop(body.insert("format".into(), "json".into())),
        Some(Wanted::Schema { schema, .. }) => {
            let schema = fitting::of_answer(&schema, Dialect::Grammar, &mut notes);
            body.insert("format".into(), schema);
        }
    }
    if let Some(think) = think(question.model, &parameters) {
        body.insert("think".into(), think);
    }
    if question.web_search {
        notes.push(Note::Warning(
            "Ollama has no web search of its own: `websearch` does nothing here".to_owned(),
        ));
    }
    for (set, name) in [
        (parameters.parallel.is_some(), "parallel_tool_calls"),
        (parameters.summary.is_some(), "reasoning_summary"),
        (parameters.verbosity.is_some(), "verbosity"),
    ] {
        if set {
            notes.push(Note::Detail(format!(
                "Ollama has no `{name}`: it is left out"
            )));
        }
    }
    add_options(&mut body, parameters);
    Encoded {
        body: Value::Object(body),
        notes,
    }
}

fn add_options(body: &mut Map<String, Value>, parameters: Parameters) {
    let mut options = Map::new();
    let known = [
        ("num_predict", parameters.max_tokens.map(Value::from)),
        ("temperature", parameters.temperature),
        ("top_p", parameters.top_p),
        ("top_k", parameters.top_k),
        ("seed", parameters.seed),
        ("stop", parameters.stop.map(Value::from)),
    ];
    for (name, value) in known {
        options.extend(value.map(|value| (name.to_owned(), value)));
    }
    let (outside, inside): (Map<_, _>, Map<_, _>) = parameters
        .rest
        .into_iter()
        .partition(|(name, _)| OUTSIDE.contains(&name.as_str()));
    lay_over(&mut options, &inside, &[]);
    if !options.is_empty() {
        body.insert("options".into(), options.into());
    }
    lay_over(body, &outside, &KEPT);
}

/// Gives the tools that are offered: the protocol cannot demand a call, but it can leave tools out.
fn offered<'a>(question: &Question<'a>, notes: &mut Vec<Note>) -> Vec<&'a ToolDefinition> {
    let all = || question.tools.iter().collect();
    let mut cannot = || {
        notes.push(Note::Detail(
            "Ollama cannot be told to call a tool: `tool_choice` only chooses what is offered"
                .to_owned(),
        ));
    };
    match question.tool_choice {
        None | Some(ToolChoice::Auto) => all(),
        Some(ToolChoice::None) => Vec::new(),
        Some(ToolChoice::Required) => {
            cannot();
            all()
        }
        Some(ToolChoice::Tool(name)) => {
            cannot();
            let named: Vec<_> = question
                .tools
                .iter()
                .filter(|tool| tool.name.0 == name)
                .collect();
            if named.is_empty() { all() } else { named }
        }
    }
}

fn tool(definition: &ToolDefinition, notes: &mut Vec<Note>) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": definition.name.0,
            "description": definition.description,
            "parameters": fitting::of_tool(definition, Dialect::OllamaTool, notes),
        },
    })
}

/// Gives `think`: `gpt-oss` wants a level, and most others know only yes and no.
fn think(model: &str, parameters: &Parameters) -> Option<Value> {
    let levels = model
        .rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with("gpt-oss"));
    match (parameters.effort.as_deref(), parameters.budget) {
        (Some("none"), _) | (None, Some(0)) => Some(false.into()),
        (Some(effort), _) if levels => Some(match effort {
            "minimal" => "low".into(),
            "xhigh" | "max" => "high".into(),
            other => other.into(),
        }),
        (Some(_), _) | (None, Some(_)) => Some(true.into()),
        (None, None) => None,
    }
}
