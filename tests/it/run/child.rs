//! The other process of a test: this test binary, started again to run one chat.
//!
//! The chat is that of [`super::stage`]: five rounds with two tools, and a model that gives its
//! next reply by the number of turns that it sees, so that every run of it ends the same.

use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scoutai::backends::{AskFailure, Backend, Delta, Question, Reply, Stop, Usage};
use scoutai::chat::{CallId, Message, Meta, Role, ToolCall, ToolName, ToolOutput};
use scoutai::plan::{Item, Said, Saying, Turn};
use scoutai::run::{
    Answered, Asked, Event, FileTranscript, Limits, RetryCalls, Run, RunError, Sink,
    TranscriptError, run,
};
use scoutai::tools::{self, Effects, ToolDefinition, ToolRegistry};
use scoutai::world::seam::{self, Step};
use serde_json::{Map, json};

/// The variables by which a test tells its other process what to do.
pub(crate) const CHAT: &str = "SCOUTAI_TEST_CHAT";
pub(crate) const TOOLS: &str = "SCOUTAI_TEST_TOOLS";

/// What the tools of the run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tools {
    /// Both can be run again.
    Repeatable,
    /// `bake` writes a line for each call into the ledger, and must not be run twice.
    Ledger,
    /// `look` says `waiting` and waits until its stdin is closed.
    Waiting,
}

impl Tools {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tools::Repeatable => "repeatable",
            Tools::Ledger => "ledger",
            Tools::Waiting => "waiting",
        }
    }

    fn from_name(name: &str) -> Tools {
        [Tools::Repeatable, Tools::Ledger, Tools::Waiting]
            .into_iter()
            .find(|tools| tools.name() == name)
            .unwrap()
    }
}

/// Runs the chat that a variable names, and writes beside it how that ended; does nothing in a
/// usual run of the tests.
#[test]
fn the_other_process() {
    let Ok(chat) = std::env::var(CHAT) else {
        return;
    };
    let chat = PathBuf::from(chat);
    let tools = Tools::from_name(&std::env::var(TOOLS).unwrap());
    let ending = match attempt(&chat, tools) {
        Ok(answer) => format!("answered\n{answer}"),
        Err(ending) => ending,
    };
    let mut file =
        std::fs::File::create(chat.with_extension(format!("{}.end", std::process::id())));
    file.as_mut().unwrap().write_all(ending.as_bytes()).unwrap();
}

fn attempt(chat: &Path, tools: Tools) -> Result<String, String> {
    let (mut transcript, text) = FileTranscript::open(chat).map_err(|error| {
        let in_use = matches!(error, TranscriptError::InUse { .. });
        format!("{}\n{error}", if in_use { "in use" } else { "failed" })
    })?;
    let path: Arc<Path> = Arc::from(chat);
    let read = scoutai::chat::parse(&text, &path);
    assert!(read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let mut sink = Told::default();
    let registry = registry(chat, tools);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let parameters = Map::new();
    let result = runtime.block_on(run(Run {
        said: said(&read.messages),
        asked: Asked {
            model: "cook-1",
            endpoint: "kitchen",
            format: None,
            tool_choice: None,
            parameters: &parameters,
            facts: &scoutai::backends::ModelFacts::UNKNOWN,
            web_search: false,
            keep: false,
            stream: true,
        },
        registry: &registry,
        backend: &Cook,
        transcript: &mut transcript,
        sink: &mut sink,
        limits: Limits::default(),
        retry_calls: RetryCalls::Harmless,
        answered: Answered::Keep,
        cancel: tokio_util::sync::CancellationToken::new(),
    }));
    match result {
        Ok(outcome) => Ok(outcome.answer),
        Err(error) => {
            let rescued = if let RunError::Transcript(error) = &error {
                error.rescued()
            } else {
                None
            };
            let rescued =
                rescued.map_or(String::new(), |path| std::fs::read_to_string(path).unwrap());
            Err(format!("failed\n{error}\n{rescued}\ntold: {}", sink.text))
        }
    }
}

/// Types messages that hold no directives.
fn said(messages: &[Message]) -> Vec<Said> {
    messages
        .iter()
        .map(|message| Said {
            origin: message.origin.clone(),
            what: match message.role {
                Role::FunctionCall => {
                    Saying::Call(Box::new(ToolCall::read(&message.content).unwrap()))
                }
                Role::FunctionCallOutput => {
                    Saying::Output(Box::new(ToolOutput::read(&message.content).unwrap().into()))
                }
                Role::Meta => Saying::Meta(Meta::read(&message.content)),
                Role::System
                | Role::Developer
                | Role::User
                | Role::Assistant
                | Role::Reasoning
                | Role::Directive(_) => Saying::Text {
                    role: message.role,
                    text: message.content.clone(),
                },
            },
        })
        .collect()
}

fn registry(chat: &Path, tools: Tools) -> ToolRegistry {
    let define = |name: &str| ToolDefinition::new(name, "A tool.", json!({"type": "object"}));
    let ledger = chat.with_extension("ledger");
    let look = tools::function(define("look"), Effects::ReadOnly, move |arguments| {
        if tools == Tools::Waiting {
            std::io::stdout().write_all(b"waiting\n").unwrap();
            std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
        }
        Ok(format!("seen {}", arguments["n"]))
    });
    let effects = match tools {
        Tools::Repeatable | Tools::Waiting => Effects::Repeatable,
        Tools::Ledger => Effects::Once,
    };
    let bake = tools::function(define("bake"), effects, move |arguments| {
        if tools == Tools::Ledger {
            // The seam is passed on both sides, so that the process can be killed there.
            seam::pass(Step::Write).map_err(|error| error.to_string())?;
            let mut file = OpenOptions::new()
                .append(true)
                .create(true)
                .open(&ledger)
                .unwrap();
            // One write: two calls run at the same time.
            let line = format!("{}\n", arguments["n"]);
            file.write_all(line.as_bytes()).unwrap();
            seam::pass(Step::Write).map_err(|error| error.to_string())?;
        }
        Ok(format!("baked {}", arguments["n"]))
    });
    let mut registry = ToolRegistry::new();
    assert_eq!(registry.register(look), []);
    assert_eq!(registry.register(bake), []);
    registry
}

/// A model of four rounds of calls and an answer.
struct Cook;

impl Backend for Cook {
    fn ask<'a>(
        &'a self,
        question: Question<'a>,
        tell: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, AskFailure>> {
        let round = question
            .prompt
            .turns
            .iter()
            .filter(|turn| matches!(turn, Turn::Assistant(_)))
            .count();
        let call = |tool: &str, n: usize| {
            let arguments = Map::from_iter([("n".to_owned(), n.into())]);
            Item::Call(ToolCall {
                id: CallId(format!("call_{n}")),
                name: ToolName(tool.to_owned()),
                arguments,
            })
        };
        let items = match round {
            0 => vec![Item::Text("I look.".to_owned()), call("look", 1)],
            1 => vec![call("bake", 2), call("bake", 3)],
            2 => vec![call("look", 4)],
            3 => vec![call("bake", 5), Item::Text("user: is text".to_owned())],
            _ => vec![Item::Text(ANSWER.to_owned())],
        };
        for item in &items {
            if let Item::Text(text) = item {
                tell(Delta::Text(text.clone()));
            }
        }
        Box::pin(async move {
            Ok(Reply {
                items,
                cut_calls: Vec::new(),
                stop: Stop::End,
                usage: Usage {
                    prompt: Some(10),
                    completion: Some(1),
                    ..Usage::default()
                },
                model: None,
                response_id: None,
            })
        })
    }

    fn show(&self, _: &Question<'_>) -> String {
        String::new()
    }
}

/// The answer at the end: it holds what must not be read as the format.
pub(crate) const ANSWER: &str = "Bread.\n\nsystem: is text\n```\nmeta: inference_id=1\n```";

#[derive(Default)]
struct Told {
    text: String,
}

impl Sink for Told {
    fn tell(&mut self, event: Event) {
        if let Event::Text(text) = event {
            self.text.push_str(&text);
        }
    }
}
