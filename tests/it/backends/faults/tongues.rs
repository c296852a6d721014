//! What a server says, in the words of each protocol.

use scoutai::backends::Protocol;
use serde_json::{Value, json};

use crate::backends::event_stream::frames_of;
use crate::fakellm::{Play, chunk};

/// One thing that a streamed reply tells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Told {
    Text(&'static str),
    /// A call of the tool `save`, with its arguments as the model writes them.
    Call(&'static str),
    End(Ending),
    /// An error, after which nothing comes.
    Busy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Stop,
    Length,
    Filter,
    /// A reason that nobody knows today.
    Unheard,
}

/// Plays these, each as a chunk of its own.
pub(super) fn play(protocol: Protocol, told: &[Told]) -> Play {
    let frames = frames(protocol, told).into_iter();
    frames.fold(whole(protocol, ""), |play, frame| {
        play.then(whole(protocol, frame))
    })
}

/// Plays a body as it stands.
pub(super) fn whole(protocol: Protocol, body: impl Into<Vec<u8>>) -> Play {
    let kind = match protocol {
        Protocol::Ollama => "application/x-ndjson",
        Protocol::Bedrock => "application/vnd.amazon.eventstream",
        Protocol::ChatCompletions
        | Protocol::Responses
        | Protocol::Anthropic
        | Protocol::Gemini => "text/event-stream",
    };
    Play::body(200, kind, body)
}

/// Gives the frames of a stream.
pub(super) fn frames(protocol: Protocol, told: &[Told]) -> Vec<Vec<u8>> {
    if protocol == Protocol::Bedrock {
        let lines = told.iter().enumerate();
        return lines
            .flat_map(|(at, one)| bedrock(at, *one))
            .map(|line| frames_of(&line))
            .collect();
    }
    let events: Vec<Value> = opening(protocol)
        .into_iter()
        .chain(
            told.iter()
                .enumerate()
                .flat_map(|(at, one)| match protocol {
                    Protocol::ChatCompletions => chat(*one),
                    Protocol::Responses => responses(at, *one),
                    Protocol::Anthropic => anthropic(at, *one),
                    Protocol::Gemini => gemini(*one),
                    Protocol::Ollama => ollama(*one),
                    Protocol::Bedrock => Vec::new(),
                }),
        )
        .collect();
    events
        .iter()
        .map(|event| match (protocol, event["type"].as_str()) {
            (Protocol::Ollama, _) => format!("{event}\n"),
            (Protocol::Responses | Protocol::Anthropic, Some(kind)) => {
                format!("event: {kind}\ndata: {event}\n\n")
            }
            (_, _) => format!("data: {event}\n\n"),
        })
        .map(String::into_bytes)
        .collect()
}

fn opening(protocol: Protocol) -> Vec<Value> {
    match protocol {
        Protocol::Responses => vec![json!({"type": "response.created",
            "response": {"id": "resp_1", "status": "in_progress", "output": []}})],
        Protocol::Anthropic => vec![json!({"type": "message_start", "message": {"id": "msg_1",
            "type": "message", "role": "assistant", "content": [], "model": "m",
            "stop_reason": null, "usage": {"input_tokens": 3, "output_tokens": 1}}})],
        Protocol::ChatCompletions | Protocol::Gemini | Protocol::Ollama | Protocol::Bedrock => {
            Vec::new()
        }
    }
}

fn chat(told: Told) -> Vec<Value> {
    vec![match told {
        Told::Text(text) => chunk(&json!({"content": text}), None),
        Told::Call(arguments) => chunk(
            &json!({"tool_calls": [{"index": 0, "id": "call_1", "type": "function",
                "function": {"name": "save", "arguments": arguments}}]}),
            None,
        ),
        Told::End(ending) => chunk(
            &json!({}),
            Some(match ending {
                Ending::Stop => "stop",
                Ending::Length => "length",
                Ending::Filter => "content_filter",
                Ending::Unheard => "unheard",
            }),
        ),
        Told::Busy => json!({"error": {"message": "busy", "type": "server_error", "code": 503}}),
    }]
}

fn responses(at: usize, told: Told) -> Vec<Value> {
    let item = format!("item_{at}");
    match told {
        Told::Text(text) => {
            let message = |text: Option<&str>| {
                let content = text.map(|text| json!({"type": "output_text", "text": text}));
                json!({"type": "message", "id": item, "role": "assistant",
                    "content": content.into_iter().collect::<Vec<_>>()})
            };
            vec![
                json!({"type": "response.output_item.added", "output_index": at,
                    "item": message(None)}),
                json!({"type": "response.output_text.delta", "output_index": at,
                    "item_id": item, "content_index": 0, "delta": text}),
                json!({"type": "response.output_item.done", "output_index": at,
                    "item": message(Some(text))}),
            ]
        }
        Told::Call(arguments) => vec![
            json!({"type": "response.output_item.added", "output_index": at,
                "item": {"type": "function_call", "id": item, "call_id": "call_1",
                    "name": "save", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "output_index": at,
                "item_id": item, "delta": arguments}),
        ],
        Told::End(ending) => {
            let (status, reason) = match ending {
                Ending::Stop => ("completed", Value::Null),
                Ending::Length => ("incomplete", "max_output_tokens".into()),
                Ending::Filter => ("incomplete", "content_filter".into()),
                Ending::Unheard => ("incomplete", "unheard".into()),
            };
            vec![
                json!({"type": format!("response.{status}"), "response": {"id": "resp_1",
                "status": status, "incomplete_details": {"reason": reason}, "output": []}}),
            ]
        }
        Told::Busy => vec![json!({"type": "error", "code": "server_error", "message": "busy"})],
    }
}

fn anthropic(at: usize, told: Told) -> Vec<Value> {
    let block = |begun: Value, delta: Value| {
        vec![
            json!({"type": "content_block_start", "index": at, "content_block": begun}),
            json!({"type": "content_block_delta", "index": at, "delta": delta}),
            json!({"type": "content_block_stop", "index": at}),
        ]
    };
    match told {
        Told::Text(text) => block(
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
        ),
        Told::Call(arguments) => block(
            json!({"type": "tool_use", "id": "call_1", "name": "save", "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments}),
        ),
        Told::End(ending) => {
            let reason = match ending {
                Ending::Stop => "end_turn",
                Ending::Length => "max_tokens",
                Ending::Filter => "refusal",
                Ending::Unheard => "unheard",
            };
            vec![
                json!({"type": "message_delta", "delta": {"stop_reason": reason},
                    "usage": {"output_tokens": 2}}),
                json!({"type": "message_stop"}),
            ]
        }
        Told::Busy => vec![json!({"type": "error",
            "error": {"type": "overloaded_error", "message": "busy"}})],
    }
}

fn gemini(told: Told) -> Vec<Value> {
    let part = |part: Value| json!({"candidates": [{"content": {"parts": [part]}}]});
    vec![match told {
        Told::Text(text) => part(json!({"text": text})),
        // Arguments come whole, if at all.
        Told::Call(arguments) => match serde_json::from_str::<Value>(arguments) {
            Ok(args) => part(json!({"functionCall": {"name": "save", "args": args}})),
            Err(_) => part(json!({"functionCall": {"name": "save"}})),
        },
        Told::End(ending) => json!({"candidates": [{"finishReason": match ending {
            Ending::Stop => "STOP",
            Ending::Length => "MAX_TOKENS",
            Ending::Filter => "SAFETY",
            Ending::Unheard => "UNHEARD",
        }}]}),
        Told::Busy => json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}),
    }]
}

fn ollama(told: Told) -> Vec<Value> {
    let message = |message: Value| json!({"model": "m", "message": message, "done": false});
    vec![match told {
        Told::Text(text) => message(json!({"role": "assistant", "content": text})),
        Told::Call(arguments) => {
            let arguments = serde_json::from_str(arguments).unwrap_or(Value::Null);
            message(json!({"role": "assistant", "content": "",
                "tool_calls": [{"function": {"name": "save", "arguments": arguments}}]}))
        }
        Told::End(ending) => json!({"model": "m", "message": {"role": "assistant", "content": ""},
        "done": true, "done_reason": match ending {
            Ending::Stop => "stop",
            Ending::Length => "length",
            Ending::Filter => "content_filter",
            Ending::Unheard => "unheard",
        }}),
        Told::Busy => json!({"error": "busy"}),
    }]
}

/// Gives events as lines: a name and JSON.
fn bedrock(at: usize, told: Told) -> Vec<String> {
    let delta = |delta: Value| {
        let event = json!({"contentBlockIndex": at, "delta": delta});
        format!("contentBlockDelta {event}")
    };
    match told {
        Told::Text(text) => vec![delta(json!({"text": text}))],
        Told::Call(arguments) => {
            let start = json!({"contentBlockIndex": at,
                "start": {"toolUse": {"toolUseId": "call_1", "name": "save"}}});
            vec![
                format!("contentBlockStart {start}"),
                delta(json!({"toolUse": {"input": arguments}})),
            ]
        }
        Told::End(ending) => {
            let reason = match ending {
                Ending::Stop => "end_turn",
                Ending::Length => "max_tokens",
                Ending::Filter => "guardrail_intervened",
                Ending::Unheard => "unheard",
            };
            vec![
                format!("messageStop {}", json!({"stopReason": reason})),
                "metadata {\"usage\":{\"inputTokens\":3,\"outputTokens\":2}}".to_owned(),
            ]
        }
        Told::Busy => vec!["serviceUnavailableException {\"message\":\"busy\"}".to_owned()],
    }
}
