//! A backend that plays set answers, and a stage on which a run is tried.

use std::sync::Mutex;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::super::{
    Answered, Asked, Event, Limits, MemoryTranscript, Outcome, RetryCalls, Run, RunError, Sink, run,
};
use crate::backends::{
    AskFailure, Backend, BackendError, Delta, ErrorKind, ModelFacts, Question, Reply, Stop, Usage,
};
use crate::chat::{CallId, Message, Origin, Role, ToolCall, ToolName};
use crate::plan::{Item, Said, Saying};
use crate::tools::{self, Effects, ToolDefinition, ToolRegistry};

/// What a backend does when it is asked.
pub(super) enum Play {
    Reply(Reply),
    /// Tells these pieces, then fails.
    Fail(Vec<&'static str>, AskFailure),
    /// Tells these pieces, then waits until it is cancelled.
    Hang(Vec<&'static str>),
}

/// Plays one answer after the other, and notes what it was asked.
pub(super) struct Player {
    plays: Mutex<Vec<Play>>,
    /// For each request: how many turns its prompt had, and the tool choice.
    pub(super) asked: Mutex<Vec<(usize, Option<String>)>>,
    /// For each request: whether the conversation is to be kept, and what it goes on from.
    kept: Mutex<Vec<String>>,
    /// Whether it keeps conversations.
    pub(super) keeps: bool,
    /// Cancelled when a play hangs.
    pub(super) hangs: CancellationToken,
}

impl Player {
    pub(super) fn new(plays: Vec<Play>) -> Player {
        Player {
            plays: Mutex::new(plays),
            asked: Mutex::default(),
            kept: Mutex::default(),
            keeps: false,
            hangs: CancellationToken::new(),
        }
    }

    pub(super) fn kept(&self) -> Vec<String> {
        self.kept.lock().unwrap().clone()
    }

    pub(super) fn requests(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Backend for Player {
    fn ask<'a>(
        &'a self,
        question: Question<'a>,
        tell: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, AskFailure>> {
        self.asked.lock().unwrap().push((
            question.prompt.turns.len(),
            question.tool_choice.map(|choice| choice.to_string()),
        ));
        let all = question.prompt.turns.len();
        self.kept.lock().unwrap().push(format!(
            "{}{}",
            if question.keep { "keep, " } else { "" },
            match question.previous {
                None => format!("all of {all}"),
                Some(kept) => format!("{} from {} of {all}", kept.response_id, kept.turns),
            }
        ));
        let play = {
            let mut plays = self.plays.lock().unwrap();
            // The last one is played for ever: an endless model.
            if plays.len() == 1 {
                match &plays[0] {
                    Play::Reply(reply) => Play::Reply(reply.clone()),
                    Play::Fail(told, failure) => Play::Fail(told.clone(), failure.clone()),
                    Play::Hang(told) => Play::Hang(told.clone()),
                }
            } else {
                plays.remove(0)
            }
        };
        Box::pin(async move {
            match play {
                Play::Reply(reply) => Ok(reply),
                Play::Fail(told, failure) => {
                    for text in told {
                        tell(Delta::Text(text.to_owned()));
                    }
                    Err(failure)
                }
                Play::Hang(told) => {
                    for text in told {
                        tell(Delta::Text(text.to_owned()));
                    }
                    self.hangs.cancel();
                    question.cancel.cancelled().await;
                    Err(failure(ErrorKind::Cancelled, None))
                }
            }
        })
    }

    fn keeps_conversations(&self) -> bool {
        self.keeps
    }

    fn show(&self, _: &Question<'_>) -> String {
        String::new()
    }
}

/// Notes what it is told.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) text: String,
    pub(super) warned: Vec<String>,
    pub(super) answered: Vec<String>,
}

impl Sink for Notes {
    fn tell(&mut self, event: Event) {
        match event {
            Event::Text(text) => self.text.push_str(&text),
            Event::Warned(text) => self.warned.push(text),
            Event::Answered { text } => self.answered.push(text),
            Event::Asking { .. }
            | Event::Reasoning(_)
            | Event::Retrying { .. }
            | Event::Calling { .. }
            | Event::Returned { .. }
            | Event::Noted(_)
            | Event::Used { .. } => {}
        }
    }
}

/// Where a run is tried, and what is left of it.
pub(super) struct Stage {
    pub(super) player: Player,
    pub(super) registry: ToolRegistry,
    pub(super) transcript: MemoryTranscript,
    pub(super) notes: Notes,
    pub(super) limits: Limits,
    pub(super) facts: ModelFacts,
    pub(super) retry: RetryCalls,
    pub(super) answered: Answered,
    pub(super) tool_choice: Option<&'static str>,
    pub(super) keep: bool,
    pub(super) cancel: CancellationToken,
}

impl Stage {
    pub(super) fn new(plays: Vec<Play>) -> Stage {
        Stage {
            player: Player::new(plays),
            registry: ToolRegistry::new(),
            transcript: MemoryTranscript::default(),
            notes: Notes::default(),
            limits: Limits::default(),
            facts: ModelFacts::UNKNOWN,
            retry: RetryCalls::default(),
            answered: Answered::default(),
            tool_choice: None,
            keep: false,
            cancel: CancellationToken::new(),
        }
    }

    /// Adds a tool that gives back its arguments.
    pub(super) fn echo(mut self, name: &str, effects: Effects) -> Stage {
        let tool = tools::function(definition(name), effects, |arguments| {
            Ok(Value::Object(arguments).to_string())
        });
        assert_eq!(self.registry.register(tool), []);
        self
    }

    pub(super) async fn run(&mut self, said: Vec<Said>) -> Result<Outcome, RunError> {
        let parameters = Map::new();
        run(Run {
            said,
            asked: Asked {
                model: "cook-1",
                endpoint: "kitchen",
                format: None,
                tool_choice: self.tool_choice,
                parameters: &parameters,
                facts: &self.facts,
                web_search: false,
                keep: self.keep,
                stream: true,
            },
            registry: &self.registry,
            backend: &self.player,
            transcript: &mut self.transcript,
            sink: &mut self.notes,
            limits: self.limits,
            retry_calls: self.retry,
            answered: self.answered,
            cancel: self.cancel.clone(),
        })
        .await
    }

    /// Shows what was appended, a line for each message and a blank one after each piece, without
    /// what differs from run to run.
    pub(super) fn record(&self) -> String {
        let mut shown = String::new();
        for piece in &self.transcript.appended {
            for message in piece {
                shown.push_str(&line(message));
            }
            shown.push('\n');
        }
        shown
    }
}

fn line(message: &Message) -> String {
    let content = match message.role {
        Role::Meta => message
            .content
            .split(' ')
            .filter(|pair| !pair.starts_with("inference_id=") && !pair.starts_with("timestamp="))
            .collect::<Vec<_>>()
            .join(" "),
        Role::FunctionCallOutput => {
            let mut value: Value = serde_json::from_str(&message.content).unwrap();
            let fields = value.as_object_mut().unwrap();
            fields.remove("timestamp");
            fields.remove("start_timestamp");
            value.to_string()
        }
        Role::System
        | Role::Developer
        | Role::User
        | Role::Assistant
        | Role::FunctionCall
        | Role::Reasoning
        | Role::Directive(_) => message.content.clone(),
    };
    format!("{}: {content}\n", message.role)
}

pub(super) fn definition(name: &str) -> ToolDefinition {
    ToolDefinition::new(name, "A tool.", json!({"type": "object"}))
}

pub(super) fn failure(kind: ErrorKind, partial: Option<Reply>) -> AskFailure {
    AskFailure {
        error: BackendError {
            kind,
            message: "the oven is out".to_owned(),
            hint: Some("light it".to_owned()),
            request_id: None,
        },
        partial,
    }
}

pub(super) fn reply(items: Vec<Item>, stop: Stop) -> Reply {
    Reply {
        items,
        cut_calls: Vec::new(),
        stop,
        usage: Usage::default(),
        model: None,
        response_id: None,
    }
}

/// A reply that is one text.
pub(super) fn says(text: &str) -> Play {
    Play::Reply(reply(vec![Item::Text(text.to_owned())], Stop::End))
}

/// A reply that makes these calls.
pub(super) fn calls(calls: Vec<ToolCall>) -> Play {
    let items = calls.into_iter().map(Item::Call).collect();
    Play::Reply(reply(items, Stop::Calls))
}

pub(super) fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    ToolCall {
        id: CallId(id.to_owned()),
        name: ToolName(name.to_owned()),
        arguments,
    }
}

pub(super) fn said(what: Saying) -> Said {
    Said {
        what,
        origin: Origin::Run,
    }
}

pub(super) fn user(text: &str) -> Said {
    said(Saying::Text {
        role: Role::User,
        text: text.to_owned(),
    })
}
