//! `scoutai ask`: a chat is run, and what happens is appended.

mod additions;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use additions::Additions;

use super::args::AskArguments;
use super::events::JsonLines;
use super::exit::Exit;
use super::failure::Failure;
use super::output::Stream;
use super::progress::{Progress, Showing};
use super::report::Sources;
use super::session::{Session, trusting};
use super::tools::workbench;
use crate::backends::{Money, Question, ToolChoice};
use crate::chat::{self, Diagnostic, Keyword, Role};
use crate::plan::{Plan, Prompt, compiled, turn_begun};
use crate::run::{
    self, Answered, AnsweredBy, Asked, FileTranscript, Limits, MemoryTranscript, RetryCalls, Run,
    Transcript,
};
use crate::tools::OutputLimit;
use crate::wiring::backend::{self, Chosen};
use crate::wiring::chats::{ReadChat, seconds};
use crate::wiring::kept::show_kept;
use crate::wiring::needs::{Commands, Refresh};
use crate::wiring::tools::Workbench;
use crate::world::files::{self, Kind};

/// The chat that is run, and where what happens is written.
struct Opened {
    /// None for a question without a file.
    file: Option<PathBuf>,
    transcript: Box<dyn Transcript>,
    chat: ReadChat,
    made: Made,
}

/// A chat file that this run has made: when nothing comes to stand in it, it goes again.
struct Made(Option<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        let Made(Some(path)) = self else { return };
        if files::status(path).is_ok_and(|found| found.kind == Kind::File && found.size == 0) {
            // An empty file that stays behind does no harm.
            drop(files::remove(path));
        }
    }
}

pub(crate) async fn ask(arguments: AskArguments, session: &Session) -> Result<Exit, Failure> {
    let as_json = arguments.json;
    let result = run_chat(arguments, session).await;
    result.map_err(|failure| {
        let failure = failure.after(&session.cancel);
        if as_json {
            JsonLines::new().write(&failure.to_json());
        }
        failure
    })
}

async fn run_chat(arguments: AskArguments, session: &Session) -> Result<Exit, Failure> {
    let additions = Additions::of(&arguments, &session.cancel).await?;
    let looking = arguments.dry_run || arguments.show_request;
    let Opened {
        file,
        mut transcript,
        chat: read,
        made: _made,
    } = open(&additions, looking, session)?;
    let fleeting_url = read.chat.messages.iter().any(|message| {
        let key = chat::key_value(&message.content).map(|(key, _)| key);
        message.role == Role::Directive(Keyword::Option) && matches!(key, Some("url" | "base_url"))
    });
    let notes = near_misses(&read);
    let mut sources = Sources::here();
    sources.add(&read.path, &read.text);
    session.warn(&notes, &sources);

    let commands = if arguments.dry_run {
        Commands::Show
    } else {
        Commands::Run
    };
    let refresh = if arguments.refresh {
        Refresh::Yes
    } else {
        Refresh::No
    };
    let planning = session.planning(&arguments.trust, commands, refresh);
    let prompt = additions.unless_said(&read);
    if prompt.is_none() && !additions.prompt.is_empty() {
        session.say("the chat ends in this prompt already; it is not added again");
    }
    let prompt = prompt.unwrap_or_default();
    let extended = read.with(additions.settings.iter().chain(&prompt).cloned());
    let (mut plan, sources) = session.plan(extended, file.as_deref(), &planning).await?;
    if arguments.dry_run {
        Stream::stdout().text(&chat::print(&compiled(&plan.said)));
        return Ok(Exit::Answered);
    }
    let answered = if arguments.again {
        Answered::AskAnew
    } else {
        Answered::Keep
    };
    if let (Some(settled), Answered::Keep) = (run::settled(&plan.said), answered) {
        let answer = settled.map_err(|error| Failure::of_run(&error))?;
        return Ok(give_again(&answer, &arguments, session));
    }
    let chosen = choose(&arguments, &plan, session).await;
    if chosen.is_err() && fleeting_url && plan.options.get("url").is_none() {
        session.say("note: `option: url` holds until the next answer; write `sticky_option: url` to keep it");
    }
    let chosen = chosen?;
    for line in &chosen.used {
        session.tell_more(line);
    }
    for note in &chosen.notes {
        session.say(&format!("note: {note}"));
    }
    let lost = show_kept(&mut plan, &session.cancel).await;
    session.warn(&lost, &sources);
    let bench = workbench(&plan, sources, session).await?;
    if arguments.show_request {
        show(
            &show_request(&plan, &chosen, &bench, session, &arguments),
            session,
        );
        bench.close().await;
        return Ok(Exit::Answered);
    }
    let limits = limits(&arguments, &plan, session);
    if let Err(limit) = limits.can_hold(&chosen.model, &chosen.facts) {
        bench.close().await;
        return Err(Failure::of_run(&limit.into()));
    }
    if !prompt.is_empty() {
        transcript
            .append(&prompt)
            .map_err(|error| Failure::of_transcript(&error))?;
    }
    let run = Running {
        chosen: &chosen,
        bench: &bench,
        limits,
    };
    let result = go(&arguments, plan, run, &mut *transcript, session).await;
    bench.close().await;
    result
}

/// Opens the chat: for this run alone, or without a trace when it is only looked at.
fn open(additions: &Additions, looking: bool, session: &Session) -> Result<Opened, Failure> {
    let Some(path) = &additions.chat else {
        // What is asked without a file is looked up from the working folder.
        let place: Arc<Path> = session.settings.places.working.join("question.md").into();
        return Ok(Opened {
            file: None,
            transcript: Box::new(MemoryTranscript::default()),
            chat: ReadChat::of(place, String::new()),
            made: Made(None),
        });
    };
    let is_there = files::kind(path).is_some();
    if !is_there && additions.prompt.is_empty() {
        return Err(
            Failure::new(Exit::Chat, format!("there is no chat `{}`", path.display()))
                .hint(Some("give a prompt to begin one, or check the name")),
        );
    }
    if looking {
        let chat = if is_there {
            super::session::read(path)?
        } else {
            ReadChat::of(Arc::from(path.as_path()), String::new())
        };
        let transcript = Box::new(MemoryTranscript::default());
        return Ok(Opened {
            file: Some(path.clone()),
            transcript,
            chat,
            made: Made(None),
        });
    }
    let (transcript, text) =
        FileTranscript::open(path).map_err(|error| Failure::of_transcript(&error))?;
    let made = Made((!is_there).then(|| path.clone()));
    let real =
        files::real_path(path).map_err(|error| Failure::new(Exit::Chat, error.to_string()))?;
    let chat = ReadChat::of(real.into(), text);
    Ok(Opened {
        file: Some(path.clone()),
        transcript: Box::new(transcript),
        chat,
        made,
    })
}

/// What looks like a slip in what a person wrote since the last record: it would be sent as text.
fn near_misses(chat: &ReadChat) -> Vec<Diagnostic> {
    // Messages stand in the order of the file, so the one that holds a place is found by halving.
    let messages = &chat.chat.messages;
    let by_a_person = |at: usize| {
        let behind = messages.partition_point(|message| match message.origin.span() {
            Some(span) => span.start <= at,
            None => false,
        });
        messages[..behind].last().is_some_and(|message| {
            matches!(message.role, Role::System | Role::Developer | Role::User)
                && message.origin.span().is_some_and(|span| at <= span.end)
        })
    };
    chat::lint_last_segment(&chat.text, &chat.path)
        .into_iter()
        .filter(|found| found.at.span().is_some_and(|span| by_a_person(span.start)))
        .collect()
}

/// Gives the answer that the chat ends in.
fn give_again(answer: &str, arguments: &AskArguments, session: &Session) -> Exit {
    if arguments.json {
        JsonLines::new().write(&serde_json::json!({"event": "answered", "text": answer}));
    } else {
        let mut out = Stream::stdout();
        out.text(answer);
        if !answer.ends_with('\n') {
            out.own("\n");
        }
    }
    session.say("the chat ends in this answer already; add a question, or ask anew with `--again`");
    Exit::Answered
}

async fn choose(
    arguments: &AskArguments,
    plan: &Plan,
    session: &Session,
) -> Result<Chosen, Failure> {
    let chosen = if let Some(script) = &arguments.replay {
        backend::replay(script, plan)
    } else {
        let trusting = trusting(&arguments.trust);
        backend::choose(plan, &session.settings, trusting, &session.cancel).await
    };
    let mut chosen = chosen.map_err(|error| Failure::of_choice(&error))?;
    chosen.stream &= !arguments.no_stream;
    Ok(chosen)
}

/// Puts the body of a request on stdout, byte for byte, and what stands before it on stderr.
fn show(request: &str, session: &Session) {
    let (head, body) = request.split_once("\n\n").unwrap_or(("", request));
    session.say(head);
    let mut out = Stream::stdout();
    out.text(body);
    if out.is_terminal() {
        out.own("\n");
    }
}

fn show_request(
    plan: &Plan,
    chosen: &Chosen,
    bench: &Workbench,
    session: &Session,
    arguments: &AskArguments,
) -> String {
    let said = if arguments.again {
        run::without_answer(plan.said.clone())
    } else {
        plan.said.clone()
    };
    let prompt = Prompt::of(&said);
    let keep = plan.options.previous_response() && chosen.backend.keeps_conversations();
    let question = Question {
        prompt: &prompt,
        tools: &bench.registry.definitions(),
        model: &chosen.model,
        format: plan.options.format(),
        tool_choice: plan
            .options
            .tool_choice()
            .filter(|_| !turn_begun(&said))
            .map(ToolChoice::read),
        parameters: &chosen.parameters,
        facts: &chosen.facts,
        web_search: plan.options.web_search(),
        previous: keep
            .then(|| run::previous(&said, &prompt, &chosen.endpoint))
            .flatten(),
        keep,
        stream: chosen.stream,
        cancel: &session.cancel,
    };
    chosen.backend.show(&question)
}

/// What a run goes by.
struct Running<'a> {
    chosen: &'a Chosen,
    bench: &'a Workbench,
    limits: Limits,
}

async fn go(
    arguments: &AskArguments,
    mut plan: Plan,
    run: Running<'_>,
    transcript: &mut dyn Transcript,
    session: &Session,
) -> Result<Exit, Failure> {
    let Running {
        chosen,
        bench,
        limits,
    } = run;
    let mut people;
    let mut programs;
    let showing = if bench.registry.is_empty() {
        Showing::Live
    } else {
        Showing::Answer
    };
    let sink: &mut dyn run::Sink = if arguments.json {
        programs = JsonLines::new();
        &mut programs
    } else {
        people = Progress::new(session.talk, showing);
        &mut people
    };
    let asked = Asked {
        model: &chosen.model,
        endpoint: &chosen.endpoint,
        format: plan.options.format(),
        tool_choice: plan.options.tool_choice(),
        parameters: &chosen.parameters,
        facts: &chosen.facts,
        web_search: plan.options.web_search(),
        keep: plan.options.previous_response(),
        stream: chosen.stream,
    };
    let outcome = run::run(Run {
        // A chat may be large: it is handed over and not copied.
        said: std::mem::take(&mut plan.said),
        asked,
        registry: &bench.registry,
        backend: &*chosen.backend,
        transcript,
        sink,
        limits,
        retry_calls: if arguments.retry_calls {
            RetryCalls::All
        } else {
            RetryCalls::Harmless
        },
        answered: if arguments.again {
            Answered::AskAnew
        } else {
            Answered::Keep
        },
        cancel: session.cancel.clone(),
    })
    .await;
    match outcome {
        Ok(outcome) => {
            match outcome.by {
                AnsweredBy::ThisRun => {}
                AnsweredBy::EarlierRun => {
                    return Ok(give_again(&outcome.answer, arguments, session));
                }
            }
            Ok(Exit::Answered)
        }
        Err(error) => Err(Failure::of_run(&error)),
    }
}

/// The limits: flags first, then the chat, then the configuration.
fn limits(arguments: &AskArguments, plan: &Plan, session: &Session) -> Limits {
    let mut limits = Limits::default();
    let set = &session.settings.config.limits;
    let in_chat = |key: &str| plan.options.count(key);
    if let Some(rounds) = arguments
        .max_rounds
        .or_else(|| in_chat("max_rounds").and_then(|rounds| u32::try_from(rounds).ok()))
        .or(set.max_rounds)
    {
        limits.rounds = rounds;
    }
    limits.tokens = arguments
        .max_run_tokens
        .or_else(|| in_chat("max_run_tokens"))
        .or(set.max_run_tokens);
    limits.cost = arguments
        .max_cost
        .or_else(|| plan.options.amount("max_cost"))
        .or(set.max_cost)
        .and_then(Money::from_dollars);
    limits.time = seconds(arguments.timeout.or(set.max_time));
    if let Some(max_chars) = in_chat("max_content_length")
        .and_then(|chars| usize::try_from(chars).ok())
        .or(set.max_output)
    {
        limits.output = OutputLimit { max_chars };
    }
    limits
}
