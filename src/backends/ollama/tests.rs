//! What Ollama's lines and questions can be.

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::Ollama;
use crate::backends::trial::{drawn, events};
use crate::backends::{Note, Question, ToolChoice, Wire, read_stream};
use crate::plan::{Part, Prompt, Turn};
use crate::tools::ToolDefinition;

fn wire() -> Ollama {
    Ollama {
        provider: "ollama".to_owned(),
    }
}

fn line(message: &Value, done: bool) -> Value {
    json!({"model": "m", "message": message, "done": done})
}

#[test]
fn only_done_proves_the_end() {
    let said = line(&json!({"content": "pear"}), false);
    assert_eq!(
        drawn(&events(&wire(), std::slice::from_ref(&said))),
        "Cut After(0ns): the reply broke off before its end / \"pear\" error -/-/-/-/-/-"
    );
    let end = json!({"done": true, "total_duration": 5, "eval_count": 2});
    assert_eq!(
        drawn(&events(&wire(), &[said, end])),
        "\"pear\" end 0/2/-/-/-/-"
    );
}

#[test]
fn odd_fields_do_no_harm() {
    let odd = [
        json!({"message": null, "done": null}),
        json!({"message": {"content": null, "thinking": 3, "tool_calls": null}, "x": []}),
        json!({"model": 7}),
        line(
            &json!({"tool_calls": [{"function": {"name": "a", "arguments": null}},
            {"function": {"name": "b", "arguments": "{\"x\":1}"}}, 9]}),
            false,
        ),
        json!({"done": true, "done_reason": "unheard", "eval_count": -1}),
    ];
    assert_eq!(
        drawn(&events(&wire(), &odd)),
        "a({})# b({\"x\":1})# (\"\")# NoName unheard -/-/-/-/-/-"
    );
}

#[test]
fn errors_are_told_wherever_they_stand() {
    let half = line(&json!({"content": "half"}), false);
    let told = |error: Value| drawn(&events(&wire(), &[half.clone(), error]));
    assert_eq!(
        told(json!({"error": "model runner has unexpectedly stopped"})),
        "Server After(0ns): the server tells an error inside its reply: model runner has \
         unexpectedly stopped / nothing"
    );
    let pretty = serde_json::to_string_pretty(&json!({"error": "no"})).unwrap();
    let read = read_stream(&wire(), &[pretty.as_bytes()]);
    assert_eq!(
        drawn(&read),
        "Server After(0ns): the server tells an error inside its reply: no / nothing"
    );
    assert_eq!(
        drawn(&wire().decode(&json!({"choices": []}))),
        "Protocol Never: the reply is JSON, but holds no `message` / nothing"
    );
}

fn encoded(ask: impl for<'a> FnOnce(&mut Question<'a>), parameters: &Value) -> (Value, Vec<Note>) {
    let prompt = Prompt {
        turns: vec![Turn::User(vec![Part::Text("q".to_owned())])],
        ..Prompt::default()
    };
    let parameters: Map<String, Value> = parameters.as_object().unwrap().clone();
    let cancel = CancellationToken::new();
    let tools = ["a", "b"].map(|name| ToolDefinition::new(name, "d", json!({"type": "object"})));
    let mut question = Question {
        tools: &tools,
        ..Question::plain(&prompt, "m", &parameters, &cancel)
    };
    ask(&mut question);
    let encoded = wire().encode(&question);
    (encoded.body, encoded.notes)
}

#[test]
fn parameters_stand_where_ollama_looks_for_them() {
    let (body, notes) = encoded(
        |_| {},
        &json!({"max_tokens": 9, "temperature": 0, "num_ctx": 8192, "keep_alive": "5m",
            "stop": ["x"], "model": "evil", "messages": [], "parallel_tool_calls": false}),
    );
    assert_eq!(
        (
            body["options"].clone(),
            body["keep_alive"].clone(),
            body["model"].clone()
        ),
        (
            json!({"num_predict": 9, "temperature": 0, "stop": ["x"], "num_ctx": 8192,
                "model": "evil", "messages": []}),
            json!("5m"),
            json!("m")
        )
    );
    assert_eq!(
        notes,
        [Note::Detail(
            "Ollama has no `parallel_tool_calls`: it is left out".to_owned()
        )]
    );
}

#[test]
fn thinking_is_a_level_only_for_models_that_have_levels() {
    let think = |model: &'static str, parameters: Value| {
        encoded(|question| question.model = model, &parameters).0["think"].take()
    };
    assert_eq!(
        [
            think("qwen3", json!({"reasoning_effort": "low"})),
            think("qwen3", json!({"reasoning_effort": "none"})),
            think("gpt-oss:20b", json!({"effort": "xhigh"})),
            think("qwen3", json!({"thinking_budget": 0})),
            think("qwen3", json!({})),
            think("qwen3", json!({"think": "medium"})),
        ],
        [
            json!(true),
            json!(false),
            json!("high"),
            json!(false),
            Value::Null,
            json!("medium")
        ]
    );
}

#[test]
fn a_choice_of_tools_is_a_choice_of_what_is_offered() {
    let names = |choice| {
        let (body, notes) = encoded(|question| question.tool_choice = choice, &json!({}));
        let tools = body["tools"].as_array().cloned().unwrap_or_default();
        let names: Vec<String> = tools
            .iter()
            .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
            .collect();
        (names.join(" "), notes.len())
    };
    assert_eq!(
        [
            names(None),
            names(Some(ToolChoice::None)),
            names(Some(ToolChoice::Required)),
            names(Some(ToolChoice::Tool("b"))),
        ],
        [
            ("a b".to_owned(), 0),
            (String::new(), 0),
            ("a b".to_owned(), 1),
            ("b".to_owned(), 1),
        ]
    );
}
