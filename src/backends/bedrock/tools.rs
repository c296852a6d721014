//! The tools of a request.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::family::Family;
use crate::backends::parameters::Parameters;
use crate::backends::schema::Dialect;
use crate::backends::{Note, Question, ToolChoice, fitting};
use crate::plan::{Item, Prompt, Turn};
use crate::tools::ToolDefinition;

/// Gives `toolConfig`, when there is something to say in it.
///
/// The API has no word for "call none": no tools are offered then. But tools that the history calls
/// must be declared, so they stand there with words that say that they cannot be called.
pub(super) fn config(
    question: &Question<'_>,
    family: Family,
    parameters: &Parameters,
    cache: Option<&Value>,
    notes: &mut Vec<Note>,
) -> Option<Value> {
    let forbidden = question.tool_choice == Some(ToolChoice::None);
    let offered = if forbidden { &[] } else { question.tools };
    let mut tools: Vec<Value> = offered.iter().map(|one| tool(one, notes)).collect();
    let words = if forbidden {
        "This tool must not be called now."
    } else {
        "This tool is not there any more."
    };
    if tools.is_empty() {
        tools.extend(
            called(question.prompt)
                .into_iter()
                .map(|name| gone(name, words)),
        );
        if forbidden && !tools.is_empty() {
            notes.push(Note::Detail(
                "Bedrock cannot forbid calls of tools that the chat has called: the model is told \
                 so in words"
                    .to_owned(),
            ));
        }
    }
    if parameters.parallel == Some(false) && !offered.is_empty() {
        notes.push(Note::Detail(
            "Bedrock has no `parallel_tool_calls`: it is left out".to_owned(),
        ));
    }
    // Claude alone takes a mark here.
    if let (Some(mark), Family::Claude, false) = (cache, family, tools.is_empty()) {
        tools.push(mark.clone());
    }
    if question.web_search {
        match family {
            Family::Nova => tools.push(json!({"systemTool": {"name": "nova_grounding"}})),
            Family::Claude | Family::GptOss | Family::Other | Family::Unnamed => {
                notes.push(Note::Warning(
                    "this model has no search of the web at Bedrock: it answers without".to_owned(),
                ));
            }
        }
    }
    if tools.is_empty() {
        return None;
    }
    let mut config = json!({"tools": tools});
    let choice = match question.tool_choice {
        _ if offered.is_empty() => None,
        None | Some(ToolChoice::None) => None,
        Some(ToolChoice::Auto) => Some(json!({"auto": {}})),
        Some(ToolChoice::Required) => Some(json!({"any": {}})),
        Some(ToolChoice::Tool(name)) => Some(json!({"tool": {"name": name}})),
    };
    if let Some(choice) = choice {
        config["toolChoice"] = choice;
    }
    Some(config)
}

fn tool(definition: &ToolDefinition, notes: &mut Vec<Note>) -> Value {
    let schema = fitting::of_tool(definition, Dialect::BedrockTool, notes);
    spec(&definition.name.0, &definition.description, &schema)
}

fn gone(name: &str, words: &str) -> Value {
    spec(name, words, &json!({"type": "object", "properties": {}}))
}

fn spec(name: &str, description: &str, schema: &Value) -> Value {
    let mut spec = json!({"name": name, "inputSchema": {"json": schema}});
    // An empty description is refused.
    if !description.trim().is_empty() {
        spec["description"] = description.into();
    }
    json!({"toolSpec": spec})
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
