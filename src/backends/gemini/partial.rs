//! Arguments that come in pieces, each with the path at which it belongs. They are sent so only
//! where a chat's own `toolConfig` asks for it.

use serde_json::{Map, Value};

/// No list is made longer for a piece that names a later place.
const LONGEST_LIST: usize = 10_000;

/// Puts pieces into the text of arguments that came before. A piece that cannot be placed makes
/// the arguments no JSON, so that the call is told as broken and is not made.
pub(super) fn put(arguments: &mut String, pieces: &[Value]) {
    let before = match arguments.as_str() {
        "" => "{}".to_owned(),
        text => text.to_owned(),
    };
    let Ok(mut all) = serde_json::from_str(&before) else {
        return;
    };
    for piece in pieces {
        if place(&mut all, piece).is_none() {
            *arguments = format!("{before}{piece}");
            return;
        }
    }
    *arguments = all.to_string();
}

fn place(all: &mut Value, piece: &Value) -> Option<()> {
    let path = piece.get("jsonPath").and_then(Value::as_str)?;
    let mut at = all;
    for step in steps(path)? {
        match step {
            Step::Name(name) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                at = at.as_object_mut()?.entry(name).or_insert(Value::Null);
            }
            Step::Place(place) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let list = at.as_array_mut()?;
                if place >= list.len() && place < LONGEST_LIST {
                    list.resize(place + 1, Value::Null);
                }
                at = list.get_mut(place)?;
            }
        }
    }
    if let Some(text) = piece.get("stringValue").and_then(Value::as_str) {
        if let Value::String(before) = at {
            before.push_str(text);
        } else {
            *at = text.into();
        }
    } else if let Some(value) = ["numberValue", "boolValue"]
        .iter()
        .find_map(|key| piece.get(key))
    {
        *at = value.clone();
    }
    Some(())
}

enum Step {
    Name(String),
    Place(usize),
}

/// Reads `$.a.b[0]['c d']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('.') {
            let end = inner.find(['.', '[']).unwrap_or(inner.len());
            steps.push(Step::Name(inner[..end].to_owned()));
            rest = &inner[end..];
        } else {
            let inner = rest.strip_prefix('[')?;
            let quote = inner.chars().next().filter(|c| ['\'', '"'].contains(c));
            if let Some(quote) = quote {
                let (name, after) = inner[1..].split_once(quote)?;
                steps.push(Step::Name(name.to_owned()));
                rest = after.strip_prefix(']')?;
            } else {
                let (place, after) = inner.split_once(']')?;
                steps.push(Step::Place(place.parse().ok()?));
                rest = after;
            }
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::put;

    #[test]
    fn pieces_find_their_places() {
        let mut arguments = String::new();
        put(
            &mut arguments,
            &[
                json!({"jsonPath": "$.city", "stringValue": "Os", "willContinue": true}),
                json!({"jsonPath": "$['a b'][1].n", "numberValue": 2}),
            ],
        );
        put(
            &mut arguments,
            &[
                json!({"jsonPath": "$.city", "stringValue": "lo"}),
                json!({"jsonPath": "$.ok", "boolValue": true}),
                json!({"jsonPath": "$.none", "nullValue": "NULL_VALUE"}),
            ],
        );
        assert_eq!(
            arguments,
            r#"{"city":"Oslo","a b":[null,{"n":2}],"ok":true,"none":null}"#
        );
    }

    #[test]
    fn a_piece_without_a_place_breaks_the_arguments() {
        for odd in [
            json!({"stringValue": "x"}),
            json!({"jsonPath": "city", "stringValue": "x"}),
            json!({"jsonPath": "$.a[99999999]", "numberValue": 1}),
            json!({"jsonPath": "$.a[x]", "numberValue": 1}),
            json!(null),
        ] {
            let mut arguments = r#"{"a":[]}"#.to_owned();
            put(&mut arguments, std::slice::from_ref(&odd));
            assert!(
                serde_json::from_str::<serde_json::Value>(&arguments).is_err(),
                "{odd}: {arguments}"
            );
            put(
                &mut arguments,
                &[json!({"jsonPath": "$.b", "numberValue": 1})],
            );
            assert!(serde_json::from_str::<serde_json::Value>(&arguments).is_err());
        }
    }
}
