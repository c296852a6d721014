//! One question over HTTP, and all that came of it.

use std::time::Duration;

use scoutai::backends::{
    AskFailure, Backend, Delta, HttpBackend, HttpEndpoint, HttpLimits, Key, KeySource, Preset,
    Protocol, ProxyChoice, Question, Reply, Wire,
};
use scoutai::chat::{Origin, Role};
use scoutai::plan::{Item, Prompt, Said, Saying};
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use crate::fakellm::{FakeLlm, Play};

/// What came of a question.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) outcome: Result<Reply, AskFailure>,
    pub(super) told: Vec<Delta>,
}

/// An endpoint for tests: short waits, and one key.
pub(super) fn endpoint(url: &str) -> HttpEndpoint {
    HttpEndpoint {
        url: url.to_owned(),
        key: Some(Key::new(CANARY, KeySource::Variable("TEST_KEY".into())).unwrap()),
        signer: None,
        headers: Vec::new(),
        proxy: ProxyChoice::Environment,
        extra_roots: None,
        limits: HttpLimits {
            connect: Duration::from_secs(5),
            idle: Duration::from_secs(5),
            first_wait: Duration::from_millis(1),
            ..HttpLimits::default()
        },
    }
}

/// The wire on which a provider speaks Chat Completions.
pub(super) fn chat_wire(provider: &str) -> Box<dyn Wire> {
    Preset::find(provider)
        .unwrap()
        .wire(Protocol::ChatCompletions)
}

/// The key that must never be seen but in one header.
pub(super) const CANARY: &str = "sk-canary-123";

pub(super) fn backend(endpoint: HttpEndpoint) -> HttpBackend {
    HttpBackend::new(endpoint, chat_wire("llamacpp")).unwrap()
}

pub(super) fn said(role: Role, text: &str) -> Said {
    Said {
        what: Saying::Text {
            role,
            text: text.to_owned(),
        },
        origin: Origin::Run,
    }
}

/// Asks something of a server.
pub(super) fn ask(server: &FakeLlm) -> Asked {
    ask_at(endpoint(&server.url))
}

/// Asks a server that plays this once.
pub(super) fn ask_play(play: Play) -> Asked {
    ask(&FakeLlm::start(vec![play]))
}

pub(super) fn ask_at(endpoint: HttpEndpoint) -> Asked {
    let history = [said(Role::User, "q")];
    ask_with(
        &backend(endpoint),
        &history,
        &CancellationToken::new(),
        &mut |_| {},
    )
}

/// Asks with all that can be chosen; `look` sees each piece as it is told.
pub(super) fn ask_with(
    backend: &HttpBackend,
    history: &[Said],
    cancel: &CancellationToken,
    look: &mut (dyn FnMut(&Delta) + Send),
) -> Asked {
    let prompt = Prompt::of(history);
    let mut told = Vec::new();
    let mut tell = |delta: Delta| {
        look(&delta);
        told.push(delta);
    };
    let parameters = Map::new();
    let question = Question::plain(&prompt, "m", &parameters, cancel);
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(backend.ask(question, &mut tell));
    Asked { outcome, told }
}

impl Asked {
    /// Gives the text that was told, retries marked.
    pub(super) fn text(&self) -> String {
        self.told
            .iter()
            .map(|delta| match delta {
                Delta::Text(text) => text.clone(),
                Delta::Reasoning(text) => format!("~{text}"),
                Delta::Retrying { attempt, .. } => format!("[{attempt}]"),
                Delta::Noted(note) => format!("({note:?})"),
            })
            .collect()
    }

    /// Gives the text of a whole reply.
    pub(super) fn answer(&self) -> String {
        text_of(self.outcome.as_ref().unwrap())
    }

    pub(super) fn failure(&self) -> &AskFailure {
        self.outcome.as_ref().unwrap_err()
    }

    /// Gives kind and words of a failure, and the text that came in before it.
    pub(super) fn failed(&self) -> String {
        let failure = self.failure();
        let partial = failure.partial.as_ref();
        format!(
            "{:?}: {} / {}",
            failure.error.kind,
            failure.error.message,
            partial.map_or_else(|| "nothing".to_owned(), text_of)
        )
    }

    pub(super) fn hint(&self) -> &str {
        self.failure().error.hint.as_deref().unwrap_or_default()
    }
}

fn text_of(reply: &Reply) -> String {
    reply
        .items
        .iter()
        .map(|item| match item {
            Item::Text(text) => text.clone(),
            Item::Reasoning(reasoning) => format!("~{}", reasoning.text.as_deref().unwrap_or("")),
            Item::Call(call) => format!("<{}>", call.name.0),
        })
        .collect()
}
