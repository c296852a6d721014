//! The protocols that are spoken, by name.

use serde::{Deserialize, Deserializer, de};

use super::{Anthropic, Bedrock, ChatCompletions, Gemini, Ollama, Responses, Wire, WireSettings};

/// A wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// `OpenAI`'s Chat Completions, which most servers speak.
    ChatCompletions,
    /// `OpenAI`'s Responses.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's `generateContent`.
    Gemini,
    /// Ollama's own.
    Ollama,
    /// Amazon Bedrock's Converse.
    Bedrock,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Protocol; 6] = [
        Protocol::ChatCompletions,
        Protocol::Responses,
        Protocol::Anthropic,
        Protocol::Gemini,
        Protocol::Ollama,
        Protocol::Bedrock,
    ];

    /// Gives the name by which settings and fixtures call it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::ChatCompletions => "chat",
            Protocol::Responses => "responses",
            Protocol::Anthropic => "anthropic",
            Protocol::Gemini => "gemini",
            Protocol::Ollama => "ollama",
            Protocol::Bedrock => "bedrock",
        }
    }

    /// Finds the protocol of this name.
    pub fn from_name(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Gives the wire on which a provider speaks it; the settings are those of Chat Completions.
    pub fn wire(self, provider: &str, settings: WireSettings) -> Box<dyn Wire> {
        self.wire_of_version(provider, settings, None)
    }

    /// Gives the wire for a version of the provider's API, where the protocol has versions.
    pub fn wire_of_version(
        self,
        provider: &str,
        settings: WireSettings,
        version: Option<&str>,
    ) -> Box<dyn Wire> {
        let provider = self.mark(provider);
        match self {
            Protocol::ChatCompletions => Box::new(ChatCompletions { provider, settings }),
            Protocol::Responses => Box::new(Responses { provider }),
            Protocol::Anthropic => Box::new(Anthropic {
                provider,
                version: version.map(str::to_owned),
            }),
            Protocol::Gemini => Box::new(Gemini { provider }),
            Protocol::Ollama => Box::new(Ollama { provider }),
            Protocol::Bedrock => Box::new(Bedrock { provider }),
        }
    }

    /// Gives the mark of reasoning that a provider sends in this protocol: what it wants back has
    /// another shape in each.
    fn mark(self, provider: &str) -> String {
        if self == Protocol::ChatCompletions || self.name() == provider {
            provider.to_owned()
        } else {
            format!("{provider}/{}", self.name())
        }
    }
}

impl<'de> Deserialize<'de> for Protocol {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Protocol, D::Error> {
        let name = String::deserialize(from)?;
        Protocol::from_name(&name)
            .ok_or_else(|| de::Error::custom(format!("there is no protocol `{name}`")))
    }
}
