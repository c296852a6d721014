//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::messages;
use super::{ChatCompletions, NamedChoice, StreamUsage, TokenLimit, WireSettings};
use crate::backends::Question;
use crate::backends::schema::{Dialect, fitted, is_strict};
use crate::tools::ToolDefinition;

/// Gives the body. Parameters stand beside what the question itself says, which they replace,
/// except for `model`, `messages`, `tools` and `stream`; a parameter that is null takes the field
/// away.
pub(super) fn body(question: &Question<'_>, speaker: &ChatCompletions) -> Value {
    let settings = &speaker.settings;
    let mut body = Map::new();
    body.insert("model".into(), question.model.into());
    body.insert(
        "messages".into(),
        messages::list(question.prompt, speaker).into(),
    );
    add_tools(&mut body, question, settings);
    if let Some(format) = question.format {
        body.insert("response_format".into(), response_format(format));
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
    for (name, value) in question.parameters {
        let name = parameter_name(name, settings);
        if ["model", "messages", "tools", "stream"].contains(&name) {
            continue;
        }
        if value.is_null() {
            body.shift_remove(name);
        } else {
            body.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(body)
}

/// The limit of tokens has several names, and a speaker often knows only one of them.
fn parameter_name<'a>(name: &'a str, settings: &WireSettings) -> &'a str {
    match name {
        "max_tokens" | "max_completion_tokens" | "max_output_tokens" => {
            match settings.token_limit {
                TokenLimit::MaxTokens => "max_tokens",
                TokenLimit::MaxCompletionTokens => "max_completion_tokens",
            }
        }
        other => other,
    }
}

fn add_tools(body: &mut Map<String, Value>, question: &Question<'_>, settings: &WireSettings) {
    if question.tools.is_empty() {
        return;
    }
    let named = |name: &str| question.tools.iter().find(|tool| tool.name.0 == name);
    let (tools, choice): (Vec<&ToolDefinition>, Option<Value>) = match question.tool_choice {
        None => (question.tools.iter().collect(), None),
        Some(word @ ("auto" | "none" | "required")) => {
            (question.tools.iter().collect(), Some(word.into()))
        }
        Some(name) => match (settings.named_choice, named(name)) {
            (NamedChoice::OnlyTool, Some(tool)) => (vec![tool], Some("required".into())),
            (NamedChoice::OnlyTool, None) | (NamedChoice::Object, _) => (
                question.tools.iter().collect(),
                Some(json!({"type": "function", "function": {"name": name}})),
            ),
        },
    };
    body.insert("tools".into(), tools.into_iter().map(tool).collect());
    if let Some(choice) = choice {
        body.insert("tool_choice".into(), choice);
    }
}

fn tool(definition: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": definition.name.0,
            "description": definition.description,
            "parameters": fitted(&definition.parameters, Dialect::OpenAiTool).schema,
        },
    })
}

fn response_format(format: &Value) -> Value {
    match format {
        Value::Object(schema) if !schema.is_empty() => {
            let fit = fitted(format, Dialect::OpenAiStrict);
            let strict = fit.is_exact() && is_strict(&fit.schema);
            let schema = if strict {
                fit.schema
            } else {
                fitted(format, Dialect::Answer).schema
            };
            json!({
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": strict, "schema": schema},
            })
        }
        Value::Object(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_) => json!({"type": "json_object"}),
    }
}
