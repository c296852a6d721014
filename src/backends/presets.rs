//! Well-known providers, as `presets.toml` lists them: where they are, which key is theirs, how they
//! differ.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{Protocol, Wire, WireSettings};

/// A text of the table, which stays as long as the program runs. A name of its own keeps the reader of the
/// table from taking it for a part of what is read.
type Kept = &'static str;

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    #[serde(deserialize_with = "kept")]
    pub name: Kept,
    /// Other names of it.
    #[serde(default)]
    pub also: Vec<String>,
    /// The base URL.
    #[serde(deserialize_with = "kept")]
    pub url: Kept,
    /// Variables of the environment that may hold the key, the first that is set counts.
    #[serde(rename = "keys")]
    pub key_variables: Vec<String>,
    /// Variables that may hold the URL, besides the one that is made of its name.
    #[serde(default, rename = "urls")]
    pub url_variables: Vec<String>,
    /// Variables that may hold a model, besides the one that is made of its name.
    #[serde(default, rename = "models")]
    pub model_variables: Vec<String>,
    /// The hosts to which the key may go, subdomains not included, where `*` stands for one part of
    /// a name; none for local servers, whose
    /// host is the user's to name.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The model to ask when none is named.
    pub model: Option<String>,
    /// What it speaks at its own URL.
    pub protocol: Protocol,
    /// How it speaks Chat Completions.
    #[serde(default, rename = "wire")]
    pub settings: WireSettings,
}

/// Every preset. Hosted ones come first, in the order in which a key in the environment chooses.
pub static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("presets.toml"))
        .expect("the tests read the table that is shipped");
    table.preset
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    preset: Vec<Preset>,
}

/// Reads a text that is kept: the table is read once.
fn kept<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Kept, D::Error> {
    String::deserialize(from).map(|text| &*text.leak())
}

impl Preset {
    /// Finds a preset by one of its names.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS
            .iter()
            .find(|preset| preset.name == name || preset.also.iter().any(|also| also == name))
    }

    /// Finds the hosted preset that a host belongs to.
    pub fn of_host(host: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.may_send_key_to(host))
    }

    /// Tells whether its key may go to a host.
    pub fn may_send_key_to(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| is_host(own, host))
    }

    /// Tells whether it stands on the user's own machine or network.
    pub fn is_local(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Gives what it speaks at a URL. Servers of other makers that take its place speak Chat
    /// Completions, and so do some providers below a path of its own.
    pub fn protocol_at(&self, url: &reqwest::Url) -> Protocol {
        let path = url.path().trim_end_matches('/');
        match self.protocol {
            Protocol::Responses
                if url
                    .host_str()
                    .is_none_or(|host| !self.may_send_key_to(host)) =>
            {
                Protocol::ChatCompletions
            }
            Protocol::Gemini if path.ends_with("/openai") => Protocol::ChatCompletions,
            Protocol::Ollama if path.ends_with("/v1") => Protocol::ChatCompletions,
            own @ (Protocol::ChatCompletions
            | Protocol::Responses
            | Protocol::Anthropic
            | Protocol::Gemini
            | Protocol::Ollama
            | Protocol::Bedrock) => own,
        }
    }

    /// Gives the wire on which it speaks a protocol.
    pub fn wire(&self, protocol: Protocol) -> Box<dyn Wire> {
        protocol.wire(self.name, self.settings)
    }
}

/// Tells whether a host is the one that a pattern names.
fn is_host(pattern: &str, host: &str) -> bool {
    let dots = |name: &str| name.matches('.').count();
    let mut parts = pattern.split('.').zip(host.split('.'));
    dots(pattern) == dots(host)
        && parts
            .all(|(own, part)| (own == "*" && !part.is_empty()) || own.eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{PRESETS, Preset};
    use crate::backends::{
        Alternation, CacheMarks, Echo, EffortField, LateSystem, WebSearch, WireSettings,
    };

    #[test]
    fn names_are_unique_and_each_url_is_one_of_its_hosts() {
        let mut names = HashSet::new();
        for preset in PRESETS.iter() {
            for name in preset.also.iter().map(String::as_str).chain([preset.name]) {
                assert!(names.insert(name), "{name}");
            }
            assert!(!preset.key_variables.is_empty(), "{}", preset.name);
            let url: reqwest::Url = preset.url.parse().unwrap();
            let host = url.host_str().unwrap();
            let (scheme, key_goes) = if preset.is_local() {
                ("http", false)
            } else {
                ("https", true)
            };
            assert_eq!(
                (url.scheme(), preset.may_send_key_to(host)),
                (scheme, key_goes),
                "{}",
                preset.name
            );
        }
    }

    #[test]
    fn a_key_goes_to_no_host_that_only_looks_like_its_own() {
        let openai = Preset::find("openai").unwrap();
        let goes = [
            "api.openai.com",
            "API.OpenAI.com",
            "api.openai.com.evil.example",
            "evil-api.openai.com",
            "x.api.openai.com",
        ]
        .map(|host| openai.may_send_key_to(host));
        assert_eq!(goes, [true, true, false, false, false]);
        let bedrock = Preset::find("bedrock").unwrap();
        let goes = [
            "bedrock-runtime.eu-west-1.amazonaws.com",
            "bedrock-runtime.cn-north-1.amazonaws.com.cn",
            "bedrock-runtime..amazonaws.com",
            "bedrock-runtime.a.b.amazonaws.com",
            "bedrock-runtime.eu-west-1.amazonaws.com.evil.example",
            "s3.eu-west-1.amazonaws.com",
        ]
        .map(|host| bedrock.may_send_key_to(host));
        assert_eq!(goes, [true, true, false, false, false, false]);
        assert_eq!(
            Preset::of_host("api.groq.com").map(|p| p.name),
            Some("groq")
        );
        assert_eq!(Preset::of_host("127.0.0.1"), None);
    }

    #[test]
    fn the_words_of_the_table_say_how_a_provider_differs() {
        let settings = |name| Preset::find(name).unwrap().settings;
        assert_eq!(
            [
                settings("openrouter"),
                settings("deepseek"),
                settings("tgi")
            ],
            [
                WireSettings {
                    effort: EffortField::Object,
                    web_search: WebSearch::Plugin,
                    cache_marks: CacheMarks::AnthropicModels,
                    ..WireSettings::STRICT
                },
                WireSettings {
                    echo: Echo::SinceUser,
                    effort: EffortField::Switch,
                    late_system: LateSystem::Keep,
                    alternation: Alternation::Free,
                    ..WireSettings::STRICT
                },
                WireSettings::STRICT,
            ]
        );
        let wrong = toml::from_str::<WireSettings>("effort = \"loud\"").unwrap_err();
        assert!(wrong.message().contains("`loud`"), "{wrong}");
        let unknown = toml::from_str::<WireSettings>("token_limits = 1").unwrap_err();
        assert!(unknown.message().contains("`token_limits`"), "{unknown}");
        assert_eq!(Preset::find("hf"), Preset::find("huggingface"));
    }
}
