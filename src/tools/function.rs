//! Closures as tools, for programs that use this library.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::{CallContext, Declaration, Effects, Executor, Output, Tool, ToolDefinition, ToolError};
use crate::chat::{Origin, ToolCall};

/// Makes a tool of a closure. It runs on a thread for blocking work, so it may take its time; what
/// it gives as an error is told to the model.
pub fn function<F>(definition: ToolDefinition, effects: Effects, run: F) -> Tool
where
    F: Fn(Map<String, Value>) -> Result<String, String> + Send + Sync + 'static,
{
    let run = Arc::new(run);
    let start = move |arguments| {
        let run = Arc::clone(&run);
        async move {
            match tokio::task::spawn_blocking(move || run(arguments)).await {
                Ok(result) => result,
                Err(failure) => match failure.try_into_panic() {
                    // The registry tells of panics, of all executors in the same words.
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => Err("the program is ending".to_owned()),
                },
            }
        }
    };
    async_function(definition, effects, start)
}

/// Makes a tool of a closure that gives a future. The future is dropped when the run is cancelled.
pub fn async_function<F, R>(definition: ToolDefinition, effects: Effects, start: F) -> Tool
where
    F: Fn(Map<String, Value>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<String, String>> + Send + 'static,
{
    Tool {
        definition,
        declared: Declaration {
            source: "program".to_owned(),
            at: Origin::Run,
        },
        executor: Arc::new(Function {
            effects,
            start: Box::new(move |arguments| Box::pin(start(arguments))),
        }),
    }
}

type Start = dyn Fn(Map<String, Value>) -> BoxFuture<'static, Result<String, String>> + Send + Sync;

struct Function {
    effects: Effects,
    start: Box<Start>,
}

impl Executor for Function {
    fn execute<'a>(
        &'a self,
        call: &'a ToolCall,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let started = (self.start)(call.arguments.clone());
            match context.cancel.run_until_cancelled(started).await {
                Some(Ok(text)) => Ok(Output {
                    content: text,
                    ..Output::default()
                }),
                Some(Err(failure)) => Err(ToolError::Tell(failure)),
                None => Err(ToolError::Tell("the call was interrupted".to_owned())),
            }
        })
    }

    fn effects(&self) -> Effects {
        self.effects
    }
}
