//! `scoutai tools` and `scoutai call`: the tools of a chat, without a model.

use serde_json::{Value, json};

use super::args::{CallArguments, ToolsArguments, TrustArguments};
use super::exit::Exit;
use super::failure::Failure;
use super::output::Stream;
use super::report::Sources;
use super::session::{Session, read};
use crate::chat::{CallId, ToolCall, ToolName};
use crate::mcp;
use crate::tools::{CallContext, ToolError};
use crate::wiring::needs::{Commands, Refresh};
use crate::wiring::tools::Workbench;

pub(crate) async fn list(arguments: &ToolsArguments, session: &Session) -> Result<Exit, Failure> {
    let bench = set_up(&arguments.chat, &arguments.trust, session).await?;
    let definitions = bench.registry.definitions();
    bench.close().await;
    if definitions.is_empty() {
        session.say("the chat has no tools");
    }
    let mut out = Stream::stdout();
    if arguments.json {
        let all: Vec<Value> = definitions
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name.0,
                    "description": tool.description,
                    "parameters": tool.parameters,
                })
            })
            .collect();
        out.own(&format!("{:#}\n", Value::Array(all)));
    } else {
        for tool in &definitions {
            let first = tool.description.lines().next().unwrap_or_default();
            out.line(&format!("{}  {first}", tool.name.0));
        }
    }
    Ok(Exit::Answered)
}

pub(crate) async fn call(arguments: &CallArguments, session: &Session) -> Result<Exit, Failure> {
    let given = match serde_json::from_str(&arguments.arguments) {
        Ok(Value::Object(given)) => given,
        Ok(_) => {
            return Err(Failure::new(
                Exit::Usage,
                "the arguments are JSON, but not an object",
            ));
        }
        Err(error) => {
            return Err(
                Failure::new(Exit::Usage, format!("the arguments are not JSON: {error}"))
                    .hint(Some("write an object such as '{\"city\": \"Oslo\"}'")),
            );
        }
    };
    let bench = set_up(&arguments.chat, &arguments.trust, session).await?;
    let call = ToolCall {
        id: CallId("call_1".to_owned()),
        name: ToolName(arguments.tool.clone()),
        arguments: given,
    };
    let context = CallContext {
        cancel: session.cancel.clone(),
    };
    let result = bench.registry.call(&call, &context).await;
    bench.close().await;
    match result {
        Ok(output) => {
            Stream::stdout().line(&output.content);
            for media in &output.media {
                session.say(&format!("({} bytes of {})", media.bytes.len(), media.mime));
            }
            Ok(if output.error {
                Exit::Failed
            } else {
                Exit::Answered
            })
        }
        Err(ToolError::Tell(message)) => Err(Failure::new(Exit::Failed, message)),
        Err(ToolError::Stop { message, hint }) => {
            Err(Failure::new(Exit::Failed, message).hint(hint))
        }
    }
}

/// Plans a chat, its commands not run, and starts what gives its tools.
async fn set_up(
    path: &std::path::Path,
    trust: &TrustArguments,
    session: &Session,
) -> Result<Workbench, Failure> {
    let planning = session.planning(trust, Commands::Show, Refresh::No);
    let (plan, sources) = session.plan(read(path)?, Some(path), &planning).await?;
    workbench(&plan, sources, session).await
}

/// Starts what gives the tools of a plan, each program named first.
pub(crate) async fn workbench(
    plan: &crate::plan::Plan,
    sources: Sources,
    session: &Session,
) -> Result<Workbench, Failure> {
    for source in &plan.tools {
        let crate::plan::ToolSource::McpStdio { command, .. } = &source.value;
        session.say(&format!("starting `{}`", mcp::command_line(command)));
    }
    match Workbench::set_up(&plan.tools, &session.settings, &session.cancel).await {
        Ok(bench) if session.cancel.is_cancelled() => {
            bench.close().await;
            Err(Failure::new(Exit::Interrupted, "interrupted"))
        }
        Ok(bench) => {
            session.warn(&bench.warnings, &sources);
            Ok(bench)
        }
        Err(missing) => Err(Failure::at(Exit::Failed, vec![missing.diagnostic], sources)),
    }
}
