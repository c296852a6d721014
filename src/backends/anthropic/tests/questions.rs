//! What golden folders do not show of a question: media of results, reasoning, notes.

use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::super::Anthropic;
use crate::backends::{ModelFacts, Note, Question, Wire};
use crate::chat::{CallId, Reasoning, ToolCall, ToolName, ToolOutput};
use crate::plan::{Item, Media, MediaKind, MediaSource, Part, Prompt, Returned, Turn};

fn speaker(provider: &str) -> Anthropic {
    Anthropic {
        provider: provider.to_owned(),
        version: None,
    }
}

fn asked(
    prompt: &Prompt,
    speaker: &Anthropic,
    more: &Value,
    facts: &ModelFacts,
) -> (Value, Vec<Note>) {
    let mut parameters: Map<String, Value> = more.as_object().unwrap().clone();
    parameters.insert("prompt_cache".into(), "off".into());
    let cancel = CancellationToken::new();
    let question = Question {
        facts,
        ..Question::plain(prompt, "claude-sonnet-4-5", &parameters, &cancel)
    };
    let encoded = speaker.encode(&question);
    (encoded.body, encoded.notes)
}

fn messages(turns: Vec<Turn>, provider: &str) -> (Value, Vec<Note>) {
    let prompt = Prompt {
        turns,
        ..Prompt::default()
    };
    let (body, notes) = asked(
        &prompt,
        &speaker(provider),
        &json!({}),
        &ModelFacts::UNKNOWN,
    );
    (body["messages"].clone(), notes)
}

fn user(text: &str) -> Turn {
    Turn::User(vec![Part::Text(text.to_owned())])
}

fn thought(text: Option<&str>, data: Value) -> Item {
    Item::Reasoning(Reasoning {
        text: text.map(str::to_owned),
        provider: "anthropic".to_owned(),
        data: Some(data).filter(|data| !data.is_null()),
    })
}

fn call(id: &str) -> Item {
    Item::Call(ToolCall {
        id: CallId(id.to_owned()),
        name: ToolName("shot".to_owned()),
        arguments: Map::new(),
    })
}

fn picture(mime: &str) -> Media {
    Media {
        kind: MediaKind::Image,
        name: "a/dot.png".to_owned(),
        source: MediaSource::Bytes {
            mime: mime.to_owned(),
            bytes: b"dot".as_slice().into(),
        },
    }
}

fn returned(id: &str, content: &str, media: Vec<Media>) -> Returned {
    Returned {
        output: ToolOutput {
            id: CallId(id.to_owned()),
            name: None,
            content: content.to_owned(),
            error: content == "failed",
            media: Vec::new(),
            start_timestamp: None,
            timestamp: None,
            other: Map::new(),
        },
        media,
    }
}

#[test]
fn media_stand_in_their_result_and_those_of_a_failure_after_all_results() {
    let turns = vec![
        user("q"),
        Turn::Assistant(vec![call("1"), call("2")]),
        Turn::Results(vec![
            returned("1", "failed", vec![picture("image/png")]),
            returned(
                "2",
                "two",
                vec![picture("image/png"), picture("image/tiff")],
            ),
        ]),
        user("and?"),
    ];
    let (messages, notes) = messages(turns, "anthropic");
    let image = json!({"type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "ZG90"}});
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        messages[2],
        json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": "failed", "is_error": true},
            {"type": "tool_result", "tool_use_id": "2", "content": [
                text("two"),
                image,
                text("(image dot.png, which cannot be shown here)"),
            ]},
            text("(of the call 1)"),
            image,
            text("and?"),
        ]})
    );
    let warning =
        "the model is not shown the image `dot.png`: Anthropic does not take `image/tiff`";
    assert_eq!(notes, [Note::Warning(warning.to_owned())]);
}

#[test]
fn what_cannot_be_fetched_is_told() {
    let media = Media {
        kind: MediaKind::Pdf,
        name: "ftp://h/a.pdf".to_owned(),
        source: MediaSource::Url("ftp://h/a.pdf".to_owned()),
    };
    let (messages, notes) = messages(vec![Turn::User(vec![Part::Media(media)])], "anthropic");
    assert_eq!(
        messages[0]["content"],
        json!([{"type": "text", "text": "(PDF ftp://h/a.pdf, which cannot be shown here)"}])
    );
    assert_eq!(notes.len(), 1);
}

#[test]
fn thinking_goes_back_to_who_signed_it_and_never_ends_a_message() {
    let signed = thought(Some("t"), json!({"type": "thinking", "signature": "S"}));
    let block = json!({"type": "thinking", "signature": "S", "thinking": "t"});
    let text = json!({"type": "text", "text": "a"});
    let assistant = |items: Vec<Item>, provider| {
        let (messages, _) = messages(vec![user("q"), Turn::Assistant(items), user("r")], provider);
        messages[1].clone()
    };
    let said = |content: Vec<&Value>| json!({"role": "assistant", "content": content});
    let a = || Item::Text("a".to_owned());
    let first = vec![signed.clone(), a()];
    assert_eq!(
        assistant(first.clone(), "anthropic"),
        said(vec![&block, &text])
    );
    assert_eq!(assistant(first, "another"), said(vec![&text]));
    let half = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let last = vec![a(), signed, thought(None, half)];
    assert_eq!(assistant(last, "anthropic"), said(vec![&text]));
    let odd = [
        thought(None, json!({"type": "text", "text": "smuggled"})),
        thought(None, json!({"signature": "S"})),
        thought(None, json!("S")),
        a(),
    ];
    assert_eq!(assistant(odd.to_vec(), "anthropic"), said(vec![&text]));
}

#[test]
fn unsigned_thinking_goes_only_to_servers_that_sign_nothing() {
    let own = |provider: &str| {
        let unsigned = Item::Reasoning(Reasoning {
            text: Some("t".to_owned()),
            provider: provider.to_owned(),
            data: None,
        });
        let turns = vec![
            user("q"),
            Turn::Assistant(vec![unsigned, Item::Text("a".to_owned())]),
            user("r"),
        ];
        messages(turns, provider).0[1]["content"].clone()
    };
    let text = json!({"type": "text", "text": "a"});
    let block = json!({"type": "thinking", "thinking": "t", "signature": ""});
    assert_eq!(own("anthropic"), json!([text]));
    assert_eq!(own("mine/anthropic"), json!([block, text]));
}

#[test]
fn a_paused_turn_of_another_is_not_gone_on_with() {
    let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let prompt = Prompt {
        turns: vec![
            user("q"),
            Turn::Assistant(vec![Item::Text("a ".to_owned())]),
            user("(continue)"),
        ],
        paused: vec![thought(None, search.clone()), Item::Text("a ".to_owned())],
    };
    let content = |provider| {
        let (body, _) = asked(
            &prompt,
            &speaker(provider),
            &json!({}),
            &ModelFacts::UNKNOWN,
        );
        body["messages"].clone()
    };
    assert_eq!(
        content("anthropic"),
        json!([
            {"role": "user", "content": [{"type": "text", "text": "q"}]},
            {"role": "assistant", "content": [search, {"type": "text", "text": "a"}]},
        ])
    );
    assert_eq!(content("another")[2]["role"], "user");
}

#[test]
fn an_answer_is_as_long_as_the_model_can_and_more_than_it_may_think() {
    let prompt = Prompt {
        turns: vec![user("q")],
        ..Prompt::default()
    };
    let limits = |more: Value, max_output: Option<u64>| {
        let facts = ModelFacts {
            max_output,
            ..ModelFacts::UNKNOWN
        };
        let (body, _) = asked(&prompt, &speaker("anthropic"), &more, &facts);
        (
            body["max_tokens"].as_u64().unwrap(),
            body["thinking"]["budget_tokens"].as_u64(),
        )
    };
    assert_eq!(limits(json!({}), None), (8192, None));
    assert_eq!(limits(json!({}), Some(4096)), (4096, None));
    assert_eq!(limits(json!({}), Some(128_000)), (32_000, None));
    assert_eq!(limits(json!({"max_tokens": 9}), Some(4096)), (9, None));
    let budget = |n: i64| json!({"reasoning_budget": n, "max_tokens": 2000});
    assert_eq!(limits(budget(1500), None), (2000, Some(1500)));
    assert_eq!(limits(budget(5000), None), (7000, Some(5000)));
    assert_eq!(limits(budget(5000), Some(6000)), (6000, Some(4976)));
    assert_eq!(limits(budget(-1), None), (10_192, Some(8192)));
    assert_eq!(limits(budget(0), None), (2000, None));
}
