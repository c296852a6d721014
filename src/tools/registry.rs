//! The registry: which tools there are, and the one way to call them.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use jsonschema::Validator;
use serde_json::{Map, Value};

use super::arguments::{self, SchemaFault};
use super::{CallContext, Effects, Output, Tool, ToolDefinition, ToolError, findings, naming};
use crate::chat::{Diagnostic, ToolCall, ToolName};

/// The most names that are told in one message.
const TOLD: usize = 30;

/// The tools of a run, in the order in which they were registered.
///
/// ```
/// use scoutai::chat::{CallId, ToolCall, ToolName};
/// use scoutai::tools::{self, CallContext, Effects, ToolDefinition, ToolRegistry};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut registry = ToolRegistry::new();
/// let greet = ToolDefinition::new(
///     "greet",
///     "Greets someone by name.",
///     json!({
///         "type": "object",
///         "properties": {"name": {"type": "string"}},
///         "required": ["name"],
///     }),
/// );
/// let warnings = registry.register(tools::function(greet, Effects::ReadOnly, |arguments| {
///     match arguments["name"].as_str() {
///         Some(name) => Ok(format!("Hello, {name}!")),
///         None => Err("the name must be a text".to_owned()),
///     }
/// }));
/// assert!(warnings.is_empty());
///
/// let call = ToolCall {
///     id: CallId("call_1".to_owned()),
///     name: ToolName("greet".to_owned()),
///     arguments: json!({"name": "Ada"}).as_object().cloned().unwrap_or_default(),
/// };
/// let output = registry.call(&call, &CallContext::default()).await;
/// assert_eq!(output.map(|output| output.content), Ok("Hello, Ada!".to_owned()));
/// # }
/// ```
#[derive(Default)]
pub struct ToolRegistry {
    entries: Vec<Entry>,
}

struct Entry {
    /// The name that the model sees.
    name: ToolName,
    tool: Tool,
    /// The definition under the model's name.
    shown: ToolDefinition,
    /// Absent where the schema is one that nothing can be checked against.
    validator: Option<Validator>,
}

impl ToolRegistry {
    /// Makes a registry without tools.
    pub fn new() -> ToolRegistry {
        ToolRegistry::default()
    }

    /// Adds a tool, and tells what people should know of it.
    ///
    /// - A name that does not fit every provider gets a short one that does; the executor still
    ///   sees the tool's own.
    /// - A name that another source uses too: both are shown as `source__name`.
    /// - A name that the same source used before: the later tool takes the place of the earlier.
    /// - A schema that is no schema of an object: the tool is left out, because providers refuse
    ///   every request that holds one. A schema that is one but cannot be checked against here:
    ///   the arguments are passed on unchecked.
    pub fn register(&mut self, tool: Tool) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        let own = tool.definition.name.0.clone();
        let source = tool.declared.source.clone();
        let parameters = match as_object_schema(&tool.definition.parameters) {
            Ok(parameters) => parameters,
            Err(reason) => return vec![findings::left_out(&tool, &reason)],
        };
        let validator = match arguments::compile(&parameters) {
            Ok(validator) => Some(validator),
            Err(SchemaFault::Invalid(reason)) => return vec![findings::left_out(&tool, &reason)],
            Err(SchemaFault::Unchecked(reason)) => {
                warnings.push(findings::unchecked(&tool, &reason));
                None
            }
        };
        let shown = ToolDefinition {
            name: tool.definition.name.clone(),
            description: tool.definition.description.clone(),
            parameters,
        };
        let mut entry = Entry {
            name: ToolName(String::new()),
            tool,
            shown,
            validator,
        };
        if let Some(at) = self.place_of(&source, &own) {
            warnings.push(findings::twice(&entry.tool, &self.entries[at].tool));
            entry.rename(self.entries[at].name.clone());
            self.entries[at] = entry;
            return warnings;
        }
        let rivals: Vec<usize> = (0..self.entries.len())
            .filter(|&at| self.entries[at].own_name() == own)
            .collect();
        let name = if rivals.is_empty() {
            self.free(naming::fitting(&own), &source, &own)
        } else {
            for at in rivals {
                let source = self.entries[at].tool.declared.source.clone();
                let plain = naming::fitting(&own);
                if self.entries[at].name == plain {
                    let name = self.free(naming::qualified(&source, &own), &source, &own);
                    self.entries[at].rename(name);
                }
                warnings.push(findings::shared(
                    &entry.tool,
                    &self.entries[at].tool,
                    &self.entries[at].name,
                ));
            }
            self.free(naming::qualified(&source, &own), &source, &own)
        };
        entry.rename(name);
        self.entries.push(entry);
        warnings
    }

    /// Gives what the model is told of the tools, in order.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.entries
            .iter()
            .map(|entry| entry.shown.clone())
            .collect()
    }

    /// Gives the names that the model sees, in order.
    pub fn names(&self) -> impl Iterator<Item = &ToolName> {
        self.entries.iter().map(|entry| &entry.name)
    }

    /// Gives the tool that the model knows by this name, as its source declared it.
    pub fn get(&self, name: &ToolName) -> Option<&Tool> {
        self.entry(name).map(|entry| &entry.tool)
    }

    /// Tells whether a call of this tool that a crash left open may run again.
    pub fn effects(&self, name: &ToolName) -> Option<Effects> {
        self.get(name).map(|tool| tool.executor.effects())
    }

    /// Gives the names most like one that is not there, the most like first.
    pub fn nearest(&self, name: &ToolName) -> Vec<ToolName> {
        naming::nearest(&name.0, self.names())
    }

    /// Forgets a tool; the names of the others stay.
    pub fn remove(&mut self, name: &ToolName) -> Option<Tool> {
        let at = self.entries.iter().position(|entry| entry.name == *name)?;
        Some(self.entries.remove(at).tool)
    }

    /// Forgets all tools.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Tells whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Runs a call: finds the tool, checks the arguments, and has its executor run it.
    ///
    /// A tool that is not there, arguments that do not fit and an executor that panics are told to
    /// the model. Arguments whose form alone is off (`"2"` for a number, `null` for an input that
    /// may be missing) are mended, when the mended ones fit.
    pub async fn call(&self, call: &ToolCall, context: &CallContext) -> Result<Output, ToolError> {
        let Some(entry) = self.entry(&call.name) else {
            return Err(ToolError::Tell(self.unknown(&call.name)));
        };
        let arguments = match &entry.validator {
            Some(validator) => arguments::check(validator, call.arguments.clone())
                .map_err(|faults| ToolError::Tell(entry.misfit(&faults)))?,
            None => call.arguments.clone(),
        };
        let call = ToolCall {
            id: call.id.clone(),
            name: entry.tool.definition.name.clone(),
            arguments,
        };
        // The executor is asked inside, so that one that panics before its future is caught too.
        let run = async { entry.tool.executor.execute(&call, context).await };
        match AssertUnwindSafe(run).catch_unwind().await {
            Ok(result) => result,
            Err(panic) => Err(ToolError::Tell(format!(
                "the tool `{}` broke off: {}",
                entry.name.0,
                words_of(panic.as_ref())
            ))),
        }
    }

    fn entry(&self, name: &ToolName) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == *name)
    }

    fn place_of(&self, source: &str, own: &str) -> Option<usize> {
        self.entries
            .iter()
            .position(|entry| entry.tool.declared.source == source && entry.own_name() == own)
    }

    /// Gives the wanted name, or where another tool has it one that only this tool has.
    fn free(&self, wanted: ToolName, source: &str, own: &str) -> ToolName {
        if self.entry(&wanted).is_none() {
            wanted
        } else {
            naming::apart(source, own)
        }
    }

    fn unknown(&self, name: &ToolName) -> String {
        let shown: String = name.0.chars().take(100).collect();
        let near = self.nearest(name);
        if !near.is_empty() {
            return format!(
                "there is no tool `{shown}`; did you mean {}?",
                listed(near.iter())
            );
        }
        if self.is_empty() {
            return format!("there is no tool `{shown}`, nor any other tool");
        }
        let more = self.entries.len().saturating_sub(TOLD);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        format!(
            "there is no tool `{shown}`; there are {}{more}",
            listed(self.names().take(TOLD))
        )
    }
}

impl Entry {
    fn own_name(&self) -> &str {
        &self.tool.definition.name.0
    }

    fn rename(&mut self, name: ToolName) {
        self.shown.name = name.clone();
        self.name = name;
    }

    fn misfit(&self, faults: &str) -> String {
        format!(
            "the tool `{}` was not run, because its arguments do not fit:\n{faults}",
            self.name.0
        )
    }
}

/// Makes the type of the schema explicit, as providers want it, or says why it is none of an object.
fn as_object_schema(schema: &Value) -> Result<Value, String> {
    let Value::Object(fields) = schema else {
        return Err("it is no object".to_owned());
    };
    let mut fields = fields.clone();
    match fields.get("type") {
        None => {
            fields.insert("type".to_owned(), Value::from("object"));
        }
        Some(Value::String(wanted)) if wanted == "object" => {}
        Some(other) => return Err(format!("its type is {other}, and it must be \"object\"")),
    }
    fields
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    Ok(Value::Object(fields))
}

fn listed<'a>(names: impl Iterator<Item = &'a ToolName>) -> String {
    names
        .map(|name| format!("`{}`", name.0))
        .collect::<Vec<_>>()
        .join(", ")
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it gave no reason")
}
