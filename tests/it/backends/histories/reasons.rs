//! What each provider wants back, as its wire records it, and what a careless hand makes of it.

use scoutai::chat::Reasoning;
use serde_json::{Value, json};

/// Gives records of reasoning with the mark of a provider.
pub(super) fn records(provider: &str) -> Vec<Reasoning> {
    let own = match provider {
        "anthropic" => anthropic(),
        "openai/responses" => responses(),
        "gemini" => gemini(),
        "bedrock" => bedrock(),
        _ => chat(),
    };
    // What was told without anything to give back, and what no wire writes.
    let odd = [Value::Null, json!("x"), json!([1]), json!({"x": 1})];
    let odd = odd.into_iter().map(|data| (Some("hm"), data));
    own.into_iter()
        .chain(odd)
        .map(|(text, data)| Reasoning {
            text: text.map(str::to_owned),
            provider: provider.to_owned(),
            data: Some(data).filter(|data| !data.is_null()),
        })
        .collect()
}

fn anthropic() -> Vec<(Option<&'static str>, Value)> {
    let searched = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
        "input": {"query": "Oslo"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1",
        "content": [{"type": "web_search_result", "url": "https://example.org", "title": "Oslo",
            "encrypted_content": "Eq==", "page_age": null}]});
    let failed = json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_2",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}});
    vec![
        (
            Some("hm"),
            json!({"type": "thinking", "signature": "EqQB=="}),
        ),
        (None, json!({"type": "thinking", "signature": "EqQC=="})),
        (
            None,
            json!({"type": "redacted_thinking", "data": "EmwKAhgB"}),
        ),
        (None, searched),
        (None, found),
        (None, failed),
    ]
}

fn bedrock() -> Vec<(Option<&'static str>, Value)> {
    let thought = |family: &str| json!({"reasoningContent": {"reasoningText": {"signature": "EqQB=="}}, "family": family});
    vec![
        (Some("hm"), thought("claude")),
        (Some("hm"), thought("nova")),
        (None, thought("claude")),
        (
            None,
            json!({"reasoningContent": {"redactedContent": "AAEC"}, "family": "claude"}),
        ),
        (
            None,
            json!({"toolUse": {"toolUseId": "s1", "name": "nova_grounding",
                "type": "server_tool_use", "input": {}}, "family": "nova"}),
        ),
        (Some("hm"), json!({"reasoningContent": 7})),
    ]
}

fn responses() -> Vec<(Option<&'static str>, Value)> {
    let thought = |id: &str, sealed: Value| {
        json!({"type": "reasoning", "id": id, "encrypted_content": sealed,
            "summary": [{"type": "summary_text", "text": "hm"}]})
    };
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
        "action": {"type": "search", "query": "Oslo"}});
    vec![
        (Some("hm"), thought("rs_1", json!("gAAA"))),
        (Some("hm"), thought("rs_2", json!("gAAB"))),
        (Some("hm"), thought("rs_3", Value::Null)),
        (None, search),
        (None, json!({"message": {"phase": "commentary"}})),
        (None, json!({"message": {"phase": "final_answer"}})),
    ]
}

fn gemini() -> Vec<(Option<&'static str>, Value)> {
    let search = json!({"toolCall": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB",
        "args": {"queries": ["Oslo"]}}, "thoughtSignature": "CsDD"});
    let found = json!({"toolResponse": {"id": "t1", "toolType": "GOOGLE_SEARCH_WEB"}});
    vec![
        (
            Some("hm"),
            json!({"thoughtSignature": "CsAA", "model": "gemini-3-pro"}),
        ),
        (
            None,
            json!({"thoughtSignature": "CsBB", "model": "gemini-2.5-flash"}),
        ),
        (None, json!({"thoughtSignature": "CsCC"})),
        (None, json!({"part": search, "model": "gemini-3-pro"})),
        (None, json!({"part": found, "model": "gemini-3-pro"})),
    ]
}

fn chat() -> Vec<(Option<&'static str>, Value)> {
    let details = json!([{"type": "reasoning.text", "text": "hm", "signature": "x", "index": 0},
        {"type": "reasoning.encrypted", "data": "gAAA"}]);
    vec![
        (Some("hm"), json!({"reasoning_details": details})),
        (
            Some("hm"),
            json!({"reasoning_details": [], "role": "evil", "tool_calls": [], "content": 1}),
        ),
    ]
}
