//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::messages;
use super::{
    CacheMarks, ChatCompletions, EffortField, NamedChoice, StreamUsage, TokenLimit, WebSearch,
    WireSettings,
};
use crate::backends::fitting;
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::schema::Dialect;
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question, ToolChoice};
use crate::tools::ToolDefinition;

/// What is made of the chat itself.
const KEPT: [&str; 4] = ["model", "messages", "tools", "stream"];

/// Gives the body. Parameters that are not known to all speakers stand beside what the question
/// itself says, which they replace, except for `model`, `messages`, `tools` and `stream`; one that is
/// null takes the field away.
pub(super) fn encoded(question: &Question<'_>, speaker: &ChatCompletions) -> Encoded {
    let settings = &speaker.settings;
    let parameters = Parameters::of(question);
    let mut notes = Vec::new();
    let mut body = Map::new();
    body.insert("model".into(), question.model.into());
    let mut list = messages::list(question.prompt, speaker, &mut notes);
    let form = question.format.map(wanted);
    if form == Some(Wanted::Json) && !list.iter().any(messages::names_json) {
        // `OpenAI` refuses the form when nothing in the chat asks for it in words.
        messages::add_system(&mut list, "Answer in JSON.", settings);
    }
    if let Some(mark) = cache_mark(question.model, &parameters, settings) {
        messages::mark(&mut list, &mark);
    }
    body.insert("messages".into(), list.into());
    add_tools(&mut body, question, &parameters, settings, &mut notes);
    match form {
        None => {}
        Some(form) => {
            drop(body.insert("response_format".into(), response_format(form, &mut notes)));
        }
    }
    if question.stream {
        body.insert("stream".into(), true.into());
        match settings.stream_usage {
            StreamUsage::Ask => {
                body.insert("stream_options".into(), json!({"include_usage": true}));
            }
            StreamUsage::Omit => {}
        }
    }
    match (question.web_search, settings.web_search) {
        (false, _) => {}
        (true, WebSearch::Plugin) => {
            body.insert("plugins".into(), json!([{"id": "web"}]));
        }
        (true, WebSearch::Never) => notes.push(Note::Warning(format!(
            "`{}` has no web search that a chat can ask for: `websearch` does nothing here",
            speaker.provider
        ))),
    }
    add_thinking(&mut body, &parameters, settings, &mut notes);
    add_known(&mut body, question, &parameters, settings, &mut notes);
    lay_over(&mut body, &parameters.rest, &KEPT);
    Encoded {
        body: Value::Object(body),
        notes,
    }
}

fn add_known(
    body: &mut Map<String, Value>,
    question: &Question<'_>,
    parameters: &Parameters,
    settings: &WireSettings,
    notes: &mut Vec<Note>,
) {
    let limit = match question.facts.token_limit.unwrap_or(settings.token_limit) {
        TokenLimit::MaxTokens => "max_tokens",
        TokenLimit::MaxCompletionTokens => "max_completion_tokens",
    };
    let refused = question.facts.sampling == Some(false);
    let sampling = ["temperature", "top_p", "top_k"];
    let known = [
        (limit, parameters.max_tokens.map(Value::from)),
        ("temperature", parameters.temperature.clone()),
        ("top_p", parameters.top_p.clone()),
        ("top_k", parameters.top_k.clone()),
        ("seed", parameters.seed.clone()),
        ("stop", parameters.stop.clone().map(Value::from)),
        ("verbosity", parameters.verbosity.clone().map(Value::from)),
    ];
    for (name, value) in known {
        let Some(value) = value else { continue };
        if refused && sampling.contains(&name) {
            notes.push(Note::Detail(format!(
                "`{}` takes no `{name}`: it is left out",
                question.model
            )));
        } else {
            body.insert(name.to_owned(), value);
        }
    }
}

fn add_thinking(
    body: &mut Map<String, Value>,
    parameters: &Parameters,
    settings: &WireSettings,
    notes: &mut Vec<Note>,
) {
    let (effort, budget) = (parameters.effort.as_deref(), parameters.budget);
    let off = effort == Some("none") || (effort.is_none() && budget == Some(0));
    let mut left_out = |name: &str| {
        notes.push(Note::Detail(format!(
            "this server has no `{name}`: it is left out"
        )));
    };
    if parameters.summary.is_some() {
        left_out("reasoning_summary");
    }
    if effort.is_none() && budget.is_none() {
        return;
    }
    match settings.effort {
        EffortField::Word => {
            if budget.is_some() {
                left_out("reasoning_budget");
            }
            let word = effort.or((budget == Some(0)).then_some("none"));
            body.extend(word.map(|word| ("reasoning_effort".to_owned(), word.into())));
        }
        EffortField::Object => {
            let reasoning = match (effort, budget) {
                _ if off => json!({"enabled": false}),
                (_, Some(budget @ 1..)) => json!({"max_tokens": budget}),
                (Some(effort), _) => json!({"effort": effort}),
                (None, _) => json!({"enabled": true}),
            };
            body.insert("reasoning".into(), reasoning);
        }
        EffortField::Switch => {
            let kind = if off { "disabled" } else { "enabled" };
            body.insert("thinking".into(), json!({"type": kind}));
        }
        EffortField::Template => {
            let mut template = json!({"enable_thinking": !off});
            if let Some(effort) = effort.filter(|_| !off) {
                template["reasoning_effort"] = effort.into();
            }
            body.insert("chat_template_kwargs".into(), template);
        }
    }
}

/// Gives the mark up to which a prompt is kept in the cache, where marks count.
fn cache_mark(model: &str, parameters: &Parameters, settings: &WireSettings) -> Option<Value> {
    let marks = match settings.cache_marks {
        CacheMarks::AnthropicModels => model.starts_with("anthropic/"),
        CacheMarks::Never => false,
    };
    match parameters.prompt_cache.as_deref() {
        _ if !marks => None,
        Some("off" | "none") => None,
        Some("1h") => Some(json!({"type": "ephemeral", "ttl": "1h"})),
        Some(_) | None => Some(json!({"type": "ephemeral"})),
    }
}

fn add_tools(
    body: &mut Map<String, Value>,
    question: &Question<'_>,
    parameters: &Parameters,
    settings: &WireSettings,
    notes: &mut Vec<Note>,
) {
    if question.tools.is_empty() {
        return;
    }
    let named = |name: &str| question.tools.iter().find(|tool| tool.name.0 == name);
    let (tools, choice): (Vec<&ToolDefinition>, Option<Value>) = match question.tool_choice {
        None => (question.tools.iter().collect(), None),
        Some(ToolChoice::Auto) => (question.tools.iter().collect(), Some("auto".into())),
        Some(ToolChoice::None) => (question.tools.iter().collect(), Some("none".into())),
        Some(ToolChoice::Required) => (question.tools.iter().collect(), Some("required".into())),
        Some(ToolChoice::Tool(name)) => match (settings.named_choice, named(name)) {
            (NamedChoice::OnlyTool, Some(tool)) => (vec![tool], Some("required".into())),
            (NamedChoice::OnlyTool, None) | (NamedChoice::Object, _) => (
                question.tools.iter().collect(),
                Some(json!({"type": "function", "function": {"name": name}})),
            ),
        },
    };
    let tools = tools.into_iter().map(|one| tool(one, notes)).collect();
    body.insert("tools".into(), tools);
    if let Some(choice) = choice {
        body.insert("tool_choice".into(), choice);
    }
    if let Some(parallel) = parameters.parallel {
        body.insert("parallel_tool_calls".into(), parallel.into());
    }
}

fn tool(definition: &ToolDefinition, notes: &mut Vec<Note>) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": definition.name.0,
            "description": definition.description,
            "parameters": fitting::of_tool(definition, Dialect::OpenAiTool, notes),
        },
    })
}

fn response_format(form: Wanted, notes: &mut Vec<Note>) -> Value {
    match form {
        Wanted::Json => json!({"type": "json_object"}),
        Wanted::Schema { name, schema } => {
            let (strict, schema) = fitting::of_openai_answer(&schema, notes);
            json!({
                "type": "json_schema",
                "json_schema": {"name": name, "strict": strict, "schema": schema},
            })
        }
    }
}
