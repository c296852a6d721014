//! Well-known providers, as data.

/// A provider, or a kind of local server, that speaks Chat Completions.
#[derive(Debug, PartialEq, Eq)]
pub struct Provider {
    pub name: &'static str,
    /// Its base URL; none when it stands wherever its user put it.
    pub url: Option<&'static str>,
    /// The variables that hold its key, after `<NAME>_KEY`.
    pub key_variables: &'static [&'static str],
    /// The variables that hold its URL, after `<NAME>_URL`.
    pub url_variables: &'static [&'static str],
    /// The variables that hold its model, after `<NAME>_MODEL`.
    pub model_variables: &'static [&'static str],
    /// The hosts that its key may always go to.
    pub hosts: &'static [&'static str],
    pub default_model: Option<&'static str>,
    pub key: NeedsKey,
}

/// Whether a provider answers without a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsKey {
    Yes,
    No,
}

/// A provider in the net, with a key.
const HOSTED: Provider = Provider {
    name: "",
    url: None,
    key_variables: &[],
    url_variables: &[],
    model_variables: &[],
    hosts: &[],
    default_model: None,
    key: NeedsKey::Yes,
};

/// A server on a machine of the user.
const LOCAL: Provider = Provider {
    key: NeedsKey::No,
    ..HOSTED
};

/// Every provider, in the order in which their keys are looked for when no endpoint is named.
pub static PROVIDERS: [Provider; 13] = [
    Provider {
        name: "openai",
        url: Some("https://api.openai.com/v1"),
        key_variables: &["OPENAI_API_KEY"],
        url_variables: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
        hosts: &["api.openai.com", "eu.api.openai.com", "us.api.openai.com"],
        default_model: Some("gpt-5-nano"),
        ..HOSTED
    },
    Provider {
        name: "openrouter",
        url: Some("https://openrouter.ai/api/v1"),
        key_variables: &["OPENROUTER_API_KEY"],
        hosts: &["openrouter.ai"],
        default_model: Some("openrouter/auto"),
        ..HOSTED
    },
    Provider {
        name: "groq",
        url: Some("https://api.groq.com/openai/v1"),
        key_variables: &["GROQ_API_KEY"],
        hosts: &["api.groq.com"],
        ..HOSTED
    },
    Provider {
        name: "mistral",
        url: Some("https://api.mistral.ai/v1"),
        key_variables: &["MISTRAL_API_KEY"],
        hosts: &["api.mistral.ai", "codestral.mistral.ai"],
        default_model: Some("mistral-small-latest"),
        ..HOSTED
    },
    Provider {
        name: "deepseek",
        url: Some("https://api.deepseek.com/v1"),
        key_variables: &["DEEPSEEK_API_KEY"],
        hosts: &["api.deepseek.com"],
        default_model: Some("deepseek-chat"),
        ..HOSTED
    },
    Provider {
        name: "together",
        url: Some("https://api.together.xyz/v1"),
        key_variables: &["TOGETHER_API_KEY"],
        hosts: &["api.together.xyz", "api.together.ai"],
        ..HOSTED
    },
    Provider {
        name: "fireworks",
        url: Some("https://api.fireworks.ai/inference/v1"),
        key_variables: &["FIREWORKS_API_KEY"],
        hosts: &["api.fireworks.ai"],
        ..HOSTED
    },
    Provider {
        name: "huggingface",
        url: Some("https://router.huggingface.co/v1"),
        key_variables: &["HF_TOKEN"],
        model_variables: &["HF_MODEL"],
        hosts: &["router.huggingface.co"],
        ..HOSTED
    },
    Provider {
        name: "openwebui",
        key_variables: &["OPENWEBUI_API_KEY"],
        key: NeedsKey::Yes,
        ..HOSTED
    },
    Provider {
        name: "llamacpp",
        url: Some("http://127.0.0.1:8080/v1"),
        key_variables: &["LLAMA_API_KEY"],
        ..LOCAL
    },
    Provider {
        name: "ollama",
        url: Some("http://127.0.0.1:11434/v1"),
        key_variables: &["OLLAMA_API_KEY"],
        url_variables: &["OLLAMA_HOST"],
        hosts: &["ollama.com"],
        ..LOCAL
    },
    Provider {
        name: "lmstudio",
        url: Some("http://127.0.0.1:1234/v1"),
        key_variables: &["LMSTUDIO_API_KEY", "LM_API_TOKEN"],
        ..LOCAL
    },
    Provider {
        name: "vllm",
        url: Some("http://127.0.0.1:8000/v1"),
        key_variables: &["VLLM_API_KEY"],
        ..LOCAL
    },
];

/// Names that mean a provider by another name.
const ALSO: [(&str, &str); 4] = [
    ("chat", "openai"),
    ("chat_completions", "openai"),
    ("hf", "huggingface"),
    ("llama.cpp", "llamacpp"),
];

impl Provider {
    /// Finds a provider by its name.
    pub fn named(name: &str) -> Option<&'static Provider> {
        let name = ALSO
            .iter()
            .find(|(also, _)| *also == name)
            .map_or(name, |(_, meant)| *meant);
        PROVIDERS.iter().find(|provider| provider.name == name)
    }

    /// Finds the provider that a host belongs to.
    pub fn at(host: &str) -> Option<&'static Provider> {
        PROVIDERS
            .iter()
            .find(|provider| provider.hosts.contains(&host))
    }

    /// Finds the provider whose key a variable holds.
    pub fn of_variable(variable: &str) -> Option<&'static Provider> {
        PROVIDERS
            .iter()
            .find(|provider| provider.keys().iter().any(|own| own == variable))
    }

    /// Gives the variables that may hold its key, Scout's first.
    pub fn keys(&self) -> Vec<String> {
        self.variables("KEY", self.key_variables)
    }

    /// Gives the variables that may hold its URL, Scout's first.
    pub fn urls(&self) -> Vec<String> {
        self.variables("URL", self.url_variables)
    }

    /// Gives the variables that may hold its model, Scout's first.
    pub fn models(&self) -> Vec<String> {
        self.variables("MODEL", self.model_variables)
    }

    fn variables(&self, what: &str, known: &[&str]) -> Vec<String> {
        let own = format!("{}_{what}", self.name.to_uppercase());
        std::iter::once(own)
            .chain(known.iter().map(|name| (*name).to_owned()))
            .collect()
    }
}
