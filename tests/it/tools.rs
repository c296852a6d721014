//! The registry from outside: names, the check of arguments, what the model is told.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scoutai::chat::{CallId, Diagnostic, Origin, Severity, Span, ToolCall, ToolName};
use scoutai::tools::{
    self, CallContext, Declaration, Effects, Executor, Output, Tool, ToolDefinition, ToolError,
    ToolRegistry,
};
use serde_json::{Map, Value, json};

/// Gives back the call as it got it.
struct Echo;

impl Executor for Echo {
    fn execute<'a>(
        &'a self,
        call: &'a ToolCall,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Output, ToolError>> {
        let content = format!("{} {}", call.name.0, Value::Object(call.arguments.clone()));
        Box::pin(async move {
            Ok(Output {
                content,
                ..Output::default()
            })
        })
    }

    fn effects(&self) -> Effects {
        Effects::ReadOnly
    }
}

fn line(start: usize) -> Origin {
    Origin::File {
        path: Arc::from(Path::new("chat.md")),
        span: Span {
            start,
            end: start + 1,
        },
    }
}

fn echo(source: &str, name: &str, at: usize) -> Tool {
    with_schema(source, name, at, json!({"type": "object"}))
}

fn with_schema(source: &str, name: &str, at: usize, schema: Value) -> Tool {
    Tool {
        definition: ToolDefinition::new(name, "", schema),
        declared: Declaration {
            source: source.to_owned(),
            at: line(at),
        },
        executor: Arc::new(Echo),
    }
}

fn named(name: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        id: CallId("1".to_owned()),
        name: ToolName(name.to_owned()),
        arguments: arguments.as_object().unwrap().clone(),
    }
}

async fn said(registry: &ToolRegistry, name: &str, arguments: &Value) -> String {
    match registry
        .call(&named(name, arguments), &CallContext::default())
        .await
    {
        Ok(output) => output.content,
        Err(ToolError::Tell(told)) => format!("told: {told}"),
        Err(stop @ ToolError::Stop { .. }) => format!("stop: {stop}"),
    }
}

fn names(registry: &ToolRegistry) -> Vec<&str> {
    registry.names().map(|name| name.0.as_str()).collect()
}

#[tokio::test]
async fn one_name_from_two_sources_is_qualified_for_both() {
    let mut registry = ToolRegistry::new();
    assert_eq!(registry.register(echo("math", "add", 1)), []);
    assert_eq!(registry.register(echo("math", "sub", 1)), []);
    assert_eq!(
        registry.register(echo("text", "add", 9)),
        [Diagnostic {
            at: line(9),
            severity: Severity::Warning,
            code: "tool-name",
            message: "`math` and `text` both have a tool `add`, so each is shown to the model \
                      under the name of its source"
                .to_owned(),
            hint: None,
            also: vec![(line(1), "this one is now `math__add`".to_owned())],
        }]
    );
    assert_eq!(registry.register(echo("sets", "add", 20)).len(), 2);
    assert_eq!(
        names(&registry),
        ["math__add", "sub", "text__add", "sets__add"]
    );
    assert_eq!(
        said(&registry, "text__add", &json!({"a": 1})).await,
        r#"add {"a":1}"#
    );
    assert_eq!(
        said(&registry, "add", &json!({})).await,
        "told: there is no tool `add`; did you mean `math__add`, `text__add`, `sets__add`?"
    );
}

#[test]
fn a_qualified_name_that_is_taken_gets_another() {
    let mut registry = ToolRegistry::new();
    registry.register(echo("other", "math__add", 1));
    registry.register(echo("math", "add", 2));
    registry.register(echo("text", "add", 3));
    let names = names(&registry);
    assert_eq!(names[0], "math__add");
    assert!(names[1].starts_with("math__add_") && names[1].len() > "math__add_".len());
    assert_eq!(names[2], "text__add");
}

#[test]
fn the_same_tool_of_the_same_source_counts_once() {
    let mut registry = ToolRegistry::new();
    registry.register(echo("math", "add", 1));
    registry.register(echo("math", "sub", 2));
    let warnings = registry.register(echo("math", "add", 3));
    assert_eq!(
        warnings
            .iter()
            .map(|warning| (&warning.at, warning.code))
            .collect::<Vec<_>>(),
        [(&line(3), "tool-twice")]
    );
    assert_eq!(names(&registry), ["add", "sub"]);
    assert_eq!(
        registry
            .get(&ToolName("add".to_owned()))
            .unwrap()
            .declared
            .at,
        line(3)
    );
}

#[tokio::test]
async fn odd_names_are_shortened_for_the_model_alone() {
    let long = format!("{} x", "名".repeat(200));
    let mut registry = ToolRegistry::new();
    assert_eq!(registry.register(echo("s", &long, 1)), []);
    let shown = registry.definitions()[0].name.clone();
    assert_eq!(shown.0.len(), 64);
    assert_eq!(
        said(&registry, &shown.0, &json!({})).await,
        format!("{long} {{}}")
    );
}

#[tokio::test]
async fn a_missing_input_is_named() {
    let mut registry = ToolRegistry::new();
    registry.register(with_schema(
        "s",
        "roll",
        1,
        json!({
            "type": "object",
            "properties": {"sides": {"type": "integer"}},
            "required": ["sides"],
        }),
    ));
    assert_eq!(
        said(&registry, "roll", &json!({})).await,
        "told: the tool `roll` was not run, because its arguments do not fit:\n\
         - the input `sides` is missing"
    );
    assert_eq!(
        said(&registry, "roll", &json!({"sides": "6"})).await,
        r#"roll {"sides":6}"#
    );
}

#[tokio::test]
async fn an_unknown_tool_is_told_with_the_nearest() {
    let mut registry = ToolRegistry::new();
    assert_eq!(
        said(&registry, "x", &json!({})).await,
        "told: there is no tool `x`, nor any other tool"
    );
    registry.register(echo("s", "get_sites", 1));
    assert_eq!(
        said(&registry, "list_sites", &json!({})).await,
        "told: there is no tool `list_sites`; did you mean `get_sites`?"
    );
    assert_eq!(
        said(&registry, "qqq", &json!({})).await,
        "told: there is no tool `qqq`; there are `get_sites`"
    );
}

#[test]
fn a_schema_that_is_none_leaves_the_tool_out() {
    let mut registry = ToolRegistry::new();
    let told: Vec<String> = [
        json!(null),
        json!({"type": "string"}),
        json!({"type": "object", "properties": {"a": {"type": "txet"}}}),
        json!({"type": "object", "$ref": "https://localhost/x.json"}),
    ]
    .into_iter()
    .enumerate()
    .flat_map(|(at, schema)| registry.register(with_schema("s", &format!("t{at}"), at, schema)))
    .map(|warning| warning.message)
    .collect();
    assert_eq!(
        told[..2],
        [
            "the tool `t0` of `s` is left out, because its schema is not valid: it is no object",
            "the tool `t1` of `s` is left out, because its schema is not valid: its type is \
             \"string\", and it must be \"object\"",
        ]
    );
    assert!(told[2].starts_with(
        "the tool `t2` of `s` is left out, because its schema is not valid: at /properties/a/type: "
    ));
    assert!(told[3].starts_with("the arguments of the tool `t3` of `s` are not checked: "));
    assert_eq!(names(&registry), ["t3"]);
}

#[test]
fn schemas_are_shown_with_their_type() {
    let mut registry = ToolRegistry::new();
    registry.register(with_schema("s", "t", 1, json!({"description": "none"})));
    assert_eq!(
        registry.definitions(),
        [ToolDefinition::new(
            "t",
            "",
            json!({"description": "none", "type": "object", "properties": {}})
        )]
    );
}

#[tokio::test]
async fn closures_give_results_errors_and_panics() {
    let mut registry = ToolRegistry::new();
    let any = |name: &str| ToolDefinition::new(name, "", json!({}));
    let run = |arguments: Map<String, Value>| match arguments.get("do").and_then(Value::as_str) {
        Some("panic") => panic!("no {}", "luck"),
        Some("fail") => Err("out of flour".to_owned()),
        Some(_) | None => Ok("done".to_owned()),
    };
    registry.register(tools::function(any("blocking"), Effects::Once, run));
    registry.register(tools::async_function(
        any("waiting"),
        Effects::Repeatable,
        move |arguments| async move { run(arguments) },
    ));
    registry.register(tools::async_function(
        any("early"),
        Effects::Once,
        |given| {
            assert!(!given.is_empty(), "before the future");
            std::future::ready(Ok(String::new()))
        },
    ));
    for name in ["blocking", "waiting"] {
        assert_eq!(said(&registry, name, &json!({})).await, "done");
        assert_eq!(
            said(&registry, name, &json!({"do": "fail"})).await,
            "told: out of flour"
        );
        assert_eq!(
            said(&registry, name, &json!({"do": "panic"})).await,
            format!("told: the tool `{name}` broke off: no luck")
        );
    }
    assert_eq!(
        said(&registry, "early", &json!({})).await,
        "told: the tool `early` broke off: before the future"
    );
    assert_eq!(
        registry.effects(&ToolName("waiting".to_owned())),
        Some(Effects::Repeatable)
    );
}

#[tokio::test]
async fn a_cancelled_run_interrupts_closures() {
    let mut registry = ToolRegistry::new();
    registry.register(tools::async_function(
        ToolDefinition::new("wait", "", json!({})),
        Effects::ReadOnly,
        |_| std::future::pending(),
    ));
    let context = CallContext::default();
    context.cancel.cancel();
    assert_eq!(
        registry.call(&named("wait", &json!({})), &context).await,
        Err(ToolError::Tell("the call was interrupted".to_owned()))
    );
}

#[test]
fn tools_can_be_forgotten() {
    let mut registry = ToolRegistry::new();
    registry.register(echo("s", "a", 1));
    registry.register(echo("s", "b", 2));
    assert!(registry.remove(&ToolName("a".to_owned())).is_some());
    assert!(registry.remove(&ToolName("a".to_owned())).is_none());
    assert_eq!(names(&registry), ["b"]);
    registry.clear();
    assert!(registry.is_empty());
}

#[tokio::test]
async fn calls_can_run_on_other_threads() {
    let mut registry = ToolRegistry::new();
    registry.register(echo("s", "a", 1));
    let registry = Arc::new(registry);
    let calls = [1, 2].map(|number| {
        let registry = Arc::clone(&registry);
        tokio::spawn(async move { said(&registry, "a", &json!({"n": number})).await })
    });
    let mut outputs = Vec::new();
    for call in calls {
        outputs.push(call.await.unwrap());
    }
    assert_eq!(outputs, [r#"a {"n":1}"#, r#"a {"n":2}"#]);
}
