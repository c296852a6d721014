//! What each provider refuses, as rules that a request is held to before it is sent for real.
//!
//! ```text
//! let faults = Api::Anthropic(anthropic::Version::V2023).faults(&body);
//! assert_eq!(faults, Vec::<String>::new());
//! ```
//!
//! `shape` says which fields a request may have and what they hold, `schema` what an API takes of
//! JSON Schema, and each API has a file of its own with what must stand before and after what.
//! `fixtures/wire/good` and `fixtures/wire/bad` hold requests that pass and that do not.

pub(crate) mod anthropic;
pub(crate) mod bedrock;
pub(crate) mod chat;
mod fixtures;
pub(crate) mod gemini;
pub(crate) mod ollama;
mod pairs;
pub(crate) mod responses;
mod schema;
mod shape;

use serde_json::{Value, json};

/// Whose rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Chat(chat::Rules),
    Responses,
    Anthropic(anthropic::Version),
    Gemini(gemini::Signatures),
    Bedrock,
    Ollama,
}

impl Api {
    /// Finds the rules by the name of a folder of `fixtures/wire`.
    pub(crate) fn from_name(name: &str) -> Option<Api> {
        match name {
            "chat" => Some(Api::Chat(chat::Rules::OpenAi)),
            "chat_template" => Some(Api::Chat(chat::Rules::Template)),
            "chat_mistral" => Some(Api::Chat(chat::Rules::Mistral)),
            "responses" => Some(Api::Responses),
            "anthropic" => Some(Api::Anthropic(anthropic::Version::V2023)),
            "anthropic_2026" => Some(Api::Anthropic(anthropic::Version::V2026)),
            "gemini" => Some(Api::Gemini(gemini::Signatures::Free)),
            "gemini_3" => Some(Api::Gemini(gemini::Signatures::Wanted)),
            "bedrock" => Some(Api::Bedrock),
            "ollama" => Some(Api::Ollama),
            _ => None,
        }
    }

    /// Gives what is wrong with a request; nothing where the provider would take it.
    pub(crate) fn faults(self, body: &Value) -> Vec<String> {
        match self {
            Api::Chat(rules) => chat::faults(body, rules),
            Api::Responses => responses::faults(body),
            Api::Anthropic(version) => anthropic::faults(body, version),
            Api::Gemini(signatures) => gemini::faults(body, signatures),
            Api::Bedrock => bedrock::faults(body),
            Api::Ollama => ollama::faults(body),
        }
    }

    /// Gives what is wrong with the text of a request.
    pub(crate) fn faults_of_text(self, body: &str) -> Vec<String> {
        match serde_json::from_str(body) {
            Ok(body) => self.faults(&body),
            Err(error) => vec![not_json(&error)],
        }
    }

    /// Gives the body of a refusal as the provider words it.
    pub(crate) fn refusal(self, message: &str) -> Value {
        match self {
            Api::Chat(_) | Api::Responses => {
                let kind = "invalid_request_error";
                json!({"error": {"message": message, "type": kind, "param": null, "code": kind}})
            }
            Api::Anthropic(_) => json!({
                "type": "error",
                "error": {"type": "invalid_request_error", "message": message},
                "request_id": "req_fake",
            }),
            Api::Gemini(_) => {
                json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}})
            }
            Api::Bedrock => json!({"message": message}),
            Api::Ollama => json!({"error": message}),
        }
    }

    /// Gives a header that a refusal has besides the usual ones.
    pub(crate) fn refusal_header(self) -> Option<(&'static str, &'static str)> {
        match self {
            Api::Bedrock => Some(("x-amzn-errortype", "ValidationException")),
            Api::Chat(_) | Api::Responses | Api::Anthropic(_) | Api::Gemini(_) | Api::Ollama => {
                None
            }
        }
    }
}

fn not_json(error: &serde_json::Error) -> String {
    json!(format!(
        "We could not parse the JSON body of your request: {error}"
    ))
    .to_string()
}
