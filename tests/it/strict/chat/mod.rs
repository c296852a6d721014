//! Chat Completions, as `OpenAI` has it and as the chat templates of local models do.

mod fields;

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::schema;
use super::shape::{At, Faults, PICTURES, is_name, is_url_or_data, list, text};

/// Whose rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// `OpenAI`'s own: pairs and shapes, but any order of roles.
    OpenAi,
    /// Chat templates of local models: system text only first, user and model take turns.
    Template,
    /// The same, no user right after a tool, and ids of nine letters and digits.
    Mistral,
}

/// Gives what is wrong with a request.
pub(crate) fn faults(body: &Value, rules: Rules) -> Vec<String> {
    let mut check = Check {
        rules,
        faults: Vec::new(),
        ids: HashSet::new(),
        open: Vec::new(),
        before: "",
        turn: "user",
    };
    if body["model"].as_str().is_none_or(str::is_empty) {
        check.fault("`model` is missing");
    }
    check.tools(body);
    if rules == Rules::OpenAi {
        check.openai(body);
    }
    match body["messages"].as_array() {
        Some(messages) if !messages.is_empty() => {
            for (place, message) in messages.iter().enumerate() {
                check.message(place, message);
            }
            check.end();
        }
        Some(_) | None => check.fault("`messages` is empty"),
    }
    check.faults
}

struct Check<'a> {
    rules: Rules,
    faults: Vec<String>,
    ids: HashSet<&'a str>,
    /// Calls of the last message that wait for their outputs, in order.
    open: Vec<&'a str>,
    /// The role of the message before.
    before: &'a str,
    /// Whose turn it is, calls and their outputs aside.
    turn: &'static str,
}

impl<'a> Check<'a> {
    fn fault(&mut self, fault: impl Into<String>) {
        self.faults.push(fault.into());
    }

    fn message(&mut self, place: usize, message: &'a Value) {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !self.open.is_empty() {
            let open = format!("message {place}: calls {:?} have no output", self.open);
            self.open.clear();
            self.fault(open);
        }
        match role {
            "system" | "developer" => {
                if place > 0 && self.rules != Rules::OpenAi {
                    self.fault(format!("message {place}: system text must come first"));
                }
                self.text(place, &message["content"]);
            }
            "user" => {
                self.user(place, &message["content"]);
                if self.before == "tool" && self.rules == Rules::Mistral {
                    self.fault(format!("message {place}: user after tool"));
                }
                self.takes_turn(place, "user");
            }
            "assistant" => self.assistant(place, message),
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                if self.open.first() == Some(&id) {
                    self.open.remove(0);
                } else {
                    self.fault(format!(
                        "message {place}: output `{id}` has no call before it"
                    ));
                }
                self.text(place, &message["content"]);
            }
            other => self.fault(format!("message {place}: unknown role `{other}`")),
        }
        self.before = role;
    }

    fn takes_turn(&mut self, place: usize, who: &'static str) {
        if self.rules != Rules::OpenAi && self.turn != who {
            self.fault(format!(
                "message {place}: roles must alternate, `{who}` again"
            ));
        }
        self.turn = if who == "user" { "assistant" } else { "user" };
    }

    fn text(&mut self, place: usize, content: &Value) {
        if content.as_str().is_none_or(|text| text.trim().is_empty()) {
            self.fault(format!("message {place}: `content` must be non-empty text"));
        }
    }

    fn user(&mut self, place: usize, content: &Value) {
        let Some(parts) = content.as_array() else {
            return self.text(place, content);
        };
        let fine = |part: &Value| match part["type"].as_str() {
            Some("text") => part["text"]
                .as_str()
                .is_some_and(|text| !text.trim().is_empty()),
            Some("image_url") => part["image_url"]["url"]
                .as_str()
                .is_some_and(|url| is_url_or_data(url, &PICTURES)),
            Some("file") => {
                part["file"]["file_data"].is_string() && part["file"]["filename"].is_string()
            }
            Some(_) | None => false,
        };
        if parts.is_empty() || !parts.iter().all(fine) {
            self.fault(format!(
                "message {place}: a part of the content is not accepted"
            ));
        }
    }

    fn assistant(&mut self, place: usize, message: &'a Value) {
        let calls = match &message["tool_calls"] {
            Value::Null => &[],
            Value::Array(calls) if !calls.is_empty() => calls.as_slice(),
            Value::Array(_)
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_) => {
                self.fault(format!(
                    "message {place}: `tool_calls` must be a non-empty list"
                ));
                &[]
            }
        };
        if calls.is_empty() || !message["content"].is_null() {
            self.text(place, &message["content"]);
        }
        if calls.is_empty() {
            self.takes_turn(place, "assistant");
        } else if self.before == "assistant" && self.rules != Rules::OpenAi {
            self.fault(format!("message {place}: assistant after assistant"));
        }
        for call in calls {
            self.call(place, call);
        }
    }

    fn call(&mut self, place: usize, call: &'a Value) {
        let id = call["id"].as_str().unwrap_or_default();
        let fits = match self.rules {
            Rules::OpenAi | Rules::Template => is_name(id, 64),
            Rules::Mistral => id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric()),
        };
        if !fits {
            self.fault(format!("message {place}: the id `{id}` is not accepted"));
        }
        if !self.ids.insert(id) {
            self.fault(format!("message {place}: the id `{id}` is used twice"));
        }
        self.open.push(id);
        let function = &call["function"];
        let arguments = function["arguments"].as_str().unwrap_or_default();
        if serde_json::from_str::<Map<String, Value>>(arguments).is_err() {
            self.fault(format!("message {place}: arguments are no JSON object"));
        }
        if call["type"] != "function" || !is_name(text(&function["name"]), 64) {
            self.fault(format!("message {place}: a call needs a type and a name"));
        }
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            let open = format!("calls {:?} have no output", self.open);
            self.fault(open);
        }
        if self.rules != Rules::OpenAi && !["user", "tool"].contains(&self.before) {
            self.fault(format!(
                "the last message must be the user's, not `{}`",
                self.before
            ));
        }
    }

    /// What `OpenAI` itself insists on, and most compatible servers do not.
    fn openai(&mut self, body: &Value) {
        let mut faults = Faults::default();
        fields::REQUEST.check(&mut faults, At::Top, body);
        let at = At::Top.key("tools");
        let mut names: Vec<&str> = Vec::new();
        for (place, tool) in list(&body["tools"]).iter().enumerate() {
            let function = &tool["function"];
            if function["strict"] == true {
                let at = at.place(place);
                schema::openai_strict(&mut faults, at, &function["parameters"]);
            }
            names.push(text(&function["name"]));
        }
        let choice = &body["tool_choice"];
        if choice["type"] == "function" {
            faults.unless(
                names.contains(&text(&choice["function"]["name"])),
                At::Top.key("tool_choice"),
                "the tool is not among `tools`",
            );
        }
        if names.is_empty() && !body["parallel_tool_calls"].is_null() {
            faults.add(At::Top.key("parallel_tool_calls"), "needs `tools`");
        }
        let format = &body["response_format"];
        let form = &format["json_schema"];
        if form["strict"] == true {
            let at = At::Top.key("response_format");
            schema::openai_strict(&mut faults, at, &form["schema"]);
        }
        let said = body["messages"].to_string().to_lowercase();
        faults.unless(
            format["type"] != "json_object" || said.contains("json"),
            At::Top.key("messages"),
            "must hold the word `json` where the format is `json_object`",
        );
        faults.unless(
            body["stream"] == true || body["stream_options"].is_null(),
            At::Top.key("stream_options"),
            "is only allowed when `stream` is true",
        );
        faults.unless(
            body["max_tokens"].is_null() || body["max_completion_tokens"].is_null(),
            At::Top,
            "`max_tokens` and `max_completion_tokens` may not both be set",
        );
        self.faults.append(&mut faults.0);
    }

    fn tools(&mut self, body: &Value) {
        let tools = body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        if body["tools"].is_array() && tools.is_empty() {
            self.fault("`tools` must not be empty");
        }
        for tool in tools {
            let function = &tool["function"];
            if !is_name(text(&function["name"]), 64) {
                self.fault(format!(
                    "the name of a tool is not accepted: {}",
                    function["name"]
                ));
            }
            if function["parameters"]["type"] != "object" {
                self.fault(format!(
                    "the schema of {} is not an object's",
                    function["name"]
                ));
            }
        }
        if tools.is_empty() && !body["tool_choice"].is_null() {
            self.fault("`tool_choice` needs `tools`");
        }
        for limit in ["max_tokens", "max_completion_tokens"] {
            if !body[limit].is_null() && body[limit].as_u64().is_none_or(|limit| limit == 0) {
                self.fault(format!("`{limit}` must be a positive number"));
            }
        }
    }
}
