//! Well-known providers: where they are, which key is theirs, how they differ.

use super::{
    Alternation, CallIds, CallOnly, Echo, LateSystem, NamedChoice, Protocol, TokenLimit, Wire,
    WireSettings,
};

/// One provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    pub name: &'static str,
    /// The base URL.
    pub url: &'static str,
    /// Variables of the environment that may hold the key, the first that is set counts.
    pub key_variables: &'static [&'static str],
    /// The hosts to which the key may go, subdomains not included; none for local servers, whose
    /// host is the user's to name.
    pub hosts: &'static [&'static str],
    /// The model to ask when none is named, where one will do for years.
    pub model: Option<&'static str>,
    /// What it speaks at its own URL.
    pub protocol: Protocol,
    /// How it speaks Chat Completions.
    pub settings: WireSettings,
}

/// Hosted speakers that keep their own order: the conversation may be of any form.
const FREE: WireSettings = WireSettings {
    late_system: LateSystem::Keep,
    alternation: Alternation::Free,
    ..WireSettings::STRICT
};

/// Every preset. Hosted ones come first, in the order in which a key in the environment chooses.
pub const PRESETS: [Preset; 22] = [
    Preset {
        name: "openai",
        url: "https://api.openai.com/v1",
        key_variables: &["OPENAI_API_KEY", "OPENAI_KEY"],
        hosts: &["api.openai.com"],
        model: None,
        protocol: Protocol::Responses,
        settings: WireSettings {
            token_limit: TokenLimit::MaxCompletionTokens,
            ..FREE
        },
    },
    Preset {
        name: "anthropic",
        url: "https://api.anthropic.com/v1",
        key_variables: &["ANTHROPIC_API_KEY", "ANTHROPIC_KEY"],
        hosts: &["api.anthropic.com"],
        model: None,
        protocol: Protocol::Anthropic,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "openrouter",
        url: "https://openrouter.ai/api/v1",
        key_variables: &["OPENROUTER_API_KEY", "OPENROUTER_KEY"],
        hosts: &["openrouter.ai"],
        model: Some("openrouter/auto"),
        protocol: Protocol::ChatCompletions,
        // What it passes questions on to may be of any kind.
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "groq",
        url: "https://api.groq.com/openai/v1",
        key_variables: &["GROQ_API_KEY", "GROQ_KEY"],
        hosts: &["api.groq.com"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings {
            token_limit: TokenLimit::MaxCompletionTokens,
            ..FREE
        },
    },
    Preset {
        name: "mistral",
        url: "https://api.mistral.ai/v1",
        key_variables: &["MISTRAL_API_KEY", "MISTRAL_KEY"],
        hosts: &["api.mistral.ai"],
        model: Some("mistral-small-latest"),
        protocol: Protocol::ChatCompletions,
        settings: WireSettings {
            call_ids: CallIds::NineAlphanumerics,
            ..WireSettings::STRICT
        },
    },
    Preset {
        name: "deepseek",
        url: "https://api.deepseek.com/v1",
        key_variables: &["DEEPSEEK_API_KEY", "DEEPSEEK_KEY"],
        hosts: &["api.deepseek.com"],
        model: Some("deepseek-chat"),
        protocol: Protocol::ChatCompletions,
        settings: WireSettings {
            echo: Echo::SinceUser,
            ..FREE
        },
    },
    Preset {
        name: "together",
        url: "https://api.together.xyz/v1",
        key_variables: &["TOGETHER_API_KEY", "TOGETHER_KEY"],
        hosts: &["api.together.xyz"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "fireworks",
        url: "https://api.fireworks.ai/inference/v1",
        key_variables: &["FIREWORKS_API_KEY", "FIREWORKS_KEY"],
        hosts: &["api.fireworks.ai"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "cerebras",
        url: "https://api.cerebras.ai/v1",
        key_variables: &["CEREBRAS_API_KEY", "CEREBRAS_KEY"],
        hosts: &["api.cerebras.ai"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings {
            token_limit: TokenLimit::MaxCompletionTokens,
            ..WireSettings::STRICT
        },
    },
    Preset {
        name: "xai",
        url: "https://api.x.ai/v1",
        key_variables: &["XAI_API_KEY", "XAI_KEY"],
        hosts: &["api.x.ai"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: FREE,
    },
    Preset {
        name: "nvidia",
        url: "https://integrate.api.nvidia.com/v1",
        key_variables: &["NVIDIA_API_KEY", "NVIDIA_KEY"],
        hosts: &["integrate.api.nvidia.com"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "moonshot",
        url: "https://api.moonshot.ai/v1",
        key_variables: &["MOONSHOT_API_KEY", "MOONSHOT_KEY"],
        hosts: &["api.moonshot.ai"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: FREE,
    },
    Preset {
        name: "huggingface",
        url: "https://router.huggingface.co/v1",
        key_variables: &["HF_TOKEN", "HUGGINGFACE_API_KEY", "HUGGINGFACE_KEY"],
        hosts: &["router.huggingface.co"],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "gemini",
        url: "https://generativelanguage.googleapis.com/v1beta",
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        hosts: &["generativelanguage.googleapis.com"],
        model: None,
        protocol: Protocol::Gemini,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "bedrock",
        // The region of the endpoint takes the place of this one.
        url: "https://bedrock-runtime.us-east-1.amazonaws.com",
        key_variables: &["AWS_BEARER_TOKEN_BEDROCK"],
        hosts: &[
            "bedrock-runtime.*.amazonaws.com",
            "bedrock-runtime-fips.*.amazonaws.com",
            "bedrock-runtime.*.amazonaws.com.cn",
        ],
        model: None,
        protocol: Protocol::Bedrock,
        settings: WireSettings::STRICT,
    },
    Preset {
        name: "openwebui",
        url: "http://127.0.0.1:3000/api",
        key_variables: &["OPENWEBUI_API_KEY", "OPENWEBUI_KEY"],
        hosts: &[],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings::STRICT,
    },
    LLAMACPP,
    Preset {
        name: "llamacpp",
        ..LLAMACPP
    },
    Preset {
        name: "llama-cpp-python",
        url: "http://127.0.0.1:8000/v1",
        // It answers 500 to a call whose content is null.
        settings: WireSettings {
            call_only: CallOnly::EmptyText,
            ..WireSettings::STRICT
        },
        ..LLAMACPP
    },
    Preset {
        name: "ollama",
        url: "http://127.0.0.1:11434/api",
        key_variables: &["OLLAMA_API_KEY", "OLLAMA_KEY"],
        hosts: &[],
        model: None,
        protocol: Protocol::Ollama,
        settings: WireSettings {
            named_choice: NamedChoice::OnlyTool,
            ..WireSettings::STRICT
        },
    },
    Preset {
        name: "lmstudio",
        url: "http://127.0.0.1:1234/v1",
        key_variables: &["LMSTUDIO_API_KEY"],
        hosts: &[],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings {
            named_choice: NamedChoice::OnlyTool,
            ..WireSettings::STRICT
        },
    },
    Preset {
        name: "vllm",
        url: "http://127.0.0.1:8000/v1",
        key_variables: &["VLLM_API_KEY", "VLLM_KEY"],
        hosts: &[],
        model: None,
        protocol: Protocol::ChatCompletions,
        settings: WireSettings::STRICT,
    },
];

const LLAMACPP: Preset = Preset {
    name: "llama.cpp",
    url: "http://127.0.0.1:8080/v1",
    key_variables: &["LLAMA_API_KEY"],
    hosts: &[],
    model: None,
    protocol: Protocol::ChatCompletions,
    settings: WireSettings {
        named_choice: NamedChoice::OnlyTool,
        ..WireSettings::STRICT
    },
};

impl Preset {
    /// Finds a preset by its name.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
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

/// Tells whether a host is the one that a pattern names, in which `*` stands for one label.
fn is_host(pattern: &str, host: &str) -> bool {
    let labels = |name: &str| name.matches('.').count();
    labels(pattern) == labels(host)
        && pattern.split('.').zip(host.split('.')).all(|(own, label)| {
            (own == "*" && !label.is_empty()) || own.eq_ignore_ascii_case(label)
        })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{PRESETS, Preset};

    #[test]
    fn names_are_unique_and_each_url_is_one_of_its_hosts() {
        let names: HashSet<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(names.len(), PRESETS.len());
        for preset in &PRESETS {
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
}
