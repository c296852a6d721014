//! Calls of a server's tools.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest, RequestId,
    ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::time::timeout;

use super::process::Process;
use super::transport::Noise;
use super::{clean, handshake, result};
use crate::chat::ToolCall;
use crate::tools::{CallContext, Effects, Executor, Output, ToolError};

/// How long the end of a server that broke the connection is waited for.
const TO_END: Duration = Duration::from_secs(1);

/// How long telling a server of a cancelled call may take.
const TO_CANCEL: Duration = Duration::from_millis(500);

/// How much of a server's error the model is told.
const SAID: usize = 2000;

/// A server that runs, as its tools share it.
pub(super) struct Live {
    pub(super) name: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) process: Process,
    pub(super) noise: Noise,
    /// The longest silence, and the longest time, of a call.
    pub(super) call_timeout: Duration,
    pub(super) call_limit: Duration,
}

/// Runs the calls of one tool of a server.
pub(super) struct ServerTool {
    pub(super) live: Arc<Live>,
    /// The server's own name for it.
    pub(super) tool: String,
    pub(super) effects: Effects,
}

impl Executor for ServerTool {
    fn execute<'a>(
        &'a self,
        call: &'a ToolCall,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move { self.call(call, context).await.map_err(ToolError::Tell) })
    }

    fn effects(&self) -> Effects {
        self.effects
    }
}

impl ServerTool {
    async fn call(&self, call: &ToolCall, context: &CallContext) -> Result<Output, String> {
        if self.live.process.ending().is_some() {
            return Err(self.live.gone().await);
        }
        let parameters =
            CallToolRequestParams::new(self.tool.clone()).with_arguments(call.arguments.clone());
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(parameters));
        let options = PeerRequestOptions::with_timeout(self.live.call_timeout)
            .reset_timeout_on_progress()
            .with_max_total_timeout(self.live.call_limit);
        let sent = self.live.peer.send_request_with_option(request, options);
        let Some(sent) = context.cancel.run_until_cancelled(sent).await else {
            return Err(interrupted());
        };
        let handle = match sent {
            Ok(handle) => handle,
            Err(error) => return Err(self.failure(error).await),
        };
        let mut open = OpenCall {
            peer: self.live.peer.clone(),
            id: Some(handle.id.clone()),
        };
        let answer = context
            .cancel
            .run_until_cancelled(handle.await_response())
            .await;
        match answer {
            None => {
                open.cancel().await;
                Err(interrupted())
            }
            Some(Ok(answer)) => {
                open.close();
                result::output(raw(answer))
                    .map_err(|why| format!("the tool `{}` gave no result: {why}", self.shown()))
            }
            Some(Err(error)) => {
                open.close();
                Err(self.failure(error).await)
            }
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the SDK's errors are open to more, and its own words do for those"
    )]
    async fn failure(&self, error: ServiceError) -> String {
        let server = &self.live.name;
        match error {
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                self.live.gone().await
            }
            ServiceError::McpError(error) => format!(
                "the MCP server `{server}` refused the call: {}",
                clean::line(&error.message, SAID)
            ),
            ServiceError::Timeout { timeout } => format!(
                "the tool `{}` of the MCP server `{server}` gave no result within {} s, and the \
                 call was cancelled",
                self.shown(),
                timeout.as_secs_f64()
            ),
            other => format!("the call to the MCP server `{server}` failed: {other}"),
        }
    }

    fn shown(&self) -> String {
        clean::line(&self.tool, 80)
    }
}

impl Live {
    /// Tells that the server is no longer there.
    async fn gone(&self) -> String {
        let ending = self.process.ending_within(TO_END).await;
        format!(
            "the MCP server `{}` ended, and its tools cannot be used any more: {}",
            self.name,
            handshake::ending_in_words(ending.as_ref(), &self.process, &self.noise)
        )
    }
}

/// A call that the server still works on. Dropping it tells the server to stop.
struct OpenCall {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl OpenCall {
    fn close(&mut self) {
        self.id = None;
    }

    async fn cancel(&mut self) {
        if let Some(id) = self.id.take() {
            cancel(self.peer.clone(), id).await;
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if let Some(id) = self.id.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            drop(runtime.spawn(cancel(self.peer.clone(), id)));
        }
    }
}

async fn cancel(peer: Peer<RoleClient>, id: RequestId) {
    let told =
        CancelledNotificationParam::new(Some(id), Some("the run was interrupted".to_owned()));
    // A server that does not hear it any more has no call to stop.
    let _heard = timeout(TO_CANCEL, peer.notify_cancelled(told)).await;
}

fn interrupted() -> String {
    "the call was interrupted".to_owned()
}

/// Gives the JSON of an answer; the transport leaves those of calls and lists as they came.
pub(super) fn raw(answer: ServerResult) -> Value {
    if let ServerResult::CustomResult(custom) = answer {
        custom.0
    } else {
        serde_json::to_value(answer).unwrap_or_default()
    }
}
