//! `config.toml`, typed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::Secret;
use super::files::{self, FileError};
use super::model_table::{Mistake, ModelTable};

/// What `config.toml` says; what it does not say is empty.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    pub defaults: Defaults,
    pub endpoints: BTreeMap<String, EndpointTable>,
    /// What is known of models, by name or by the beginning of one with `*`.
    pub models: BTreeMap<String, ModelTable>,
    /// MCP servers by name, kept as they stand.
    pub mcp: BTreeMap<String, toml::Table>,
    pub limits: Limits,
    /// Variables that started programs may see, besides the safe ones.
    pub pass_env: Vec<String>,
    /// The user's own folders: what lies in them is trusted.
    pub folders: Vec<PathBuf>,
}

/// What holds where nothing else is said.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Defaults {
    pub endpoint: Option<String>,
    /// The model of the default endpoint.
    pub model: Option<String>,
    pub backend: Option<String>,
    /// Options of every chat, by their names.
    pub options: Map<String, Value>,
}

/// A server of models: `[endpoints.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EndpointTable {
    pub backend: Option<String>,
    pub url: Option<String>,
    pub model: Option<String>,
    /// `env:NAME`, `cmd:COMMAND`, `file:PATH`, or the key itself.
    pub key: Option<Secret>,
    /// The region of AWS.
    pub region: Option<String>,
    /// The profile of AWS whose credentials count.
    pub profile: Option<String>,
    /// Options of chats that use it, by their names.
    pub options: Map<String, Value>,
    pub headers: BTreeMap<String, Secret>,
    /// A file of further certificate authorities.
    pub ca_file: Option<PathBuf>,
    pub stream: Option<bool>,
    /// Seconds.
    pub connect_timeout: Option<f64>,
    /// Seconds without a byte.
    pub idle_timeout: Option<f64>,
}

/// What a run may take.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    pub max_rounds: Option<u32>,
    /// Tokens that a run may take, prompts and answers together.
    pub max_run_tokens: Option<u64>,
    /// US dollars that a run may cost.
    pub max_cost: Option<f64>,
    /// Characters of one tool output that the model is shown.
    pub max_output: Option<usize>,
    /// Characters of one included text.
    pub max_included_length: Option<u64>,
    /// Seconds that a run may take.
    pub max_time: Option<f64>,
    /// Seconds that a `cmd` may take.
    pub command_timeout: Option<f64>,
    /// Seconds that an MCP server may take to start.
    pub startup_timeout: Option<f64>,
    /// Seconds that a tool call may take.
    pub tool_timeout: Option<f64>,
    /// Seconds to connect to a server of models.
    pub connect_timeout: Option<f64>,
    /// Seconds without a byte from a server of models.
    pub idle_timeout: Option<f64>,
}

/// What is wrong with a file of settings, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", .path.display(), Spot(*.at))]
pub struct ConfigError {
    pub path: PathBuf,
    /// Line and column, from 1, where they are known.
    pub at: Option<(usize, usize)>,
    pub message: String,
    pub hint: Option<String>,
}

struct Spot(Option<(usize, usize)>);

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some((line, column)) => write!(f, ":{line}:{column}"),
            None => Ok(()),
        }
    }
}

/// No file of settings is longer.
pub(crate) const SIZE_LIMIT: u64 = 4 << 20;

impl ConfigError {
    pub(crate) fn unread(path: &Path, error: &FileError) -> ConfigError {
        ConfigError {
            path: path.to_owned(),
            at: None,
            message: error.to_string(),
            hint: None,
        }
    }
}

impl Config {
    /// Reads the file; one that is not there says nothing.
    pub fn load(path: &Path) -> Result<Config, ConfigError> {
        match files::read_text(path, SIZE_LIMIT) {
            Ok(text) => Config::read(&text, path),
            Err(error) if error.is_missing() => Ok(Config::default()),
            Err(error) => Err(ConfigError::unread(path, &error)),
        }
    }

    /// Reads the text of a file.
    pub fn read(text: &str, path: &Path) -> Result<Config, ConfigError> {
        let config: Config = toml::from_str(text).map_err(|error| {
            let (message, hint) = unknown_key(error.message());
            ConfigError {
                path: path.to_owned(),
                at: error.span().map(|span| line_and_column(text, span.start)),
                message,
                hint,
            }
        })?;
        let config = config.checked().map_err(|(table, key)| ConfigError {
            path: path.to_owned(),
            at: None,
            message: format!("`{key}` in `[{table}]` must be a number above 0"),
            hint: None,
        })?;
        for (name, table) in &config.models {
            let message = match table.mistake() {
                None => continue,
                Some(Mistake::Zero(key)) => {
                    format!("`{key}` in `[models.\"{name}\"]` must be a number above 0")
                }
                Some(Mistake::Price(key)) => format!(
                    "`{key}` in `[models.\"{name}\".price]` must be US dollars for a million tokens"
                ),
            };
            return Err(ConfigError {
                path: path.to_owned(),
                at: None,
                message,
                hint: None,
            });
        }
        Ok(config)
    }

    /// Limits that are no limits would otherwise show up far from here.
    fn checked(self) -> Result<Config, (String, &'static str)> {
        let limits = [
            ("max_time", self.limits.max_time),
            ("command_timeout", self.limits.command_timeout),
            ("startup_timeout", self.limits.startup_timeout),
            ("tool_timeout", self.limits.tool_timeout),
            ("connect_timeout", self.limits.connect_timeout),
            ("idle_timeout", self.limits.idle_timeout),
        ];
        let bad = |(_, seconds): &(&'static str, Option<f64>)| {
            seconds.is_some_and(|seconds| super::clock::seconds(seconds).is_none())
        };
        if let Some((key, _)) = limits.into_iter().find(bad) {
            return Err(("limits".to_owned(), key));
        }
        // A run that may ask nothing, or use nothing, is no run.
        if self.limits.max_rounds == Some(0) {
            return Err(("limits".to_owned(), "max_rounds"));
        }
        if self
            .limits
            .max_cost
            .is_some_and(|cost| !is_above_nothing(cost))
        {
            return Err(("limits".to_owned(), "max_cost"));
        }
        if self.limits.max_run_tokens == Some(0) {
            return Err(("limits".to_owned(), "max_run_tokens"));
        }
        for (name, table) in &self.endpoints {
            let times = [
                ("connect_timeout", table.connect_timeout),
                ("idle_timeout", table.idle_timeout),
            ];
            if let Some((key, _)) = times.into_iter().find(bad) {
                return Err((format!("endpoints.{name}"), key));
            }
        }
        Ok(self)
    }
}

/// Tells whether a number of dollars is one that can be spent.
pub fn is_above_nothing(dollars: f64) -> bool {
    dollars.is_finite() && dollars > 0.0
}

/// Makes of what serde says about an unknown key a short message and the nearest key as a hint.
fn unknown_key(message: &str) -> (String, Option<String>) {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match quoted.split_first() {
        Some((found, known)) if message.starts_with("unknown field") => {
            let hint = nearest(found, known.iter().copied()).map_or_else(
                || format!("use one of: {}", known.join(", ")),
                |near| format!("write `{near}`"),
            );
            (format!("`{found}` is no known key"), Some(hint))
        }
        Some((found, known)) if message.starts_with("unknown variant") => {
            let hint = nearest(found, known.iter().copied()).map(|near| format!("write `{near}`"));
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            (format!("`{found}` is none of {}", known.join(", ")), hint)
        }
        Some(_) | None => (message.to_owned(), None),
    }
}

/// Gives the name that is most like the one that was found, if one is much like it.
pub fn nearest<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(found, name), name))
        .filter(|(distance, name)| *distance <= (name.chars().count() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::model_table::{PriceTable, Reasoning};

    fn told(text: &str) -> (String, Option<String>) {
        let error = Config::read(text, Path::new("c.toml")).unwrap_err();
        (error.to_string(), error.hint)
    }

    #[test]
    fn a_whole_file_is_read() {
        let text = r#"
pass_env = ["A"]
folders = ["~/chats"]
[defaults]
endpoint = "work"
options = { temperature = 0.2 }
[endpoints.work]
backend = "openai"
url = "https://models.example/v1"
key = "env:WORK_KEY"
headers = { x-team = "one" }
idle_timeout = 1.5
[mcp.time]
command = ["mcp-server-time"]
[models."my-*"]
context = 8192
reasoning = "effort"
price = { input = 1, output = 2.5 }
[limits]
max_rounds = 9
"#;
        let config = Config::read(text, Path::new("c.toml")).unwrap();
        let work = EndpointTable {
            backend: Some("openai".into()),
            url: Some("https://models.example/v1".into()),
            key: Some(Secret::new("env:WORK_KEY")),
            headers: [("x-team".into(), Secret::new("one"))].into(),
            idle_timeout: Some(1.5),
            ..EndpointTable::default()
        };
        let time = toml::Table::from_iter([(
            "command".to_owned(),
            toml::Value::from(vec!["mcp-server-time"]),
        )]);
        let mine = ModelTable {
            context: Some(8192),
            reasoning: Some(Reasoning::Effort),
            price: Some(PriceTable {
                input: 1.0,
                output: 2.5,
                cache_read: None,
                cache_write: None,
                cache_write_1h: None,
                long: None,
            }),
            ..ModelTable::default()
        };
        let expected = Config {
            defaults: Defaults {
                endpoint: Some("work".into()),
                options: Map::from_iter([("temperature".to_owned(), Value::from(0.2))]),
                ..Defaults::default()
            },
            endpoints: [("work".into(), work)].into(),
            models: [("my-*".into(), mine)].into(),
            mcp: [("time".into(), time)].into(),
            limits: Limits {
                max_rounds: Some(9),
                ..Limits::default()
            },
            pass_env: vec!["A".into()],
            folders: vec!["~/chats".into()],
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_the_nearest_key() {
        assert_eq!(
            told("[endpoints]\n\"é\" = { urll = 1 }\n"),
            (
                "c.toml:2:9: `urll` is no known key".into(),
                Some("write `url`".into())
            )
        );
        let (message, hint) = told("[defaults]\nzebra = 1\n");
        assert_eq!(message, "c.toml:2:1: `zebra` is no known key");
        assert_eq!(
            hint.unwrap(),
            "use one of: endpoint, model, backend, options"
        );
        assert_eq!(
            told("[limits]\nmax_rounds = 'x'\n").0,
            "c.toml:2:14: invalid type: string \"x\", expected u32"
        );
        assert!(told("a = \n").0.starts_with("c.toml:1:"));
        assert_eq!(
            told("[limits]\nmax_time = -1\n").0,
            "c.toml: `max_time` in `[limits]` must be a number above 0"
        );
        assert_eq!(
            told("[limits]\nmax_rounds = 0\n").0,
            "c.toml: `max_rounds` in `[limits]` must be a number above 0"
        );
    }

    #[test]
    fn what_is_said_of_a_model_is_checked() {
        for (text, message, hint) in [
            (
                "[models.a]\ncontexts = 1\n",
                "c.toml:2:1: `contexts` is no known key",
                Some("write `context`"),
            ),
            (
                "[models.a.price]\ninput = 1\noutputs = 1\n",
                "c.toml:3:1: `outputs` is no known key",
                Some("write `output`"),
            ),
            (
                "[models.a.price]\ninput = 1\n",
                "c.toml:1:1: missing field `output`",
                None,
            ),
            (
                "[models.a]\nprice = { input = -1, output = 1 }\n",
                "c.toml: `input` in `[models.\"a\".price]` must be US dollars for a million tokens",
                None,
            ),
            (
                "[models.a]\nmax_output = 0\n",
                "c.toml: `max_output` in `[models.\"a\"]` must be a number above 0",
                None,
            ),
            (
                "[models.a]\nreasoning = 'efort'\n",
                "c.toml:2:13: `efort` is none of `none`, `effort`, `budget`, `adaptive`",
                Some("write `effort`"),
            ),
            (
                "[limits]\nmax_cost = nan\n",
                "c.toml: `max_cost` in `[limits]` must be a number above 0",
                None,
            ),
        ] {
            assert_eq!(told(text), (message.into(), hint.map(str::to_owned)));
        }
    }

    #[test]
    fn no_file_says_nothing() {
        assert_eq!(
            Config::load(Path::new("/none/c.toml")),
            Ok(Config::default())
        );
    }
}
