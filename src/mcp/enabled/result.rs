//! The result of a call, turned into an output.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::tools::{Output, OutputMedia};

/// Reads the result of `tools/call`, or tells why it is none.
///
/// Blocks become lines of text and media in their order; one that is not known is kept as JSON.
/// Structured content repeats the text by the rules of the protocol, so it counts only where there
/// is no other content.
pub(super) fn output(result: Value) -> Result<Output, String> {
    let Value::Object(mut result) = result else {
        return Err("its answer is not the result of a call".to_owned());
    };
    match result.get("resultType").and_then(Value::as_str) {
        None | Some("complete") => {}
        Some("input_required") => {
            return Err(
                "it asks the user a question, and questions of servers are not passed on"
                    .to_owned(),
            );
        }
        Some(other) => return Err(format!("its answer is of an unknown kind, `{other}`")),
    }
    let mut output = Output {
        error: result.get("isError") == Some(&Value::Bool(true)),
        ..Output::default()
    };
    let mut texts = Vec::new();
    match result.remove("content") {
        Some(Value::Array(blocks)) => {
            for block in blocks {
                read_block(block, &mut texts, &mut output.media);
            }
        }
        // Some servers send the text itself.
        Some(Value::String(text)) => texts.push(text),
        None | Some(Value::Null) => {}
        Some(other) => texts.push(other.to_string()),
    }
    if texts.is_empty()
        && output.media.is_empty()
        && let Some(structured) = result.remove("structuredContent")
        && !structured.is_null()
    {
        texts.push(structured.to_string());
    }
    // One text, the usual case, moves: it may be huge.
    output.content = if texts.len() == 1 {
        texts.remove(0)
    } else {
        texts.join("\n")
    };
    Ok(output)
}

fn read_block(block: Value, texts: &mut Vec<String>, media: &mut Vec<OutputMedia>) {
    let Value::Object(mut block) = block else {
        texts.push(block.to_string());
        return;
    };
    let kind = block.get("type").and_then(Value::as_str).unwrap_or("");
    match kind {
        "text" if matches!(block.get("text"), Some(Value::String(_))) => {
            texts.extend(take_text(&mut block, "text"));
        }
        "image" | "audio" => match bytes(&block, "data") {
            Some(found) => media.push(found),
            None => texts.push(format!("[{kind} that cannot be read]")),
        },
        "resource" => match block.remove("resource") {
            Some(Value::Object(mut resource)) => match take_text(&mut resource, "text") {
                Some(text) => texts.push(text),
                None => match bytes(&resource, "blob") {
                    Some(found) => media.push(found),
                    None => texts.push(Value::Object(resource).to_string()),
                },
            },
            _ => texts.push("[resource that cannot be read]".to_owned()),
        },
        "resource_link" => texts.push(link(&block)),
        _ => texts.push(Value::Object(block).to_string()),
    }
}

fn take_text(fields: &mut Map<String, Value>, field: &str) -> Option<String> {
    match fields.get_mut(field)?.take() {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

fn bytes(fields: &Map<String, Value>, field: &str) -> Option<OutputMedia> {
    let data: String = fields.get(field)?.as_str()?.split_whitespace().collect();
    Some(OutputMedia {
        mime: fields
            .get("mimeType")
            .and_then(Value::as_str)
            .unwrap_or("application/octet-stream")
            .to_owned(),
        bytes: STANDARD.decode(data).ok()?,
    })
}

fn link(block: &Map<String, Value>) -> String {
    let text = |field: &str| block.get(field).and_then(Value::as_str);
    let uri = text("uri").unwrap_or("without an address");
    match text("title").or_else(|| text("name")) {
        Some(name) => format!("[resource {uri} ({name})]"),
        None => format!("[resource {uri}]"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(content: &str) -> Output {
        Output {
            content: content.to_owned(),
            ..Output::default()
        }
    }

    #[test]
    fn blocks_become_lines_and_media() {
        let result = json!({
            "isError": false,
            "structuredContent": {"sum": 3},
            "content": [
                {"type": "text", "text": "one"},
                {"type": "image", "data": "aGk=", "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "demo://a", "text": "two"}},
                {"type": "resource", "resource": {"uri": "demo://b", "blob": "aG8=", "mimeType": "audio/wav"}},
                {"type": "resource_link", "uri": "demo://c", "name": "c"},
                {"type": "hologram", "size": 1},
                {"type": "image", "data": "%"},
                7,
            ],
        });
        assert_eq!(
            output(result),
            Ok(Output {
                content: "one\ntwo\n[resource demo://c (c)]\n{\"type\":\"hologram\",\"size\":1}\n\
                          [image that cannot be read]\n7"
                    .to_owned(),
                error: false,
                media: vec![
                    OutputMedia {
                        mime: "image/png".to_owned(),
                        bytes: b"hi".to_vec(),
                    },
                    OutputMedia {
                        mime: "audio/wav".to_owned(),
                        bytes: b"ho".to_vec(),
                    },
                ],
            })
        );
    }

    #[test]
    fn structured_content_stands_in_for_none() {
        for content in [json!(null), json!([])] {
            assert_eq!(
                output(json!({"content": content, "structuredContent": {"sum": 3}})),
                Ok(text("{\"sum\":3}"))
            );
        }
        assert_eq!(output(json!({})), Ok(text("")));
        assert_eq!(output(json!({"content": "plain"})), Ok(text("plain")));
    }

    #[test]
    fn an_error_of_the_tool_is_kept() {
        assert_eq!(
            output(json!({"isError": true, "content": [{"type": "text", "text": "no"}]})),
            Ok(Output {
                error: true,
                ..text("no")
            })
        );
    }

    #[test]
    fn what_is_no_result_is_told() {
        for (result, told) in [
            (json!(null), "its answer is not the result of a call"),
            (
                json!({"resultType": "input_required"}),
                "it asks the user a question, and questions of servers are not passed on",
            ),
            (
                json!({"resultType": "new"}),
                "its answer is of an unknown kind, `new`",
            ),
        ] {
            assert_eq!(output(result), Err(told.to_owned()));
        }
        assert_eq!(
            output(json!({"resultType": "complete", "content": []})),
            Ok(text(""))
        );
    }
}
