//! What servers of tomorrow may send: fields, events and nulls that nobody knows today.

use serde_json::{Value, json};

use super::event_stream::read_frames;
use super::golden::told;
use super::recorded::recordings;

/// A field that no protocol has, in the first place of each object.
const UNHEARD: &str = "\"x_unheard\":7";

/// Calls `change` for each text of JSON in a body: the whole of it, or the data of each event.
fn changed(body: &[u8], mut change: impl FnMut(Value) -> Value) -> Vec<u8> {
    if let Ok(whole) = serde_json::from_slice(body) {
        return change(whole).to_string().into_bytes();
    }
    if let Some(frames) = read_frames(body) {
        let changed = frames.into_iter().map(|mut frame| {
            if let Ok(value) = serde_json::from_slice(&frame.payload) {
                frame.payload = change(value).to_string().into_bytes();
            }
            frame.bytes()
        });
        return changed.flatten().collect();
    }
    let text = std::str::from_utf8(body).unwrap();
    let lines = text.split_inclusive('\n').map(|line| {
        let at = if line.starts_with("data:") { 5 } else { 0 };
        let end = line.trim_end().len().max(at);
        match serde_json::from_str(&line[at..end]) {
            Ok(value) => format!("{}{}{}", &line[..at], change(value), &line[end..]),
            Err(_) => line.to_owned(),
        }
    });
    lines.collect::<String>().into_bytes()
}

/// Arguments are the model's own words: nothing is put into them.
const ARGUMENTS: [&str; 3] = ["input", "arguments", "args"];

fn with_unheard(value: Value) -> Value {
    match value {
        Value::Object(fields) => std::iter::once(("x_unheard".to_owned(), json!(7)))
            .chain(fields.into_iter().map(|(name, value)| {
                let inner = if ARGUMENTS.contains(&name.as_str()) {
                    value
                } else {
                    with_unheard(value)
                };
                (name, inner)
            }))
            .collect(),
        Value::Array(all) => all.into_iter().map(with_unheard).collect(),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => other,
    }
}

/// Puts null, or something of another type, in each place of a value in turn.
fn with_odd(value: &Value, odd: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    let mut ways = vec![String::new()];
    while let Some(way) = ways.pop() {
        let inner = value.pointer(&way).expect("a way leads to a value");
        if let Value::Object(fields) = inner {
            ways.extend(
                fields
                    .keys()
                    .map(|name| format!("{way}/{}", name.replace('~', "~0").replace('/', "~1"))),
            );
        } else if let Value::Array(list) = inner {
            ways.extend((0..list.len()).map(|at| format!("{way}/{at}")));
        }
        let mut copy = value.clone();
        *copy.pointer_mut(&way).expect("the copy is the same") = odd.clone();
        all.push(copy);
    }
    all
}

#[test]
fn fields_that_are_not_known_change_nothing() {
    for one in recordings() {
        let whole = one.read();
        let more = one.with(&changed(&one.body, with_unheard));
        if let Ok(whole) = whole {
            // What the provider wants back is kept as it came, with what is not known.
            let more = more
                .replace(&format!("{UNHEARD},"), "")
                .replace(UNHEARD, "");
            assert_eq!(more, told(Ok(whole)), "{}", one.path.display());
        }
    }
}

#[test]
fn events_that_are_not_known_change_nothing() {
    let mut streams = 0;
    for one in recordings() {
        let Ok(text) = std::str::from_utf8(&one.body) else {
            continue;
        };
        if !text.contains("\n\n") || !text.contains("data:") {
            continue;
        }
        let noise = ": keep-alive\n\nevent: x.unheard\ndata: {\"type\":\"x.unheard\",\"x\":[]}\n\n";
        let events = text.split_inclusive("\n\n");
        let more: String = events.flat_map(|event| [noise, event]).collect();
        assert_eq!(
            one.with(more.as_bytes()),
            told(one.read()),
            "{}",
            one.path.display()
        );
        streams += 1;
    }
    assert!(streams > 20, "only {streams} streams");
}

#[test]
fn odd_values_in_any_place_are_survived() {
    for one in recordings().iter().filter(|one| one.body.len() < 3000) {
        for odd in [
            json!(null),
            json!(7),
            json!("x_unheard"),
            json!([]),
            json!({"x": []}),
        ] {
            let mut events = 0;
            changed(&one.body, |value| {
                events += 1;
                value
            });
            for event in 0..events {
                let mut values = Vec::new();
                let mut at = 0;
                changed(&one.body, |value| {
                    if at == event {
                        values = with_odd(&value, &odd);
                    }
                    at += 1;
                    value
                });
                for value in values {
                    let mut at = 0;
                    let body = changed(&one.body, |old| {
                        at += 1;
                        if at - 1 == event { value.clone() } else { old }
                    });
                    // Whatever it comes to: it is an answer or an error, and no end of the program.
                    assert!(!one.with(&body).is_empty());
                }
            }
        }
    }
}
