//! A question as the body of a request.

use serde_json::{Map, Value, json};

use super::messages::Said;
use super::{Anthropic, cache, limit, messages, model, sampling, thinking, tools};
use crate::backends::format::{Wanted, wanted};
use crate::backends::parameters::{Parameters, lay_over};
use crate::backends::wire::Encoded;
use crate::backends::{Note, Question};

/// What is made of the chat itself.
const KEPT: [&str; 6] = [
    "model",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "stream",
];

/// What a model is told where any JSON is wanted: the API knows only schemas.
const JSON_ONLY: &str = "Answer with one JSON object and nothing else: no prose, no code fence.";

/// Gives the body.
pub(super) fn encoded(question: &Question<'_>, speaker: &Anthropic) -> Encoded {
    let mut notes = Vec::new();
    let mut parameters = Parameters::of(question);
    let kept = cache::Kept::of(&mut parameters, &mut notes);
    let Said {
        mut system,
        messages: mut list,
        resumes,
    } = messages::said(question, speaker, &mut notes);
    let mut config = Map::new();
    match question.format.map(wanted) {
        None => {}
        Some(Wanted::Json) => {
            notes.push(Note::Detail(
                "Anthropic forces JSON only by a schema: the model is told to answer in JSON"
                    .to_owned(),
            ));
            system.push(json!({"type": "text", "text": JSON_ONLY}));
        }
        Some(Wanted::Schema { schema, .. }) => {
            let schema = tools::fitted(&schema, "the format", &mut notes);
            config.insert(
                "format".into(),
                json!({"type": "json_schema", "schema": schema}),
            );
        }
    }
    let mut offered = tools::offered(question, &parameters, resumes, &mut notes);
    let asked = thinking::Asked {
        forced: offered.forced,
        loop_without: messages::goes_on_without_thinking(question.prompt, speaker),
        parameters: &parameters,
        facts: question.facts,
        style: model::style(question.model, question.facts),
    };
    let thought = thinking::plan(&asked, &mut notes);
    config.extend(
        thought
            .effort
            .clone()
            .map(|word| ("effort".into(), word.into())),
    );
    let limit = limit::limit(question, &parameters, &thought, &mut notes);
    cache::mark(kept, &mut offered.tools, &mut system, &mut list);

    let mut body = Map::new();
    body.insert("model".into(), question.model.into());
    body.insert("max_tokens".into(), limit.into());
    if !system.is_empty() {
        body.insert("system".into(), system.into());
    }
    body.insert("messages".into(), list.into());
    if !offered.tools.is_empty() {
        body.insert("tools".into(), offered.tools.into());
    }
    if let Some(choice) = offered.choice {
        body.insert("tool_choice".into(), choice);
    }
    let thinks = thought.thinks;
    if let Some(config) = thought.config {
        body.insert("thinking".into(), config);
    }
    if !config.is_empty() {
        body.insert("output_config".into(), config.into());
    }
    if question.stream {
        body.insert("stream".into(), true.into());
    }
    let takes = model::sampling(question.model, question.facts);
    let refused = sampling::refused(takes, thinks, speaker);
    sampling::add(&mut body, &parameters, refused, &mut notes);
    lay_over(&mut body, &parameters.rest, &KEPT);
    Encoded {
        body: Value::Object(body),
        notes,
    }
}
