//! Records of Scout and of other programs are read; what is written is read as it was.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, ProptestConfig, Strategy, any};
use proptest::{prop_oneof, proptest};
use serde_json::{Map, Value, json};

use super::{CallId, Reasoning, RecordError, ToolCall, ToolName, ToolOutput};
use crate::chat::{Message, Role, print};

fn call(id: &str, name: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        id: CallId(id.to_owned()),
        name: ToolName(name.to_owned()),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
    }
}

#[test]
fn calls_are_read() {
    let sky = call("1", "sky", &json!({"town": "Oban"}));
    for content in [
        r#"{"name":"sky","arguments":{"town":"Oban"},"id":"1"}"#,
        r#"{"name":"sky","arguments":"{\"town\":\"Oban\"}","id":1}"#,
        "{\n  \"id\": \"1\",\n  \"name\": \"sky\", \"more\": 3,\n\"arguments\": {\"town\": \"Oban\"}\n}",
    ] {
        assert_eq!(ToolCall::read(content), Ok(sky.clone()), "{content}");
    }
    for arguments in [
        "",
        r#","arguments":null"#,
        r#","arguments":" ""#,
        r#","arguments":"null""#,
    ] {
        let content = format!(r#"{{"name":"f","id":"2"{arguments}}}"#);
        assert_eq!(
            ToolCall::read(&content),
            Ok(call("2", "f", &json!({}))),
            "{content}"
        );
    }
    assert_eq!(
        sky.write(),
        r#"{"name":"sky","arguments":{"town":"Oban"},"id":"1"}"#
    );
}

#[test]
fn what_is_no_record_is_told() {
    let wrong = |field, wanted| RecordError::WrongType { field, wanted };
    assert!(matches!(ToolCall::read("{"), Err(RecordError::NotJson(_))));
    assert_eq!(ToolCall::read("[]"), Err(RecordError::NotAnObject));
    assert_eq!(
        ToolCall::read(r#"{"name":"f"}"#),
        Err(RecordError::Missing("id"))
    );
    assert_eq!(ToolCall::read(r#"{"id":[]}"#), Err(wrong("id", "text")));
    assert_eq!(
        ToolCall::read(r#"{"id":"1","name":"f","arguments":"x"}"#),
        Err(wrong("arguments", "an object"))
    );
    assert_eq!(
        ToolOutput::read(r#"{"id":"1","media":"x"}"#),
        Err(wrong("media", "a list"))
    );
    assert_eq!(
        ToolOutput::read(r#"{"id":"1","media":[1]}"#),
        Err(wrong("media", "paths"))
    );
    assert_eq!(Reasoning::read("{}"), Err(RecordError::Missing("provider")));
}

#[test]
fn outputs_are_read() {
    let content = r#"{"step":"a","id":7,"content":{"a":[1]},"error":"bad","agent_meta":{"b":2}}"#;
    let mut other = Map::new();
    other.insert("step".into(), "a".into());
    other.insert("agent_meta".into(), json!({"b": 2}));
    assert_eq!(
        ToolOutput::read(content),
        Ok(ToolOutput {
            id: CallId("7".into()),
            name: None,
            content: r#"{"a":[1]}"#.into(),
            error: true,
            media: Vec::new(),
            start_timestamp: None,
            timestamp: None,
            other,
        })
    );
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no such number", |number| number.is_finite())
            .prop_map(Value::from),
        "(.|\n|\r){0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("(.|\n){0,4}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    // No name of a known field: those are not other fields.
    vec(("(.|\n){0,3}", value()), 0..4).prop_map(|fields| {
        fields
            .into_iter()
            .filter(|(name, _)| name != "id")
            .collect()
    })
}

fn text() -> impl Strategy<Value = String> {
    "(user: |\n|\r|</p>|```|\"|\\\\|.){0,8}"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_call_is_read_as_it_was(id in text(), name in text(), arguments in object()) {
        let call = ToolCall { id: CallId(id), name: ToolName(name), arguments };
        assert_eq!(ToolCall::read(&call.write()), Ok(call.clone()));
        on_one_line(&call.to_message(), Role::FunctionCall);
    }

    #[test]
    fn an_output_is_read_as_it_was(
        id in text(),
        name in option::of(text()),
        content in text(),
        error in any::<bool>(),
        media in vec(text(), 0..3),
        times in (option::of(text()), option::of(text())),
        other in object(),
    ) {
        let output = ToolOutput {
            id: CallId(id),
            name: name.map(ToolName),
            content,
            error,
            media,
            start_timestamp: times.0,
            timestamp: times.1,
            other,
        };
        assert_eq!(ToolOutput::read(&output.write()), Ok(output.clone()));
        on_one_line(&output.to_message(), Role::FunctionCallOutput);
    }

    #[test]
    fn reasoning_is_read_as_it_was(
        text in option::of(text()),
        provider in text(),
        data in option::of(value()),
    ) {
        let reasoning = Reasoning { text, provider, data };
        assert_eq!(Reasoning::read(&reasoning.write()), Ok(reasoning.clone()));
        on_one_line(&reasoning.to_message(), Role::Reasoning);
    }
}

/// A record takes one line of a file, so that no line of it can be special.
fn on_one_line(message: &Message, role: Role) {
    assert_eq!(message.role, role);
    assert!(message.is_normal());
    assert_eq!(
        print(std::slice::from_ref(message)),
        format!("{role}: {}\n", message.content)
    );
}
