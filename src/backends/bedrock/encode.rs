//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::family::{self, Family};
use super::{Bedrock, messages, tools};
use crate::backends::anthropic::model::{self, Sampling};
use crate::backends::anthropic::thinking::{self, Planned, Thinks};
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::schema::Dialect;
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question, ReasoningStyle, ToolChoice, fitting};

/// What is made of the chat itself.
const KEPT: [&str; 4] = ["messages", "modelId", "system", "toolConfig"];

/// Fields of the request that are laid over it; all other parameters are the model's own.
const OUTER: [&str; 10] = [
    "additionalModelRequestFields",
    "additionalModelResponseFieldPaths",
    "guardrailConfig",
    "inferenceConfig",
    "outputConfig",
    "performanceConfig",
    "projectIdentifier",
    "promptVariables",
    "requestMetadata",
    "serviceTier",
];

/// The most tokens of an answer where neither the chat nor what is known of the model says it.
/// Without a number the model's maximum is taken off the account's quota.
const USUAL_MAX: u64 = 4096;

/// No answer is asked to be longer than this unless the chat says so.
const LONG_ENOUGH: u64 = 32_000;

/// What asks for JSON where the API has no word for it.
const ONLY_JSON: &str = "Answer with one JSON object and nothing else.";

/// Gives the body.
pub(super) fn encoded(question: &Question<'_>, speaker: &Bedrock) -> Encoded {
    let mut notes = Vec::new();
    let mut parameters = Parameters::of(question);
    let family = family::family(question.model);
    let cache = cache_mark(&mut parameters, question.model, &mut notes);
    let mut split = messages::split(question.prompt, speaker, family, &mut notes);
    let mut fields = Fields::default();
    let planned = fields.think(
        question,
        family,
        &parameters,
        split.goes_on_without_thinking,
        &mut notes,
    );
    let max_tokens = max_tokens(question, &parameters, planned.budget, &mut notes);
    fields
        .inference
        .insert("maxTokens".into(), max_tokens.into());
    fields.sample(question, family, &parameters, planned.thinks, &mut notes);
    match question.format.map(wanted) {
        None => {}
        Some(Wanted::Json) => split.system.push(ONLY_JSON.to_owned()),
        Some(Wanted::Schema { name, schema }) => {
            let schema = fitting::of_answer(&schema, Dialect::AnthropicStrict, &mut notes);
            let schema = json!({"name": name, "schema": schema.to_string()});
            let form = json!({"type": "json_schema", "structure": {"jsonSchema": schema}});
            fields.output.insert("textFormat".into(), form);
        }
    }
    let mut body = Map::new();
    if !split.system.is_empty() {
        let mut system = vec![json!({"text": split.system.join("\n\n")})];
        system.extend(cache.clone());
        body.insert("system".into(), system.into());
    }
    let tools_mark = cache.as_ref().filter(|_| split.system.is_empty());
    let tools = tools::config(question, family, &parameters, tools_mark, &mut notes);
    mark_messages(&mut split.messages, cache.as_ref());
    body.insert("messages".into(), split.messages.into());
    body.insert("inferenceConfig".into(), fields.inference.into());
    body.extend(tools.map(|tools| ("toolConfig".to_owned(), tools)));
    for (name, part) in [
        ("outputConfig", fields.output),
        ("additionalModelRequestFields", fields.own),
    ] {
        if !part.is_empty() {
            body.insert(name.into(), part.into());
        }
    }
    lay_rest_over(&mut body, parameters.rest);
    Encoded {
        body: Value::Object(body),
        notes,
    }
}

/// Lays the parameters with no place of their own over the body.
fn lay_rest_over(body: &mut Map<String, Value>, rest: Map<String, Value>) {
    let (outer, own): (Map<_, _>, Map<_, _>) = rest
        .into_iter()
        .filter(|(name, _)| !KEPT.contains(&name.as_str()))
        .partition(|(name, _)| OUTER.contains(&name.as_str()));
    if !own.is_empty() {
        let empty = body
            .entry("additionalModelRequestFields")
            .or_insert_with(|| json!({}));
        if let Value::Object(fields) = empty {
            lay_over(fields, &own, &[]);
        }
    }
    lay_over(body, &outer, &KEPT);
}

/// The parts of a request that parameters end in.
#[derive(Default)]
struct Fields {
    inference: Map<String, Value>,
    output: Map<String, Value>,
    /// The model's own.
    own: Map<String, Value>,
}

impl Fields {
    /// Gives how a Claude is told to think; other models are told in words of their own.
    fn think(
        &mut self,
        question: &Question<'_>,
        family: Family,
        parameters: &Parameters,
        goes_on: bool,
        notes: &mut Vec<Note>,
    ) -> Planned {
        if family == Family::Claude || parameters.rest.contains_key("thinking") {
            let asked = thinking::Asked {
                forced: matches!(
                    question.tool_choice,
                    Some(ToolChoice::Required | ToolChoice::Tool(_))
                ) && !question.tools.is_empty(),
                loop_without: goes_on,
                parameters,
                facts: question.facts,
                style: model::style(question.model, question.facts),
            };
            let planned = thinking::plan(&asked, notes);
            if let Some(config) = &planned.config {
                self.own.insert("thinking".into(), config.clone());
            }
            if let Some(effort) = &planned.effort {
                self.output.insert("effort".into(), effort.clone().into());
            }
            return planned;
        }
        self.think_otherwise(question, family, parameters, notes);
        Planned::default()
    }

    fn think_otherwise(
        &mut self,
        question: &Question<'_>,
        family: Family,
        parameters: &Parameters,
        notes: &mut Vec<Note>,
    ) {
        if parameters.effort.is_none() && parameters.budget.is_none() {
            return;
        }
        let effort = parameters.effort.as_deref();
        let off = matches!(effort, Some("none" | "off"))
            || (effort.is_none() && parameters.budget == Some(0));
        match family {
            Family::Nova if family::is_second_nova(question.model) => {
                let config = if off {
                    json!({"type": "disabled"})
                } else {
                    let effort = one_of_three(effort, parameters.budget);
                    json!({"type": "enabled", "maxReasoningEffort": effort})
                };
                self.own.insert("reasoningConfig".into(), config);
            }
            Family::GptOss => {
                // It always thinks: the least is what comes nearest to nothing.
                let effort = if off {
                    "low"
                } else {
                    one_of_three(effort, parameters.budget)
                };
                self.own.insert("reasoning_effort".into(), effort.into());
            }
            Family::Unnamed if question.facts.reasoning != Some(ReasoningStyle::None) && !off => {
                let effort = effort.unwrap_or_else(|| one_of_three(None, parameters.budget));
                self.output.insert("effort".into(), effort.into());
            }
            Family::Claude | Family::Nova | Family::Other | Family::Unnamed => {
                notes.push(Note::Detail(
                    "nothing is known of how this model is told to think: effort and budget are \
                     left out, and its own fields can be set in `additionalModelRequestFields`"
                        .to_owned(),
                ));
            }
        }
    }

    fn sample(
        &mut self,
        question: &Question<'_>,
        family: Family,
        parameters: &Parameters,
        thinks: Thinks,
        notes: &mut Vec<Note>,
    ) {
        // Empty texts are refused, and by Claude blank ones too.
        let stops: Vec<Value> = parameters
            .stop
            .iter()
            .flatten()
            .filter(|text| match family {
                Family::Claude => !text.trim().is_empty(),
                Family::Nova | Family::GptOss | Family::Other | Family::Unnamed => !text.is_empty(),
            })
            .map(|text| text.clone().into())
            .collect();
        if !stops.is_empty() {
            self.inference.insert("stopSequences".into(), stops.into());
        }
        let takes = match family {
            Family::Claude => model::sampling(question.model, question.facts),
            Family::Nova | Family::GptOss | Family::Other | Family::Unnamed => {
                match question.facts.sampling {
                    Some(false) => Sampling::Refused,
                    Some(true) | None => Sampling::Taken,
                }
            }
        };
        let why_not = match (takes, thinks) {
            (Sampling::Refused, _) => Some("this model refuses it"),
            (Sampling::Taken, Thinks::Yes) => Some("a model that thinks takes none"),
            (Sampling::Taken, Thinks::No) => None,
        };
        for (name, wire_name, value) in [
            ("temperature", "temperature", &parameters.temperature),
            ("top_p", "topP", &parameters.top_p),
            ("top_k", "top_k", &parameters.top_k),
        ] {
            let Some(value) = value else { continue };
            match why_not {
                Some(why) => {
                    notes.push(Note::Warning(format!("`{name}` is left out: {why}")));
                }
                // Converse itself has none, but models have.
                None if name == "top_k" && family == Family::Nova => drop(
                    self.own
                        .insert("inferenceConfig".into(), json!({"topK": value})),
                ),
                None if name == "top_k" => drop(self.own.insert(name.into(), value.clone())),
                None => drop(self.inference.insert(wire_name.into(), value.clone())),
            }
        }
        for (set, name) in [
            (parameters.seed.is_some(), "seed"),
            (parameters.verbosity.is_some(), "verbosity"),
        ] {
            if set {
                notes.push(Note::Detail(format!(
                    "Bedrock has no `{name}`: it is left out"
                )));
            }
        }
    }
}

/// Gives the one of three levels that comes nearest.
fn one_of_three(effort: Option<&str>, budget: Option<i64>) -> &'static str {
    match (effort, budget) {
        (Some("minimal" | "low"), _) | (None, Some(0..=2048)) => "low",
        (Some("high" | "xhigh" | "max"), _) | (None, Some(8193..)) => "high",
        (Some(_), _) | (None, Some(_) | None) => "medium",
    }
}

/// Gives `maxTokens`: what was asked for, or what the model gives up to a sensible length; always
/// more than the model may think.
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
    let Some(budget) = budget.filter(|budget| *budget >= asked) else {
        return asked;
    };
    let raised = budget.saturating_add(asked.max(thinking::LEAST));
    let raised = match known {
        Some(known) if known > budget => raised.min(known),
        Some(_) | None => raised,
    };
    notes.push(Note::Detail(format!(
        "the model may think up to {budget} tokens: `max_tokens` is raised from {asked} to {raised}"
    )));
    raised
}

/// Gives the mark up to which a prompt is kept in the provider's cache. Models that cannot refuse
/// it, so one that is not known gets it only when the chat asks.
fn cache_mark(parameters: &mut Parameters, model: &str, notes: &mut Vec<Note>) -> Option<Value> {
    let word = match parameters.rest.shift_remove("prompt_cache") {
        None => parameters.prompt_cache.clone(),
        Some(Value::Bool(false)) => Some("off".to_owned()),
        Some(Value::Bool(true)) => Some("on".to_owned()),
        Some(Value::Null) => None,
        Some(other) => Some(other.to_string()),
    };
    let mark = json!({"type": "default"});
    let timed = |time: &str| json!({"type": "default", "ttl": time});
    let mark = match word.as_deref() {
        Some("off" | "none" | "no" | "false") => return None,
        None if !family::caches(model) => return None,
        None | Some("on") => mark,
        Some(time @ ("1h" | "5m")) => timed(time),
        Some(other) => {
            notes.push(Note::Warning(format!(
                "`prompt_cache` is `{other}`, and Bedrock knows `off`, `on`, `5m` and `1h`: `on` \
                 is taken"
            )));
            mark
        }
    };
    Some(json!({"cachePoint": mark}))
}

/// Marks the ends of the last two messages of the user: what the last request wrote is read by this
/// one, and what this one writes by the next.
fn mark_messages(messages: &mut [Value], cache: Option<&Value>) {
    let Some(cache) = cache else { return };
    messages
        .iter_mut()
        .rev()
        .filter(|message| message["role"] == "user")
        .take(2)
        .filter_map(|message| message["content"].as_array_mut())
        .for_each(|blocks| blocks.push(cache.clone()));
}
