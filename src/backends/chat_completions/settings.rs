//! How speakers of Chat Completions differ, and the words for it in tables of settings.

use serde::Deserialize;

/// The habits of one speaker; the default is [`WireSettings::STRICT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WireSettings {
    pub token_limit: TokenLimit,
    #[serde(rename = "system")]
    pub system_role: SystemRole,
    pub late_system: LateSystem,
    pub alternation: Alternation,
    pub call_ids: CallIds,
    pub call_only: CallOnly,
    pub named_choice: NamedChoice,
    pub stream_usage: StreamUsage,
    pub echo: Echo,
    pub effort: EffortField,
    pub web_search: WebSearch,
    pub cache_marks: CacheMarks,
}

/// The parameter that limits the tokens of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimit {
    MaxTokens,
    MaxCompletionTokens,
}

/// The role of system text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemRole {
    System,
    Developer,
}

/// What becomes of system text that does not come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateSystem {
    /// It is sent in its place as system text.
    Keep,
    /// It is sent in its place as the user's, inside `<system>` and `</system>`.
    AsUser,
}

/// Whether the user and the model must take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alternation {
    Free,
    /// Results count for nothing: between them and the user's words the model is taken to have
    /// said `(results noted)`.
    Strict,
}

/// Which ids of calls are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallIds {
    Any,
    /// Nine letters and digits exactly.
    NineAlphanumerics,
}

/// What the content of a message is that holds only calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOnly {
    Null,
    EmptyText,
}

/// How one tool is demanded by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedChoice {
    /// As an object that names it.
    Object,
    /// As the only tool, with `required`: for servers that ignore the object.
    OnlyTool,
}

/// Whether token counts have to be asked for when streaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamUsage {
    Ask,
    /// The server refuses to be asked.
    Omit,
}

/// Whether the model's reasoning text is given back; reasoning that came with fields of its own
/// always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Echo {
    Never,
    /// In `reasoning_content`, from the user's last words on.
    SinceUser,
}

/// Where it is said how much the model is to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffortField {
    /// `reasoning_effort`, with the word.
    Word,
    /// `reasoning`, with the word or a number of tokens.
    Object,
    /// `thinking`, which is on or off.
    Switch,
    /// `chat_template_kwargs`: whether to think, and the word, for the template of the model.
    Template,
}

/// Whether the speaker searches the web itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebSearch {
    Never,
    /// By the plugin `web`.
    Plugin,
}

/// Whether parts of the prompt are marked to be kept in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheMarks {
    /// What is kept is the speaker's to choose.
    Never,
    /// Models of Anthropic keep what is marked.
    AnthropicModels,
}

impl WireSettings {
    /// What the strictest servers accept, and with them all others.
    pub const STRICT: WireSettings = WireSettings {
        token_limit: TokenLimit::MaxTokens,
        system_role: SystemRole::System,
        late_system: LateSystem::AsUser,
        alternation: Alternation::Strict,
        call_ids: CallIds::Any,
        call_only: CallOnly::Null,
        named_choice: NamedChoice::Object,
        stream_usage: StreamUsage::Ask,
        echo: Echo::Never,
        effort: EffortField::Word,
        web_search: WebSearch::Never,
        cache_marks: CacheMarks::Never,
    };
}

impl Default for WireSettings {
    fn default() -> WireSettings {
        WireSettings::STRICT
    }
}
