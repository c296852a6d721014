//! The parameters that every protocol has under one name or another, taken out of what a chat
//! sets, so that a chat says the same whichever provider it asks.

use serde_json::{Map, Value};

use super::Question;

/// The parameters of a request. A value that has not the type of its name stays in `rest`, under
/// the name that was written: the provider says what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parameters {
    /// The most tokens of the answer, reasoning included.
    pub(super) max_tokens: Option<u64>,
    /// How much the model is to think.
    pub(super) effort: Option<String>,
    /// The most tokens that the model may think; 0 is off, -1 leaves it to the model.
    pub(super) budget: Option<i64>,
    /// The summary of its reasoning that the model is to give, such as `auto`.
    pub(super) summary: Option<String>,
    /// Whether several calls may be made in one turn.
    pub(super) parallel: Option<bool>,
    pub(super) temperature: Option<Value>,
    pub(super) top_p: Option<Value>,
    pub(super) top_k: Option<Value>,
    pub(super) seed: Option<Value>,
    /// Texts at which the answer ends.
    pub(super) stop: Option<Vec<String>>,
    /// How much the model is to say, such as `low`.
    pub(super) verbosity: Option<String>,
    /// How long marked parts of the prompt stay in the provider's cache, or `off`.
    pub(super) prompt_cache: Option<String>,
    /// All others, by the provider's names; null unsets a field of the body.
    pub(super) rest: Map<String, Value>,
}

impl Parameters {
    /// Takes the parameters of a question apart.
    pub(super) fn of(question: &Question<'_>) -> Parameters {
        let mut taken = Parameters::default();
        for (name, value) in question.parameters {
            if !taken.take(name, value) {
                taken.rest.insert(name.clone(), value.clone());
            }
        }
        taken
    }

    /// Takes a value that belongs to one of the names; tells whether it does.
    fn take(&mut self, name: &str, value: &Value) -> bool {
        match name {
            "max_tokens"
            | "max_completion_tokens"
            | "max_output_tokens"
            | "maxOutputTokens"
            | "maxTokens"
            | "num_predict" => set(&mut self.max_tokens, value.as_u64()),
            "reasoning_effort" | "effort" => set(&mut self.effort, text(value)),
            "reasoning_budget" | "thinking_budget" | "reasoning_max_tokens" => {
                set(&mut self.budget, value.as_i64())
            }
            "reasoning_summary" => set(&mut self.summary, text(value)),
            "parallel_tool_calls" => set(&mut self.parallel, value.as_bool()),
            "temperature" => set(&mut self.temperature, number(value)),
            "top_p" | "topP" => set(&mut self.top_p, number(value)),
            "top_k" | "topK" => set(&mut self.top_k, number(value)),
            "seed" => set(&mut self.seed, number(value)),
            "stop" | "stop_sequences" | "stopSequences" => set(&mut self.stop, texts(value)),
            "verbosity" | "text_verbosity" => set(&mut self.verbosity, text(value)),
            "prompt_cache" => set(&mut self.prompt_cache, text(value)),
            _ => false,
        }
    }
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *place = Some(value);
            true
        }
        None => false,
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn number(value: &Value) -> Option<Value> {
    value.is_number().then(|| value.clone())
}

fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(all) => all.iter().map(text).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Lays fields over a body: objects are put together, null takes a field away, and the fields that
/// are `kept` stay as they are, because they are made of the chat itself.
pub(super) fn lay_over(body: &mut Map<String, Value>, fields: &Map<String, Value>, kept: &[&str]) {
    for (name, value) in fields {
        if kept.contains(&name.as_str()) {
            continue;
        }
        match (body.get_mut(name), value) {
            (_, Value::Null) => {
                body.shift_remove(name);
            }
            (Some(Value::Object(inner)), Value::Object(more)) => lay_over(inner, more, &[]),
            (Some(_) | None, _) => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Parameters, lay_over};

    fn taken(given: &Value) -> Parameters {
        let mut taken = Parameters::default();
        for (name, value) in given.as_object().unwrap() {
            if !taken.take(name, value) {
                taken.rest.insert(name.clone(), value.clone());
            }
        }
        taken
    }

    #[test]
    fn one_thing_has_many_names() {
        for name in ["max_tokens", "max_completion_tokens", "num_predict"] {
            assert_eq!(taken(&json!({name: 7})).max_tokens, Some(7), "{name}");
        }
        let all = taken(&json!({
            "stop": "a", "effort": "low", "thinking_budget": -1, "parallel_tool_calls": false,
            "top_k": 3, "user": "me",
        }));
        let expected = Parameters {
            stop: Some(vec!["a".into()]),
            effort: Some("low".into()),
            budget: Some(-1),
            parallel: Some(false),
            top_k: Some(3.into()),
            rest: json!({"user": "me"}).as_object().unwrap().clone(),
            ..Parameters::default()
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn what_has_another_type_is_the_providers_to_judge() {
        let odd = json!({"max_tokens": "many", "stop": [1], "temperature": null});
        let kept = taken(&odd);
        assert_eq!(Value::Object(kept.rest.clone()), odd);
        assert_eq!(
            Parameters {
                rest: kept.rest.clone(),
                ..Parameters::default()
            },
            kept
        );
    }

    #[test]
    fn fields_are_laid_over_deeply_and_the_chat_itself_stays() {
        let mut body = json!({"model": "m", "a": {"b": 1, "c": 2}, "d": 3});
        let fields = json!({"model": "x", "a": {"c": 4, "b": null}, "d": null, "e": {"f": 5}});
        lay_over(
            body.as_object_mut().unwrap(),
            fields.as_object().unwrap(),
            &["model"],
        );
        assert_eq!(body, json!({"model": "m", "a": {"c": 4}, "e": {"f": 5}}));
    }
}
