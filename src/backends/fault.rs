//! What a provider's words about a failure mean. Pure: the words come from an error status, or
//! stand inside a reply that began as a good one.

use std::time::Duration;

use serde_json::Value;

use super::ErrorKind;
use super::wire::{Again, Failure};

/// The most characters of a server's own words that are shown.
const SHOWN: usize = 400;

/// An error as a provider tells it.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) message: String,
    /// Its type and its code, in lower case.
    names: Vec<String>,
    /// A code that is the number of a status.
    number: Option<u16>,
    /// How long to wait, where the words of the error say it.
    delay: Option<Duration>,
    /// Tokens of the request and the most that the model takes.
    tokens: Option<(u64, u64)>,
}

/// Finds an error inside the body of a good status, or inside an event of a stream.
pub(super) fn told_in(body: &Value) -> Option<Failure> {
    let is_error = match body.get("error") {
        Some(Value::Null) | None => {
            let named = |key| body.get(key).and_then(Value::as_str) == Some("error");
            named("type") || named("object")
        }
        Some(_) => true,
    };
    is_error.then(|| tell(body))
}

/// As [`told_in`], for an event that may be an error by its name alone.
pub(super) fn told_in_event(body: &Value, name: Option<&str>) -> Option<Failure> {
    told_in(body).or_else(|| (name == Some("error")).then(|| tell(body)))
}

fn tell(body: &Value) -> Failure {
    let told = Told::read(body);
    let message = match told.message.as_str() {
        "" => "the server tells an error inside its reply, without words".to_owned(),
        words => format!("the server tells an error inside its reply: {words}"),
    };
    let mut failure = told.failure(told.number.unwrap_or(500), message);
    failure.error.request_id = body.get("request_id").and_then(Value::as_str).map(one_line);
    failure
}

impl Told {
    /// Reads the shapes that servers give to errors; a text that is no JSON is its own message.
    pub(super) fn of_text(body: &str) -> Told {
        match serde_json::from_str(body) {
            Ok(value) => Told::read(&value),
            Err(_) => Told {
                message: one_line(body),
                ..Told::default()
            },
        }
    }

    fn read(body: &Value) -> Told {
        // A stream that was to be a list tells its error in one.
        let body = body
            .as_array()
            .and_then(|all| all.first())
            .filter(|first| first.get("error").is_some())
            .unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null());
        let error = error.unwrap_or(body);
        let message = ["message", "detail", "msg"]
            .iter()
            .find_map(|key| error.get(key))
            .unwrap_or(error);
        let mut words = match message {
            Value::String(text) => one_line(text),
            Value::Object(fields) if fields.is_empty() => String::new(),
            Value::Null => String::new(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                one_line(&other.to_string())
            }
        };
        if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
            words = one_line(&format!("{words} ({raw})"));
        }
        let details = error.get("details").and_then(Value::as_array);
        let details = || details.into_iter().flatten();
        let names = ["/type", "/code", "/status", "/details/error_code"]
            .iter()
            .filter_map(|path| error.pointer(path))
            .chain(details().filter_map(|detail| detail.get("reason")))
            .filter_map(Value::as_str)
            .map(str::to_ascii_lowercase)
            .collect();
        let delay = details().find_map(|detail| {
            let seconds = detail.get("retryDelay")?.as_str()?.strip_suffix('s')?;
            Duration::try_from_secs_f64(seconds.parse().ok()?).ok()
        });
        let number = ["code", "status"].iter().find_map(|key| {
            let value = error.get(key)?;
            let number = value
                .as_u64()
                .or_else(|| value.as_str().and_then(|text| text.parse().ok()))?;
            u16::try_from(number)
                .ok()
                .filter(|number| (400..600).contains(number))
        });
        let count = |key| error.get(key).and_then(Value::as_u64);
        let tokens = count("n_prompt_tokens").zip(count("n_ctx"));
        Told {
            tokens: tokens.or_else(|| counted_tokens(&words)),
            message: words,
            names,
            number,
            delay,
        }
    }

    /// Gives the failure for a status, which an error inside a reply tells as a number or has not.
    pub(super) fn failure(&self, status: u16, message: String) -> Failure {
        let mut failure = self.kind_of_failure(status, message);
        if let (Again::After(_), Some(delay)) = (failure.again, self.delay) {
            failure.again = Again::After(delay);
        }
        failure
    }

    fn kind_of_failure(&self, status: u16, message: String) -> Failure {
        if self.is_named(&NO_MONEY) || status == 402 {
            return Failure::new(ErrorKind::RateLimit, message)
                .hint("look at the plan and the balance of the account");
        }
        if self.is_too_long(status) {
            return self.too_long(message);
        }
        if self.is_named(&NO_ENTRY) {
            return Failure::new(ErrorKind::Authentication, message);
        }
        if self.is_named(&["rate_limit_error", "rate_limit_exceeded", "slow_down"]) {
            return Failure::new(ErrorKind::RateLimit, message)
                .hint("wait a little, then ask again")
                .passing();
        }
        if self.is_named(&["not_found_error"]) {
            return self.not_found(message);
        }
        if self.is_named(&["model_not_found"]) {
            return Failure::new(ErrorKind::NotFound, message)
                .hint("look at the name of the model: this server does not have it");
        }
        if self.is_named(&["previous_response_not_found"]) {
            return Failure::new(ErrorKind::NotFound, message)
                .hint("the provider does not keep this response any more: send the whole chat");
        }
        if self.is_named(&["invalid_request_error"]) && self.number.is_none() && status >= 500 {
            return Failure::new(ErrorKind::Request, message)
                .hint("look at the options of the chat: the server does not accept one of them");
        }
        match status {
            401 | 403 => Failure::new(ErrorKind::Authentication, message),
            404 => self.not_found(message),
            408 | 409 => Failure::new(ErrorKind::Server, message)
                .hint("ask again")
                .passing(),
            429 => Failure::new(ErrorKind::RateLimit, message)
                .hint("wait a little, then ask again")
                .passing(),
            500.. => Failure::new(ErrorKind::Server, message)
                .hint("wait a little, then ask again")
                .passing(),
            0..500 if self.message.contains("output_config") => {
                Failure::new(ErrorKind::Request, message).hint(
                    "leave out `format` or the effort, or take a newer model: this one does not \
                     take it",
                )
            }
            0..500 => Failure::new(ErrorKind::Request, message)
                .hint("look at the options of the chat: the server does not accept one of them"),
        }
    }

    fn not_found(&self, message: String) -> Failure {
        let hint = if self.message.to_lowercase().contains("model") {
            "look at the name of the model: this server does not have it"
        } else {
            "look at the URL of the endpoint: is `/v1` missing at its end?"
        };
        Failure::new(ErrorKind::NotFound, message).hint(hint)
    }

    fn is_named(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_str()))
    }

    fn is_too_long(&self, status: u16) -> bool {
        if status == 413 || self.is_named(&["context_length_exceeded", "exceed_context_size_error"])
        {
            return true;
        }
        let words = self.message.to_lowercase();
        status == 400
            && [
                "maximum context length",
                "context window",
                "context size",
                "prompt is too long",
                "too many tokens",
                "exceeds the maximum number of tokens",
            ]
            .iter()
            .any(|sign| words.contains(sign))
    }

    fn too_long(&self, message: String) -> Failure {
        let message = match self.tokens {
            Some((asked, limit)) if asked > limit => format!(
                "the chat is too long for the model by {} tokens ({asked}, and {limit} are the \
                 most): {}",
                asked - limit,
                self.message
            ),
            Some(_) | None => message,
        };
        Failure::new(ErrorKind::TooLong, message).hint(
            "leave out what is not needed (`clear:`, `skip:`), or take a model with a longer \
             context",
        )
    }
}

/// Names of errors that only money mends.
const NO_MONEY: [&str; 6] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "billing_hard_limit_reached",
    "billing_not_active",
    "billing_error",
    "enforced_spend_limit_reached",
];

/// Names of errors about the key.
const NO_ENTRY: [&str; 5] = [
    "api_key_invalid",
    "authentication_error",
    "invalid_api_key",
    "permission_error",
    "permission_denied",
];

/// Finds the counts in words such as `maximum context length is 8 tokens, you asked for 9 tokens`.
fn counted_tokens(words: &str) -> Option<(u64, u64)> {
    let mut counts = Vec::new();
    let mut before = "";
    for word in words.split_whitespace() {
        // `The input token count (9) exceeds the maximum number of tokens allowed (8)`.
        let in_brackets = word.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        counts.extend(in_brackets.and_then(|(number, _)| number.parse::<u64>().ok()));
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        if bare == "tokens" || bare == "token" {
            let digits: String = before.chars().filter(char::is_ascii_digit).collect();
            counts.extend(digits.parse::<u64>());
        }
        before = word;
    }
    let most = counts.iter().max()?;
    let least = counts.iter().min()?;
    (most > least).then_some((*most, *least))
}

/// Makes one line of a text, of bounded length, cut at the end of a character.
pub(super) fn one_line(text: &str) -> String {
    let spaced: String = text
        .chars()
        .take(SHOWN * 8)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let mut line = String::new();
    for word in spaced.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::wire::Again;
    use super::{ErrorKind, Told, counted_tokens, one_line, told_in};

    #[test]
    fn a_reply_without_an_error_tells_none() {
        assert_eq!(told_in(&json!({"error": null, "choices": []})), None);
        assert_eq!(told_in(&json!({"object": "chat.completion"})), None);
    }

    #[test]
    fn errors_inside_replies_are_known_by_type_and_number() {
        let kinds = [
            (json!({"error": {"message": "no"}}), ErrorKind::Server, true),
            (json!({"error": "busy"}), ErrorKind::Server, true),
            (
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
                ErrorKind::Server,
                true,
            ),
            (
                json!({"error": {"code": 429, "message": "m"}}),
                ErrorKind::RateLimit,
                true,
            ),
            (
                json!({"error": {"code": "insufficient_quota", "type": "x"}}),
                ErrorKind::RateLimit,
                false,
            ),
            (
                json!({"error": {"code": 401, "message": "m"}}),
                ErrorKind::Authentication,
                false,
            ),
            (
                json!({"error": {"type": "invalid_request_error", "message": "m"}}),
                ErrorKind::Request,
                false,
            ),
        ];
        for (body, kind, again) in kinds {
            let failure = told_in(&body).unwrap();
            assert_eq!(
                (failure.error.kind, failure.again != Again::Never),
                (kind, again),
                "{body}"
            );
        }
    }

    #[test]
    fn what_is_not_there_is_the_model_only_where_the_server_says_so() {
        for (body, about) in [
            (
                r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#,
                "look at the URL",
            ),
            (
                r#"{"error":{"message":"model: big-9","type":"not_found_error"}}"#,
                "look at the name of the model",
            ),
            (
                r#"{"error":{"message":"no big-9","code":"model_not_found"}}"#,
                "look at the name of the model",
            ),
        ] {
            let failure = Told::of_text(body).failure(404, "m".into());
            let hint = failure.error.hint.unwrap();
            assert!(hint.starts_with(about), "{body}: {hint}");
        }
    }

    #[test]
    fn too_long_says_by_how_much() {
        let told = Told::of_text(
            r#"{"error":{"code":400,"message":"request (6032 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":6032,"n_ctx":4096}}"#,
        );
        let failure = told.failure(400, "unused".into());
        assert_eq!(failure.error.kind, ErrorKind::TooLong);
        assert_eq!(
            failure.error.message,
            "the chat is too long for the model by 1936 tokens (6032, and 4096 are the most): \
             request (6032 tokens) exceeds the available context size (4096 tokens), try \
             increasing it"
        );
        assert_eq!(
            counted_tokens(
                "maximum context length is 4,097 tokens. However, you requested 5000 tokens (1000 \
                 in the messages, 4000 in the completion)."
            ),
            Some((5000, 4097))
        );
        assert_eq!(counted_tokens("too many tokens"), None);
        let told = Told::of_text(
            r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1189802) exceeds the maximum number of tokens allowed (1048576)."}}]"#,
        );
        let failure = told.failure(400, "unused".into());
        assert_eq!(failure.error.kind, ErrorKind::TooLong);
        assert!(failure.error.message.contains("by 141226 tokens"));
    }

    #[test]
    fn words_of_a_server_stay_on_one_line_and_whole_characters() {
        let told = one_line(&format!("a\r\n\u{1b}[2J{}", "那".repeat(1000)));
        assert_eq!(told, format!("a [2J{}…", "那".repeat(395)));
        assert_eq!(Told::of_text("<html>\n no").message, "<html> no");
        assert_eq!(
            Told::of_text(r#"{"detail":"Not Found"}"#)
                .failure(404, "m".into())
                .again,
            Again::Never
        );
        assert_eq!(
            Told::of_text("").failure(503, "m".into()).again,
            Again::After(Duration::ZERO)
        );
    }
}
