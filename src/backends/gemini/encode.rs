//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::models::{Fit, SIGNING, THINKING, budget, generation, level};
use super::{Gemini, contents};
use crate::backends::fitting;
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::schema::Dialect;
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question, ToolChoice};
use crate::tools::ToolDefinition;

/// Parameters that stand beside the contents; all others are part of `generationConfig`.
const OUTSIDE: [&str; 6] = [
    "cachedContent",
    "generationConfig",
    "labels",
    "safetySettings",
    "serviceTier",
    "toolConfig",
];

/// What is made of the chat itself.
const KEPT: [&str; 3] = ["contents", "systemInstruction", "tools"];

/// Gives the body.
pub(super) fn encoded(question: &Question<'_>, speaker: &Gemini) -> Encoded {
    let mut notes = Vec::new();
    let parameters = Parameters::of(question);
    let (system, list) = contents::split(question, speaker, &mut notes);
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert(
            "systemInstruction".into(),
            json!({"parts": [{"text": system.join("\n\n")}]}),
        );
    }
    body.insert("contents".into(), list.into());
    add_tools(&mut body, question, &parameters, &mut notes);
    let mut config = config(question, &parameters, &mut notes);
    let mut outside = Map::new();
    for (name, value) in parameters.rest {
        let name = camel(&name);
        if OUTSIDE.contains(&name.as_str()) {
            outside.insert(name, value);
        } else {
            lay_over(&mut config, &Map::from_iter([(name, value)]), &[]);
        }
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), config.into());
    }
    lay_over(&mut body, &outside, &KEPT);
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
    let declared: Vec<Value> = question.tools.iter().map(|one| tool(one, notes)).collect();
    let calls = !declared.is_empty();
    let mixed = is_mixed(question);
    let mut tools = Vec::new();
    if calls {
        tools.push(json!({"functionDeclarations": declared}));
    }
    if question.web_search && (mixed || !calls) {
        tools.push(json!({"googleSearch": {}}));
    } else if question.web_search {
        notes.push(Note::Warning(
            "models before Gemini 3 do not search the web where other tools are offered".to_owned(),
        ));
    }
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    let mut config = Map::new();
    if mixed {
        config.insert("includeServerSideToolInvocations".into(), true.into());
    }
    let calling = match question.tool_choice.filter(|_| calls) {
        None => None,
        // With tools of both kinds the model decides in a mode of its own, and refuses this one.
        Some(ToolChoice::Auto) => (!mixed).then(|| json!({"mode": "AUTO"})),
        Some(ToolChoice::None) => Some(json!({"mode": "NONE"})),
        Some(ToolChoice::Required) => Some(json!({"mode": "ANY"})),
        Some(ToolChoice::Tool(name)) => {
            Some(json!({"mode": "ANY", "allowedFunctionNames": [name]}))
        }
    };
    config.extend(calling.map(|calling| ("functionCallingConfig".to_owned(), calling)));
    if !config.is_empty() {
        body.insert("toolConfig".into(), config.into());
    }
    if parameters.parallel.is_some() {
        notes.push(Note::Detail(
            "Gemini has no `parallel_tool_calls`: it is left out".to_owned(),
        ));
    }
}

/// Tells whether tools of ours and of the provider are offered together, which the provider must
/// be told.
pub(super) fn is_mixed(question: &Question<'_>) -> bool {
    question.web_search && !question.tools.is_empty() && generation(question.model) >= SIGNING
}

fn tool(definition: &ToolDefinition, notes: &mut Vec<Note>) -> Value {
    json!({
        "name": definition.name.0,
        "description": definition.description,
        "parametersJsonSchema": fitting::of_tool(definition, Dialect::GeminiTool, notes),
    })
}

fn config(
    question: &Question<'_>,
    parameters: &Parameters,
    notes: &mut Vec<Note>,
) -> Map<String, Value> {
    let mut config = Map::new();
    let known = [
        ("maxOutputTokens", parameters.max_tokens.map(Value::from)),
        ("temperature", parameters.temperature.clone()),
        ("topP", parameters.top_p.clone()),
        ("topK", parameters.top_k.clone()),
        ("seed", parameters.seed.clone()),
        ("stopSequences", parameters.stop.clone().map(Value::from)),
    ];
    for (name, value) in known {
        config.extend(value.map(|value| (name.to_owned(), value)));
    }
    match question.format.map(wanted) {
        None => {}
        Some(form) => {
            config.insert("responseMimeType".into(), "application/json".into());
            if let Wanted::Schema { schema, .. } = form {
                let schema = fitting::of_answer(&schema, Dialect::GeminiAnswer, notes);
                config.insert("responseJsonSchema".into(), schema);
            }
        }
    }
    if let Some(thinking) = thinking(question.model, parameters, notes) {
        config.insert("thinkingConfig".into(), thinking);
    }
    for (set, name) in [
        (parameters.verbosity.is_some(), "verbosity"),
        (parameters.prompt_cache.is_some(), "prompt_cache"),
    ] {
        if set {
            notes.push(Note::Detail(format!(
                "Gemini has no `{name}`: it is left out"
            )));
        }
    }
    config
}

/// Gives how much the model is to think: a level from the third generation on, a budget before.
fn thinking(model: &str, parameters: &Parameters, notes: &mut Vec<Note>) -> Option<Value> {
    if generation(model) < THINKING {
        if parameters.budget.is_some() || parameters.effort.is_some() {
            notes.push(Note::Detail(
                "this model does not think: how much it should is left out".to_owned(),
            ));
        }
        return None;
    }
    let mut thinking = Map::new();
    let mut told = |effort: &str, fit, value: &str| match fit {
        Fit::Exact => {}
        Fit::Nearest => notes.push(Note::Detail(format!(
            "the model knows no effort `{effort}`: it is told `{value}`"
        ))),
    };
    match (parameters.budget, parameters.effort.as_deref()) {
        (Some(budget), _) => {
            thinking.insert("thinkingBudget".into(), budget.into());
        }
        (None, Some(effort)) if generation(model) >= SIGNING => {
            let (level, fit) = level(model, effort);
            told(effort, fit, &level);
            thinking.insert("thinkingLevel".into(), level.into());
        }
        (None, Some(effort)) => {
            let (budget, fit) = budget(model, effort);
            told(effort, fit, &budget.to_string());
            thinking.insert("thinkingBudget".into(), budget.into());
        }
        (None, None) if parameters.summary.is_none() => return None,
        (None, None) => {}
    }
    let off = parameters.budget == Some(0) || parameters.effort.as_deref() == Some("none");
    if !off {
        thinking.insert("includeThoughts".into(), true.into());
    }
    Some(Value::Object(thinking))
}

/// Gives a name as the API spells it.
fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut spelled = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        spelled.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        spelled.push_str(letters.as_str());
    }
    spelled
}
