//! Questions as bodies of requests.

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::super::{
    CallIds, CallOnly, ChatCompletions, Echo, NamedChoice, StreamUsage, SystemRole, TokenLimit,
    WireSettings,
};
use super::wire;
use crate::backends::{Preset, Question, ToolChoice, Wire};
use crate::chat::{CallId, Reasoning, ToolCall, ToolName, ToolOutput};
use crate::plan::{Item, Media, MediaKind, MediaSource, Part, Prompt, Returned, Turn};
use crate::tools::ToolDefinition;

/// What a test asks; the rest is as plain as can be.
#[derive(Default)]
struct Asks {
    tools: Vec<ToolDefinition>,
    choice: Option<&'static str>,
    format: Option<Value>,
    parameters: Value,
    stream: bool,
}

fn body(turns: Vec<Turn>, asks: &Asks, wire: &ChatCompletions) -> Value {
    let prompt = Prompt {
        turns,
        ..Prompt::default()
    };
    let parameters = asks.parameters.as_object().cloned().unwrap_or_default();
    let cancel = CancellationToken::new();
    let question = Question {
        tools: &asks.tools,
        format: asks.format.as_ref(),
        tool_choice: asks.choice.map(ToolChoice::read),
        stream: asks.stream,
        ..Question::plain(&prompt, "m", &parameters, &cancel)
    };
    wire.encode(&question).body
}

fn user(text: &str) -> Turn {
    Turn::User(vec![Part::Text(text.to_owned())])
}

fn call(id: &str) -> Item {
    Item::Call(ToolCall {
        id: CallId(id.to_owned()),
        name: ToolName("add".to_owned()),
        arguments: Map::from_iter([("x".to_owned(), json!("é\n"))]),
    })
}

fn results(id: &str) -> Turn {
    Turn::Results(vec![Returned::from(ToolOutput {
        id: CallId(id.to_owned()),
        name: None,
        content: "7".to_owned(),
        error: false,
        media: Vec::new(),
        start_timestamp: None,
        timestamp: None,
        other: Map::new(),
    })])
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: ToolName(name.to_owned()),
        description: "d".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
    }
}

#[test]
fn a_conversation_with_tools_and_media_is_sent_whole() {
    let turns = vec![
        Turn::System("Be terse.".into()),
        Turn::User(vec![
            Part::Text("What?".into()),
            Part::Media(Media {
                kind: MediaKind::Image,
                name: "i.png".into(),
                source: MediaSource::Bytes {
                    mime: "image/png".into(),
                    bytes: vec![1, 2, 3].into(),
                },
            }),
            Part::Media(Media {
                kind: MediaKind::Image,
                name: "far".into(),
                source: MediaSource::Url("https://h/j.png".into()),
            }),
            Part::Media(Media {
                kind: MediaKind::Pdf,
                name: "docs/a.pdf".into(),
                source: MediaSource::Bytes {
                    mime: "application/pdf".into(),
                    bytes: vec![4].into(),
                },
            }),
        ]),
        Turn::Assistant(vec![Item::Text("I add.".into()), call("a"), call("b")]),
        results("a"),
        results("b"),
    ];
    let asks = Asks {
        tools: vec![tool("add")],
        choice: Some("add"),
        parameters: json!({"temperature": 0, "max_tokens": 5, "model": "evil", "messages": []}),
        stream: true,
        ..Asks::default()
    };
    let called = |id: &str| {
        json!({"id": id, "type": "function",
        "function": {"name": "add", "arguments": "{\"x\":\"é\\n\"}"}})
    };
    assert_eq!(
        body(turns, &asks, &wire()),
        json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be terse."},
                {"role": "user", "content": [
                    {"type": "text", "text": "What?"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQID"}},
                    {"type": "image_url", "image_url": {"url": "https://h/j.png"}},
                    {"type": "file", "file": {"filename": "a.pdf",
                        "file_data": "data:application/pdf;base64,BA=="}},
                ]},
                {"role": "assistant", "content": "I add.", "tool_calls": [called("a"), called("b")]},
                {"role": "tool", "tool_call_id": "a", "content": "7"},
                {"role": "tool", "tool_call_id": "b", "content": "7"},
            ],
            "tools": [{"type": "function", "function": {"name": "add", "description": "d",
                "parameters": {"type": "object", "properties": {}}}}],
            "tool_choice": {"type": "function", "function": {"name": "add"}},
            "stream": true,
            "stream_options": {"include_usage": true},
            "temperature": 0,
            "max_tokens": 5,
        })
    );
}

#[test]
fn late_system_text_and_results_without_an_answer_fit_strict_templates() {
    let turns = || {
        vec![
            user("q"),
            Turn::Assistant(vec![call("a")]),
            results("a"),
            user("and?"),
            Turn::System("late".into()),
            user("more"),
        ]
    };
    let messages =
        |wire: &ChatCompletions| body(turns(), &Asks::default(), wire)["messages"].take();
    let roles = |messages: &Value| -> Vec<String> {
        messages
            .as_array()
            .unwrap()
            .iter()
            .map(|message| format!("{}: {}", message["role"], message["content"]))
            .collect()
    };
    assert_eq!(
        roles(&messages(&wire())),
        [
            r#""user": "q""#,
            r#""assistant": null"#,
            r#""tool": "7""#,
            r#""assistant": "(results noted)""#,
            r#""user": "and?\n\n<system>\nlate\n</system>\n\nmore""#,
        ]
    );
    assert_eq!(
        roles(&messages(&ChatCompletions {
            provider: "openai".to_owned(),
            settings: Preset::find("openai").unwrap().settings,
        })),
        [
            r#""user": "q""#,
            r#""assistant": null"#,
            r#""tool": "7""#,
            r#""user": "and?""#,
            r#""system": "late""#,
            r#""user": "more""#,
        ]
    );
}

#[test]
fn habits_of_a_speaker_change_the_body() {
    let settings = WireSettings {
        token_limit: TokenLimit::MaxCompletionTokens,
        system_role: SystemRole::Developer,
        call_ids: CallIds::NineAlphanumerics,
        call_only: CallOnly::EmptyText,
        named_choice: NamedChoice::OnlyTool,
        stream_usage: StreamUsage::Omit,
        ..WireSettings::STRICT
    };
    let wire = ChatCompletions {
        provider: "p".into(),
        settings,
    };
    let asks = Asks {
        tools: vec![tool("add"), tool("neg")],
        choice: Some("neg"),
        parameters: json!({"max_tokens": 5, "response_format": null}),
        format: Some(json!("json")),
        stream: true,
    };
    let turns = vec![
        Turn::System("s".into()),
        user("q"),
        Turn::Assistant(vec![call("call_0123456789")]),
        results("call_0123456789"),
    ];
    let sent = body(turns, &asks, &wire);
    let id = sent["messages"][3]["tool_call_id"].as_str().unwrap();
    assert_eq!(id.len(), 9);
    assert_eq!(
        sent,
        json!({
            "model": "m",
            "messages": [
                {"role": "developer", "content": "s\n\nAnswer in JSON."},
                {"role": "user", "content": "q"},
                {"role": "assistant", "content": "", "tool_calls": [{"id": id, "type": "function",
                    "function": {"name": "add", "arguments": "{\"x\":\"é\\n\"}"}}]},
                {"role": "tool", "tool_call_id": id, "content": "7"},
            ],
            "tools": [{"type": "function", "function": {"name": "neg", "description": "d",
                "parameters": {"type": "object", "properties": {}}}}],
            "tool_choice": "required",
            "stream": true,
            "max_completion_tokens": 5,
        })
    );
}

#[test]
fn formats_are_json_or_a_schema_that_is_strict_where_it_can_be() {
    let format = |format: Value| {
        let asks = Asks {
            format: Some(format),
            ..Asks::default()
        };
        body(vec![user("q")], &asks, &wire())["response_format"].take()
    };
    assert_eq!(format(json!("json")), json!({"type": "json_object"}));
    let strict = |schema: Value| {
        let sent = format(schema.clone());
        assert_eq!(sent["json_schema"]["schema"], schema);
        sent["json_schema"]["strict"].as_bool()
    };
    let closed = json!({"type": "object", "properties": {"a": {"type": "array", "items": {
        "type": "object", "properties": {}, "additionalProperties": false}}},
        "required": ["a"], "additionalProperties": false});
    let mut optional = closed.clone();
    optional["required"] = json!([]);
    let mut open_inside = closed.clone();
    open_inside["properties"]["a"]["items"] = json!({"type": "object"});
    assert_eq!(
        [strict(closed), strict(optional), strict(open_inside)],
        [Some(true), Some(false), Some(false)]
    );
}

#[test]
fn reasoning_goes_back_only_to_the_speaker_it_came_from() {
    let reasoning = |provider: &str, data| {
        Item::Reasoning(Reasoning {
            text: Some("hm".into()),
            provider: provider.into(),
            data,
        })
    };
    let details = |n: u8| Some(json!({"reasoning_details": [n], "content": "evil"}));
    let turns = vec![
        user("q"),
        Turn::Assistant(vec![reasoning("p", None), Item::Text("t".into())]),
        user("q"),
        Turn::Assistant(vec![
            reasoning("other", details(1)),
            reasoning("p", details(2)),
            reasoning("p", details(3)),
            call("a"),
        ]),
        results("a"),
    ];
    let mut echoing = wire();
    echoing.settings.echo = Echo::SinceUser;
    let assistant = |wire: &ChatCompletions| {
        let mut messages = body(turns.clone(), &Asks::default(), wire)["messages"].take();
        messages[3].as_object_mut().unwrap().remove("tool_calls");
        [messages[1].take(), messages[3].take()]
    };
    assert_eq!(
        [assistant(&wire()), assistant(&echoing)],
        [
            [
                json!({"role": "assistant", "content": "t"}),
                json!({"role": "assistant", "content": null, "reasoning_details": [2, 3]}),
            ],
            [
                json!({"role": "assistant", "content": "t"}),
                json!({"role": "assistant", "content": null, "reasoning_details": [2, 3],
                    "reasoning_content": "hm\n\nhm"}),
            ],
        ]
    );
}
