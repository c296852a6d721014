//! The greeting, in both eras of the protocol.
//!
//! Revisions up to 2025-11-25 greet with `initialize`; 2026-07-28 has no greeting, and each request
//! carries what it needs. Nearly all servers know the first, so that is tried first, with a revision
//! that has it; a server that refuses it is started afresh for the second. The SDK's own probe is
//! not used: it waits for silent servers, and fails with ones that start slowly, answer it oddly or
//! end at an unknown message.

use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, InitializeRequestParams, ProtocolVersion,
};
use rmcp::service::{ClientInitializeError, ClientLifecycleMode, RunningService};
use rmcp::{ClientServiceExt, RoleClient};
use tokio::time::{Instant, timeout_at};

use super::clean;
use super::process::{Ending, Process};
use super::transport::{Noise, StdioTransport};
use crate::mcp::{McpError, StdioServer, command_line};

/// The running half of the SDK.
pub(super) type Service = RunningService<RoleClient, ClientConfig>;

/// How long a server that closed its stdout may take to end.
const TO_END: Duration = Duration::from_secs(1);

/// How much of a server's words goes into a message.
const SAID: usize = 300;

/// How a connection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    Greeted,
    Ungreeted,
}

/// A server that was started and greeted.
pub(super) struct Greeted {
    pub(super) process: Process,
    pub(super) service: Service,
    pub(super) noise: Noise,
}

/// Starts a server and greets it, by the deadline.
pub(super) async fn greet(server: &StdioServer, deadline: Instant) -> Result<Greeted, McpError> {
    let refusal = match attempt(server, Era::Greeted, deadline).await {
        Ok(greeted) => return Ok(greeted),
        Err(refusal) => refusal,
    };
    if refusal.other_era == OtherEra::NotWorthIt {
        return Err(refusal.error);
    }
    attempt(server, Era::Ungreeted, deadline)
        .await
        // What the server said to the usual greeting tells people more.
        .map_err(|_| refusal.error)
}

/// Why a greeting failed, and whether the other era may do better.
struct Refusal {
    error: McpError,
    other_era: OtherEra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherEra {
    WorthATry,
    NotWorthIt,
}

async fn attempt(server: &StdioServer, era: Era, deadline: Instant) -> Result<Greeted, Refusal> {
    let final_ = |error| Refusal {
        error,
        other_era: OtherEra::NotWorthIt,
    };
    let (process, pipes) =
        Process::start(server).map_err(|error| final_(started(server, &error)))?;
    let noise = Noise::default();
    let transport = StdioTransport::new(pipes, noise.clone());
    let greeting = client(era).serve_with_lifecycle(transport, lifecycle(era));
    match timeout_at(deadline, greeting).await {
        Ok(Ok(service)) => Ok(Greeted {
            process,
            service,
            noise,
        }),
        Ok(Err(error)) => Err(refused(server, &error, &process, &noise).await),
        Err(_) => Err(final_(silent(server, &process, &noise))),
    }
}

/// Says that a server was not ready in time.
pub(super) fn silent(server: &StdioServer, process: &Process, noise: &Noise) -> McpError {
    McpError::Silent {
        server: server.name.clone(),
        command: command_line(&server.command),
        limit: server.startup_timeout,
        said: said(process, noise),
    }
}

/// Tells how a server ended, or that it has not, and what it said last.
pub(super) fn ending_in_words(ending: Option<&Ending>, process: &Process, noise: &Noise) -> String {
    let how = match ending {
        Some(ending) => ending.status.as_str(),
        None => "it closed its stdout",
    };
    format!("{how}; {}", said(process, noise))
}

fn said(process: &Process, noise: &Noise) -> String {
    match process.last_words().or_else(|| noise.first()) {
        Some(words) => format!("its last words: {words}"),
        None => "it said nothing".to_owned(),
    }
}

fn client(era: Era) -> ClientConfig {
    let own = Implementation::new("scoutai", env!("CARGO_PKG_VERSION"));
    InitializeRequestParams::new(ClientCapabilities::default(), own).with_protocol_version(
        match era {
            // The SDK's default offers a revision that has no greeting in the greeting.
            Era::Greeted => ProtocolVersion::LATEST_WITH_INITIALIZE,
            Era::Ungreeted => ProtocolVersion::LATEST,
        },
    )
}

fn lifecycle(era: Era) -> ClientLifecycleMode {
    match era {
        Era::Greeted => ClientLifecycleMode::Initialize,
        Era::Ungreeted => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::LATEST],
        },
    }
}

fn started(server: &StdioServer, error: &std::io::Error) -> McpError {
    let name = server.name.clone();
    match server.command.first() {
        None => McpError::NoCommand { server: name },
        Some(program) if error.kind() == std::io::ErrorKind::NotFound => McpError::NotFound {
            server: name,
            program: program.clone(),
        },
        Some(_) => McpError::Start {
            server: name,
            command: command_line(&server.command),
            reason: error.to_string(),
        },
    }
}

/// Puts a failed greeting into our words: the SDK's name neither the server nor its program.
async fn refused(
    server: &StdioServer,
    error: &ClientInitializeError,
    process: &Process,
    noise: &Noise,
) -> Refusal {
    if !matches!(
        error,
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }
    ) {
        return Refusal {
            error: McpError::Refused {
                server: server.name.clone(),
                command: command_line(&server.command),
                answer: answer(error),
            },
            other_era: OtherEra::WorthATry,
        };
    }
    let ending = process.ending_within(TO_END).await;
    Refusal {
        // A server that ends with a failure has crashed and would again; one that ends well may
        // have left at a greeting that it does not know.
        other_era: match &ending {
            Some(ending) if ending.success => OtherEra::WorthATry,
            Some(_) | None => OtherEra::NotWorthIt,
        },
        error: McpError::Ended {
            server: server.name.clone(),
            command: command_line(&server.command),
            ending: ending_in_words(ending.as_ref(), process, noise),
        },
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the SDK's errors are open to more, and its own words do for those"
)]
fn answer(error: &ClientInitializeError) -> String {
    let text = match error {
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::NoCompatibleProtocolVersion {
            server_supported, ..
        } => format!(
            "it speaks only the revisions {}",
            server_supported
                .iter()
                .map(ProtocolVersion::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        ),
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "its answer to the greeting does not fit the protocol".to_owned()
        }
        other => other.to_string(),
    };
    clean::line(&text, SAID)
}
