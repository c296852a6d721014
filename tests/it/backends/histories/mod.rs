//! Whatever was said is accepted by whoever is asked: 10,000 random questions for each protocol,
//! held to the rules of its provider.

mod asked;
mod reasons;
mod said;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestCaseError, TestRunner};
use scoutai::backends::{ModelFacts, Preset, Previous, Protocol, Question, ToolChoice, facts};
use scoutai::plan::{Prompt, Turn};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::asked::{Case, case};
use crate::strict::{Api, anthropic, chat, gemini};

/// Who is asked, and whose rules count there.
struct Asked {
    preset: &'static str,
    protocol: Protocol,
    model: &'static str,
    api: Api,
    /// Whose reasoning the histories hold: its own, and that of strangers.
    reasoning: &'static [&'static str],
    /// Fields that this provider has besides those of the rules.
    besides: &'static [&'static str],
}

const CHAT: Asked = Asked {
    preset: "openai",
    protocol: Protocol::ChatCompletions,
    model: "gpt-4.1",
    api: Api::Chat(chat::Rules::OpenAi),
    reasoning: &["openai", "anthropic", "gemini"],
    besides: &[],
};

/// `OpenAI` itself sends no reasoning in this protocol that it would want back.
const STRANGERS: Asked = Asked {
    reasoning: &["anthropic", "gemini"],
    ..CHAT
};

const LLAMACPP: Asked = Asked {
    preset: "llamacpp",
    model: "default",
    api: Api::Chat(chat::Rules::Template),
    reasoning: &["llamacpp", "openai", "anthropic"],
    ..CHAT
};

const MISTRAL: Asked = Asked {
    preset: "mistral",
    model: "mistral-large-latest",
    api: Api::Chat(chat::Rules::Mistral),
    reasoning: &["mistral", "openai", "gemini"],
    ..CHAT
};

const OPENROUTER: Asked = Asked {
    preset: "openrouter",
    model: "openrouter/auto",
    reasoning: &["openrouter", "openai", "anthropic"],
    besides: &["plugins", "reasoning", "usage"],
    ..CHAT
};

const RESPONSES: Asked = Asked {
    preset: "openai",
    protocol: Protocol::Responses,
    model: "gpt-5",
    api: Api::Responses,
    reasoning: &["openai/responses", "openai/responses", "openai"],
    besides: &[],
};

const ANTHROPIC_BUDGET: Asked = Asked {
    preset: "anthropic",
    protocol: Protocol::Anthropic,
    model: "claude-sonnet-4-5",
    api: Api::Anthropic(anthropic::Version::V2023),
    reasoning: &["anthropic", "anthropic", "gemini"],
    besides: &[],
};

const ANTHROPIC_ADAPTIVE: Asked = Asked {
    model: "claude-opus-4-8",
    ..ANTHROPIC_BUDGET
};

const GEMINI_2: Asked = Asked {
    preset: "gemini",
    protocol: Protocol::Gemini,
    model: "gemini-2.5-flash",
    api: Api::Gemini(gemini::Signatures::Free),
    reasoning: &["gemini", "gemini", "openai/responses"],
    besides: &[],
};

const GEMINI_3: Asked = Asked {
    model: "gemini-3-pro",
    api: Api::Gemini(gemini::Signatures::Wanted),
    ..GEMINI_2
};

const OLLAMA: Asked = Asked {
    preset: "ollama",
    protocol: Protocol::Ollama,
    model: "llama3.2",
    api: Api::Ollama,
    reasoning: &["ollama", "openai", "anthropic"],
    besides: &[],
};

const BEDROCK_CLAUDE: Asked = Asked {
    preset: "bedrock",
    protocol: Protocol::Bedrock,
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    api: Api::Bedrock,
    reasoning: &["bedrock", "bedrock", "anthropic"],
    besides: &[],
};

const BEDROCK_NOVA: Asked = Asked {
    model: "us.amazon.nova-2-lite-v1:0",
    ..BEDROCK_CLAUDE
};

const BEDROCK_LLAMA: Asked = Asked {
    model: "meta.llama3-3-70b-instruct-v1:0",
    ..BEDROCK_CLAUDE
};

impl Asked {
    /// Gives the body of the request; none where nothing was said that could be sent.
    fn body(&self, case: &Case, facts: &ModelFacts) -> Option<Value> {
        let prompt = Prompt::of(&case.said);
        if prompt.turns.is_empty() {
            return None;
        }
        let wire = Preset::find(self.preset).unwrap().wire(self.protocol);
        let cancel = CancellationToken::new();
        let kept = case.kept && wire.keeps_conversations();
        let answered = prompt
            .turns
            .iter()
            .rposition(|turn| matches!(turn, Turn::Assistant(_)));
        let question = Question {
            tools: &case.tools,
            format: case.format.as_ref(),
            tool_choice: case.choice.as_deref().map(ToolChoice::read),
            facts,
            web_search: case.web_search,
            keep: kept,
            previous: answered.filter(|_| kept).map(|answered| Previous {
                response_id: "resp_1",
                turns: answered + 1,
            }),
            stream: case.stream,
            ..Question::plain(&prompt, self.model, &case.parameters, &cancel)
        };
        let mut body = wire.encode(&question).body;
        for name in self.besides {
            body.as_object_mut().unwrap().remove(*name);
        }
        Some(body)
    }

    /// Gives the same so many requests each time.
    fn samples(&self, count: usize) -> Vec<Value> {
        let facts = facts(self.preset, self.model);
        let mut runner = TestRunner::deterministic();
        let cases = case(self.reasoning);
        std::iter::repeat_with(|| cases.new_tree(&mut runner).unwrap().current())
            .filter_map(|case| self.body(&case, &facts))
            .take(count)
            .collect()
    }

    /// Asks so many random questions.
    fn takes_every(&self, cases: u32) {
        let mut runner = TestRunner::new(ProptestConfig {
            cases,
            failure_persistence: None,
            ..ProptestConfig::default()
        });
        let facts = facts(self.preset, self.model);
        let outcome = runner.run(&case(self.reasoning), |case| {
            match self.body(&case, &facts) {
                None => Ok(()),
                Some(body) => match self.api.faults(&body).as_slice() {
                    [] => Ok(()),
                    faults => Err(TestCaseError::fail(format!("{faults:#?}\n{body:#}"))),
                },
            }
        });
        if let Err(failed) = outcome {
            panic!("{} {}: {failed}", self.preset, self.model);
        }
    }
}

/// Gives requests for those whose official libraries have types for them, as `API-NUMBER`.
pub(crate) fn sampled(count: usize) -> Vec<(String, Value)> {
    [
        ("chat", STRANGERS),
        ("responses", RESPONSES),
        ("anthropic", ANTHROPIC_BUDGET),
        ("anthropic", ANTHROPIC_ADAPTIVE),
        ("gemini", GEMINI_2),
        ("gemini", GEMINI_3),
        ("ollama", OLLAMA),
        ("bedrock", BEDROCK_CLAUDE),
        ("bedrock", BEDROCK_NOVA),
    ]
    .iter()
    .flat_map(|(api, asked)| {
        let samples = asked.samples(count).into_iter().enumerate();
        samples.map(move |(at, body)| (format!("{api}-{}-{at}", asked.model), body))
    })
    .collect()
}

#[test]
fn openai_takes_every_history() {
    CHAT.takes_every(2_500);
}

#[test]
fn llamacpp_takes_every_history() {
    LLAMACPP.takes_every(2_500);
}

#[test]
fn mistral_takes_every_history() {
    MISTRAL.takes_every(2_500);
}

#[test]
fn openrouter_takes_every_history() {
    OPENROUTER.takes_every(2_500);
}

#[test]
fn responses_takes_every_history() {
    RESPONSES.takes_every(5_000);
}

#[test]
fn responses_takes_every_history_without_thinking() {
    let asked = Asked {
        model: "gpt-4.1",
        ..RESPONSES
    };
    asked.takes_every(5_000);
}

#[test]
fn anthropic_takes_every_history_with_a_budget() {
    ANTHROPIC_BUDGET.takes_every(5_000);
}

#[test]
fn anthropic_takes_every_history_with_an_effort() {
    ANTHROPIC_ADAPTIVE.takes_every(5_000);
}

#[test]
fn gemini_takes_every_history() {
    GEMINI_2.takes_every(5_000);
}

#[test]
fn gemini_takes_every_history_where_calls_are_signed() {
    GEMINI_3.takes_every(5_000);
}

#[test]
fn ollama_takes_every_history() {
    OLLAMA.takes_every(5_000);
}

#[test]
fn ollama_takes_every_history_where_efforts_are_words() {
    let asked = Asked {
        model: "gpt-oss:20b",
        ..OLLAMA
    };
    asked.takes_every(5_000);
}

#[test]
fn bedrock_takes_every_history_of_claude() {
    BEDROCK_CLAUDE.takes_every(4_000);
}

#[test]
fn bedrock_takes_every_history_of_nova() {
    BEDROCK_NOVA.takes_every(3_000);
}

#[test]
fn bedrock_takes_every_history_of_others() {
    BEDROCK_LLAMA.takes_every(3_000);
}
