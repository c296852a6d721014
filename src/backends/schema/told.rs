//! What a dropped keyword asked for, in words for the model.

use serde_json::{Map, Value};

/// The most bytes of a value that are told.
const TOLD: usize = 200;

/// Says what a keyword that is left out asks for, where a few words do.
pub(super) fn told(key: &str, value: &Value) -> Option<String> {
    let data = || short(&value.to_string());
    let text = || value.as_str().and_then(short);
    let number = || value.is_number().then(|| value.to_string());
    Some(match key {
        "minimum" => format!("at least {}", number()?),
        "maximum" => format!("at most {}", number()?),
        "exclusiveMinimum" => format!("more than {}", number()?),
        "exclusiveMaximum" => format!("less than {}", number()?),
        "multipleOf" => format!("a multiple of {}", number()?),
        "minLength" => format!("at least {}", count(value, "character", "characters")?),
        "maxLength" => format!("at most {}", count(value, "character", "characters")?),
        "minItems" => format!("at least {}", count(value, "item", "items")?),
        "maxItems" => format!("at most {}", count(value, "item", "items")?),
        "minProperties" => format!("at least {}", count(value, "property", "properties")?),
        "maxProperties" => format!("at most {}", count(value, "property", "properties")?),
        "uniqueItems" if *value == Value::Bool(true) => "no item twice".to_owned(),
        "pattern" => format!("matching `{}`", text()?),
        "format" => format!("format {}", text()?),
        "default" => format!("default {}", data()?),
        "const" => format!("always {}", data()?),
        "enum" => {
            let list = value.as_array()?;
            let words: Vec<String> = list.iter().map(Value::to_string).collect();
            format!("one of {}", short(&words.join(", "))?)
        }
        "examples" => format!(
            "such as {}",
            short(&value.as_array()?.first()?.to_string())?
        ),
        "dependentRequired" => needs(value.as_object()?)?,
        _ => return None,
    })
}

/// Adds what was told to the description of a schema.
pub(super) fn describe(out: &mut Map<String, Value>, words: &[String]) {
    if words.is_empty() {
        return;
    }
    let words = format!("({})", words.join(", "));
    let text = match out.get("description").and_then(Value::as_str) {
        Some(text) if !text.is_empty() => format!("{text} {words}"),
        Some(_) | None => words,
    };
    out.insert("description".into(), text.into());
}

fn count(value: &Value, one: &str, more: &str) -> Option<String> {
    let noun = if value.as_f64() == Some(1.0) {
        one
    } else {
        more
    };
    value.is_number().then(|| format!("{value} {noun}"))
}

fn needs(named: &Map<String, Value>) -> Option<String> {
    let words: Vec<String> = named
        .iter()
        .filter_map(|(name, needed)| {
            let needed: Vec<String> = needed
                .as_array()?
                .iter()
                .filter_map(Value::as_str)
                .map(|one| format!("`{one}`"))
                .collect();
            (!needed.is_empty()).then(|| format!("`{name}` needs {}", needed.join(" and ")))
        })
        .collect();
    if words.is_empty() {
        None
    } else {
        short(&words.join(", "))
    }
}

fn short(text: &str) -> Option<String> {
    (text.len() <= TOLD).then(|| text.to_owned())
}
