//! What was set: names with values, where each was set, and which are for us alone.

use serde_json::{Map, Value};

use super::setting::Hold;
use crate::chat::Origin;

/// Settings in the order in which they were first set, one value for each name.
///
/// A name that was unset is kept with null, so that it also hides a value of a lower layer; every
/// reader takes it for absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    settings: Vec<(String, Setting)>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    pub value: Value,
    pub at: Origin,
    pub hold: Hold,
}

/// Settings that steer this program and are never sent to a model.
pub const CONTROL: [&str; 48] = [
    "agent",
    "api_key",
    "api_version",
    "approve",
    "backend",
    "base_url",
    "ca_file",
    "cache",
    "client",
    "connect_timeout",
    "current_meta",
    "default_model",
    "endpoint",
    "format",
    "headers",
    "idle_timeout",
    "key",
    "log_errors",
    "log_response",
    "max_content_length",
    "max_cost",
    "max_included_length",
    "max_rounds",
    "max_run_tokens",
    "model",
    "persist",
    "previous_response",
    "previous_response_id",
    "process",
    "prompt_strategies",
    "prompt_strategy",
    "proxy",
    "refresh",
    "relay",
    "replay",
    "request_timeout",
    "retries",
    "return_messages",
    "script",
    "startup_timeout",
    "stream",
    "tag",
    "timeout",
    "tool_choice",
    "tool_timeout",
    "tools",
    "url",
    "websearch",
];

/// Those of them that do something when a chat sets them; `previous_response_id` stands in every
/// chat of Scout, and is there for providers that keep conversations.
const HEARD: [&str; 21] = [
    "agent",
    "api_key",
    "api_version",
    "backend",
    "base_url",
    "endpoint",
    "format",
    "key",
    "max_content_length",
    "max_cost",
    "max_included_length",
    "max_rounds",
    "max_run_tokens",
    "model",
    "persist",
    "previous_response",
    "previous_response_id",
    "stream",
    "tool_choice",
    "url",
    "websearch",
];

/// Tells whether an option would steer this program and does nothing yet.
pub(super) fn is_idle(key: &str) -> bool {
    CONTROL.contains(&key) && !HEARD.contains(&key)
}

impl Options {
    /// Gives the setting of a name, unless it is unset.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.settings
            .iter()
            .find(|(name, setting)| name == key && !setting.value.is_null())
            .map(|(_, setting)| setting)
    }

    /// Gives the value of a name as text, when it is text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.value.as_str()
    }

    /// Gives the value of a name as a count, when it is one.
    pub fn count(&self, key: &str) -> Option<u64> {
        self.get(key)?.value.as_u64()
    }

    /// Gives the value of a name as an amount, when it is one.
    pub fn amount(&self, key: &str) -> Option<f64> {
        self.get(key)?.value.as_f64()
    }

    /// Gives the value of a name as yes or no, when it is one.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.value.as_bool()
    }

    /// Gives the model.
    pub fn model(&self) -> Option<&str> {
        self.text("model")
    }

    /// Gives the name of the endpoint.
    pub fn endpoint(&self) -> Option<&str> {
        self.text("endpoint")
    }

    /// Gives the name of the backend.
    pub fn backend(&self) -> Option<&str> {
        self.text("backend")
    }

    /// Gives the form that the answer must have: `json` or a JSON schema, in which a top `name`
    /// names it. Plain text is no form.
    pub fn format(&self) -> Option<&Value> {
        self.get("format")
            .map(|setting| &setting.value)
            .filter(|value| value.as_str() != Some("text"))
    }

    /// Gives `auto`, `none`, `required` or the name of a tool. It goes with the first request of a
    /// turn only: see [`turn_begun`](super::turn_begun).
    pub fn tool_choice(&self) -> Option<&str> {
        self.text("tool_choice")
    }

    /// Tells whether the provider's own search of the web is offered to the model.
    pub fn web_search(&self) -> bool {
        self.flag("websearch") == Some(true)
    }

    /// Tells whether the provider is asked to keep the conversation and to go on from what it kept.
    pub fn previous_response(&self) -> bool {
        self.flag("previous_response") == Some(true)
    }

    /// Gives all that goes to the model as parameters of the request.
    pub fn parameters(&self) -> Map<String, Value> {
        self.iter()
            .filter(|(name, _)| !CONTROL.contains(name))
            .map(|(name, setting)| (name.to_owned(), setting.value.clone()))
            .collect()
    }

    /// Gives every setting that has a value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.settings
            .iter()
            .filter(|(_, setting)| !setting.value.is_null())
            .map(|(name, setting)| (name.as_str(), setting))
    }

    /// Tells whether a name was unset on purpose.
    pub fn is_unset(&self, key: &str) -> bool {
        self.settings
            .iter()
            .any(|(name, setting)| name == key && setting.value.is_null())
    }

    /// Lays these options over lower ones: where both set a name, these count.
    #[must_use]
    pub fn over(self, lower: Options) -> Options {
        let mut layered = self;
        let known: std::collections::HashSet<String> = layered
            .settings
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        layered.settings.extend(
            lower
                .settings
                .into_iter()
                .filter(|(name, _)| !known.contains(name)),
        );
        layered
    }

    /// Makes options of settings whose names differ.
    pub(super) fn of(settings: Vec<(String, Setting)>) -> Options {
        Options { settings }
    }
}

/// Options of the running program itself, such as flags; of two with one name the later counts.
impl FromIterator<(String, Value)> for Options {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(pairs: I) -> Options {
        let mut settings: Vec<(String, Setting)> = Vec::new();
        for (name, value) in pairs {
            let setting = Setting {
                value,
                at: Origin::Run,
                hold: Hold::Sticky,
            };
            match settings.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = setting,
                None => settings.push((name, setting)),
            }
        }
        Options { settings }
    }
}

#[cfg(test)]
mod tests {
    use super::{CONTROL, Options};
    use serde_json::{Value, json};

    fn options(pairs: &Value) -> Options {
        pairs.as_object().unwrap().clone().into_iter().collect()
    }

    #[test]
    fn the_upper_layer_counts_and_what_it_unsets_stays_unset() {
        let flags = options(&json!({"model": "flag", "seed": null}));
        let chat = options(&json!({"seed": 7, "model": "chat", "stream": false, "top_p": 0.5}));
        let both = flags.over(chat);
        assert_eq!(both.model(), Some("flag"));
        assert_eq!(both.get("seed"), None);
        assert!(both.is_unset("seed"));
        assert!(!both.is_unset("top_k"));
        assert_eq!(both.flag("stream"), Some(false));
        assert_eq!(Value::Object(both.parameters()), json!({"top_p": 0.5}));
        let all: Vec<&str> = both.iter().map(|(name, _)| name).collect();
        assert_eq!(all, ["model", "stream", "top_p"]);
    }

    #[test]
    fn the_later_of_two_flags_counts() {
        let pairs = [("a", 1), ("b", 2), ("a", 3)].map(|(key, n)| (key.to_owned(), n.into()));
        assert_eq!(
            Value::Object(Options::from_iter(pairs).parameters()),
            json!({"a": 3, "b": 2})
        );
    }

    #[test]
    fn plain_text_is_no_form() {
        assert_eq!(options(&json!({"format": "text"})).format(), None);
        let json = options(&json!({"format": "json", "tool_choice": "auto", "max_rounds": 2}));
        assert_eq!(json.format(), Some(&Value::from("json")));
        assert_eq!(json.tool_choice(), Some("auto"));
        assert_eq!(json.count("max_rounds"), Some(2));
        assert!(json.parameters().is_empty());
    }

    #[test]
    fn names_for_us_are_listed_once() {
        assert!(CONTROL.is_sorted_by(|a, b| a < b));
    }
}
