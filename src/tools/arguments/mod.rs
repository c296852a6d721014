//! Arguments against a schema: checked, mended where only the form is off, and told in plain words.

mod mend;
mod words;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use mend::mend;
use words::{short, words};

/// The most faults that are told of one call.
const TOLD: usize = 10;

/// Why a schema cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaFault {
    /// It breaks the rules for schemas, so that a provider refuses every request that holds it.
    Invalid(String),
    /// It follows the rules, but it cannot be checked against here, such as with a `$ref` to
    /// another document: nothing is fetched for a check.
    Unchecked(String),
}

/// Prepares the check of a tool's arguments.
pub(super) fn compile(schema: &Value) -> Result<Validator, SchemaFault> {
    let refused = |error: ValidationError<'_>| {
        if matches!(error.kind(), ValidationErrorKind::Referencing(_)) {
            return SchemaFault::Unchecked(error.to_string());
        }
        let place = error.instance_path().as_str();
        let place = if place.is_empty() { "its top" } else { place };
        SchemaFault::Invalid(format!("at {place}: {}", short(&error.to_string())))
    };
    jsonschema::options()
        .offline()
        .build(schema)
        .map_err(refused)
}

/// Checks arguments, and gives them as the tool gets them.
///
/// Arguments that do not fit are mended where their meaning is plain and the mended ones fit as a
/// whole: a text that holds exactly the number, the truth value, the list or the object that the
/// schema wants is read as one, and a `null` for an input that may be missing is left out. Nothing
/// is guessed beyond that: what still does not fit is told to the model, one line for each fault.
pub(super) fn check(
    validator: &Validator,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let given = Value::Object(arguments);
    if validator.is_valid(&given) {
        return Ok(object(given));
    }
    let mended = mend(validator, given.clone());
    if validator.is_valid(&mended) {
        return Ok(object(mended));
    }
    let mut told: Vec<String> = Vec::new();
    let mut further = 0;
    for error in validator.iter_errors(&given) {
        let line = words(&error);
        if told.contains(&line) {
            continue;
        }
        if told.len() < TOLD {
            told.push(line);
        } else {
            further += 1;
        }
    }
    if further > 0 {
        told.push(format!("- and {further} more"));
    }
    Err(told.join("\n"))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

#[cfg(test)]
mod tests;
