//! A JSON Schema in the dialect of the API that it is sent to. Pure; uses nothing.
//!
//! Always true here: a tool's arguments are checked against the schema as it was, so that a
//! rewritten one may take more, and where an API has no words for a part, the change says that it
//! takes less. Names of properties are no keywords, and the values in `enum`, `const`, `default`
//! and `examples` are data. Nothing is fetched. No schema, however deep or however often it refers
//! to itself, makes the work or the result large.

mod rules;

mod changes;
mod keywords;

mod modern;
mod refs;

mod merge;
mod objects;
mod told;
mod walk;

mod strict;

#[cfg(test)]
mod tests;

use serde_json::Value;

pub(super) use changes::{Change, Effect};
pub(super) use strict::is_strict;

use changes::Changes;
use rules::{Refs, Top, rules};
use walk::{Trust, Walk};

/// How deeply schemas may be nested; what is below is left open.
const DEPTH: usize = 64;

/// How deeply the values in `enum`, `const`, `default` and `examples` may be nested.
const DATA_DEPTH: usize = 100;

/// For which API, and where in it, a schema is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Parameters of tools that are not strict, in Chat Completions and Responses.
    OpenAiTool,
    /// Strict tools and answers of `OpenAI`. The rewriting changes no meaning; `is_strict` tells of
    /// the result whether it can be sent as strict.
    OpenAiStrict,
    /// The schema of an answer where the API takes what there is.
    Answer,
    /// `input_schema` of tools that are not strict.
    AnthropicTool,
    /// `output_config.format` and strict tools of Anthropic, and the same of Bedrock.
    AnthropicStrict,
    /// `parametersJsonSchema`.
    GeminiTool,
    /// `responseJsonSchema`.
    GeminiAnswer,
    /// `toolSpec.inputSchema.json` of Converse, for every family of models.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the wire of Bedrock is still to be built")
    )]
    BedrockTool,
    /// `parameters` of tools in Ollama's own protocol, which forgets what it does not know.
    OllamaTool,
    /// What llama.cpp makes a grammar of: its own server, and Ollama's `format`.
    Grammar,
}

/// A schema as an API takes it, and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    pub(super) schema: Value,
    /// In the order in which they were made; empty where the schema is sent as it was.
    pub(super) changes: Vec<Change>,
}

impl Fitted {
    /// Tells whether exactly the values fit that fitted before.
    pub(super) fn is_exact(&self) -> bool {
        self.changes
            .iter()
            .all(|change| change.effect == Effect::Same)
    }
}

/// Rewrites a schema for an API.
pub(super) fn fitted(schema: &Value, dialect: Dialect) -> Fitted {
    let rules = rules(dialect);
    let mut changes = Changes::default();
    let modern = modern::modern(schema, &mut changes);
    let shaped = match rules.top {
        Top::Any => modern.clone(),
        Top::Object | Top::BareObject => objects::arguments(&modern, rules.top, &mut changes),
    };
    let stay = rules.refs == Refs::Stay && walk::all_stay(&shaped, &rules);
    let walked = |trust: Trust, changes: Changes| {
        let mut walk = Walk::new(&rules, &modern, stay, trust, changes);
        let schema = walk.schema(&shaped, &mut String::new());
        (schema, walk.changes)
    };
    let before = (changes.list.clone(), changes.inexact, changes.unlisted);
    let (schema, mut made) = walked(Trust::Exact, changes);
    let mut schema = schema;
    if stay && made.inexact > before.1 {
        // What a reference that stays leads to has become looser, so it must not decide what is
        // refused elsewhere.
        let (list, inexact, unlisted) = before;
        let changes = Changes {
            list,
            inexact,
            unlisted,
        };
        (schema, made) = walked(Trust::Doubted, changes);
    }
    Fitted {
        schema,
        changes: made.listed(),
    }
}
