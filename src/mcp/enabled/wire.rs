//! One line from a server, read: a message, or noise.

use rmcp::RoleClient;
use rmcp::model::{
    CustomResult, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde_json::Value;

/// How much the SDK reads into a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The SDK's own types.
    Typed,
    /// Nothing: the JSON as it came, so that one odd part spoils only itself, and a huge text is
    /// not copied on the way.
    Raw,
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Line {
    Message(Box<ServerJsonRpcMessage>),
    Blank,
    /// No message of the protocol.
    Noise,
}

#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Version,
    id: Option<RequestId>,
    method: Option<String>,
    result: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
enum Version {
    #[serde(rename = "2.0")]
    Two,
}

/// Reads a line; `form` says how the result of a request is to be read.
pub(super) fn read(line: &[u8], form: impl FnOnce(&RequestId) -> Form) -> Line {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let line = line.trim_ascii();
    if line.is_empty() {
        return Line::Blank;
    }
    if line[0] != b'{' {
        return Line::Noise;
    }
    let Ok(envelope) = serde_json::from_slice::<Envelope>(line) else {
        return Line::Noise;
    };
    let Version::Two = envelope.jsonrpc;
    let message = match envelope {
        Envelope {
            method: Some(_), ..
        } => serde_json::from_slice::<RxJsonRpcMessage<RoleClient>>(line).ok(),
        Envelope {
            error: Some(error),
            id,
            ..
        } => Some(JsonRpcMessage::error(error_of(error), id)),
        Envelope {
            id: Some(id),
            result,
            ..
        } => result_of(result.unwrap_or_default(), form(&id))
            .map(|result| JsonRpcMessage::response(result, id)),
        Envelope { id: None, .. } => None,
    };
    message.map_or(Line::Noise, |message| Line::Message(Box::new(message)))
}

fn result_of(result: Value, form: Form) -> Option<ServerResult> {
    match form {
        Form::Raw => Some(ServerResult::CustomResult(CustomResult::new(result))),
        Form::Typed => serde_json::from_value(result).ok(),
    }
}

/// Reads an error, also one that misses the code or the message.
fn error_of(error: Value) -> ErrorData {
    let text = match &error {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields
            .get("message")
            .and_then(Value::as_str)
            .map_or_else(|| error.to_string(), str::to_owned),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => error.to_string(),
    };
    serde_json::from_value(error).unwrap_or_else(|_| ErrorData::internal_error(text, None))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_as(line: &str, form: Form) -> Option<Value> {
        match read(line.as_bytes(), |_| form) {
            Line::Message(message) => Some(serde_json::to_value(*message).unwrap()),
            Line::Blank => Some(json!("blank")),
            Line::Noise => None,
        }
    }

    #[test]
    fn noise_is_told_from_messages() {
        for noise in [
            "Starting…",
            "🚀 ready",
            r#"{"log":1}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1,"#,
            "[1]",
        ] {
            assert_eq!(read_as(noise, Form::Raw), None, "{noise}");
        }
        assert_eq!(read_as(" \r", Form::Raw), Some(json!("blank")));
    }

    #[test]
    fn raw_results_stay_as_they_are() {
        let odd = json!({"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "new"}]}});
        assert_eq!(read_as(&format!("\u{feff}{odd}\r\n"), Form::Raw), Some(odd));
        assert_eq!(
            read_as(r#"{"jsonrpc":"2.0","id":7,"result":null}"#, Form::Raw),
            Some(json!({"jsonrpc": "2.0", "id": 7, "result": null}))
        );
    }

    #[test]
    fn errors_are_read_with_what_they_have() {
        let told = |error: Value| {
            let line = json!({"jsonrpc": "2.0", "id": 1, "error": error}).to_string();
            read_as(&line, Form::Raw).unwrap()["error"].clone()
        };
        let whole = json!({"code": -32601, "message": "no"});
        assert_eq!(told(whole.clone()), whole);
        assert_eq!(told(json!({"message": "no"}))["message"], json!("no"));
        assert_eq!(told(json!("broken"))["message"], json!("broken"));
    }
}
