//! Servers: connected to, alone or together, and let go.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use rmcp::model::{
    ClientRequest, Extensions, ListToolsRequest, ListToolsRequestMethod, PaginatedRequestParams,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::call::{Live, ServerTool, raw};
use super::clean;
use super::handshake::{self, Greeted, Service};
use super::listing::{After, Listed, Listing};
use crate::mcp::{McpError, StdioServer};
use crate::tools::{Executor, ToolDefinition};

/// How long the SDK may take to let go of the pipes.
const TO_LET_GO: Duration = Duration::from_millis(500);

/// The longest instructions that are passed on.
const INSTRUCTIONS: usize = 20_000;

/// How much of a server's error goes into a message.
const SAID: usize = 300;

/// A server that runs. Dropping it kills the server and all that it started; [`Connection::close`]
/// gives it the time to end well.
pub struct Connection {
    live: Arc<Live>,
    service: Service,
    tools: Vec<Listed>,
    instructions: Option<String>,
    warnings: Vec<String>,
}

impl Connection {
    /// Gives the name of the server.
    pub fn name(&self) -> &str {
        &self.live.name
    }

    /// Gives the tools of the server, under its own names for them.
    pub fn tools(&self) -> Vec<(ToolDefinition, Arc<dyn Executor>)> {
        self.tools
            .iter()
            .map(|tool| {
                let executor: Arc<dyn Executor> = Arc::new(ServerTool {
                    live: Arc::clone(&self.live),
                    tool: tool.definition.name.0.clone(),
                    effects: tool.effects,
                });
                (tool.definition.clone(), executor)
            })
            .collect()
    }

    /// Gives what the server says about its use.
    pub fn instructions(&self) -> Option<&str> {
        self.instructions.as_deref()
    }

    /// Gives what people should know of this server: tools that were left out, and lines on its
    /// stdout that are no messages.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings
            .iter()
            .cloned()
            .chain(self.live.noise.told())
            .map(|warning| format!("the MCP server `{}`: {warning}", self.live.name))
            .collect()
    }

    /// Ends the server and all that it started. Calls after that are told that it is gone.
    pub async fn close(mut self) {
        // What matters is the end of the program, which comes next, however this goes.
        let _let_go = self.service.close_with_timeout(TO_LET_GO).await;
        self.live.process.end().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Executors in a registry may outlive this; the server must not.
        self.live.process.kill();
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection")
            .field("name", &self.live.name)
            .finish_non_exhaustive()
    }
}

/// Starts a server, greets it and asks for its tools.
pub async fn connect(
    server: &StdioServer,
    cancel: &CancellationToken,
) -> Result<Connection, McpError> {
    cancel
        .run_until_cancelled(Box::pin(connect_uncancelled(server)))
        .await
        .unwrap_or_else(|| {
            Err(McpError::Cancelled {
                server: server.name.clone(),
            })
        })
}

/// Connects to servers, all at once, and gives what became of each, in their order: a slow or
/// broken one delays or spoils no other.
pub async fn connect_all(
    servers: &[StdioServer],
    cancel: &CancellationToken,
) -> Vec<Result<Connection, McpError>> {
    join_all(servers.iter().map(|server| connect(server, cancel))).await
}

/// Ends servers, all at once.
pub async fn close_all(connections: Vec<Connection>) {
    join_all(connections.into_iter().map(Connection::close)).await;
}

async fn connect_uncancelled(server: &StdioServer) -> Result<Connection, McpError> {
    let deadline = Instant::now() + server.startup_timeout;
    let greeted = handshake::greet(server, deadline).await?;
    let mut listing = match timeout_at(deadline, list(server, &greeted.service)).await {
        Ok(listing) => listing.map_err(|answer| no_tools(server, &greeted, &answer))?,
        Err(_) => return Err(handshake::silent(server, &greeted.process, &greeted.noise)),
    };
    listing.keep_only(server)?;
    let instructions = greeted
        .service
        .peer_info()
        .and_then(|info| info.instructions.clone())
        .map(|text| {
            clean::visible(text.trim())
                .chars()
                .take(INSTRUCTIONS)
                .collect()
        })
        .filter(|text: &String| !text.is_empty());
    let live = Arc::new(Live {
        name: server.name.clone(),
        peer: greeted.service.peer().clone(),
        process: greeted.process,
        noise: greeted.noise,
        call_timeout: server.call_timeout,
        call_limit: server.call_limit,
    });
    Ok(Connection {
        live,
        service: greeted.service,
        tools: listing.tools,
        instructions,
        warnings: listing.warnings,
    })
}

/// Reads the list of tools, page by page.
async fn list(server: &StdioServer, service: &Service) -> Result<Listing, String> {
    let mut listing = Listing::default();
    let mut cursor = None;
    loop {
        let request = ListToolsRequest {
            method: ListToolsRequestMethod,
            params: Some(PaginatedRequestParams::default().with_cursor(cursor)),
            extensions: Extensions::default(),
        };
        let answer = async {
            let options = PeerRequestOptions::no_options();
            service
                .send_request_with_option(ClientRequest::ListToolsRequest(request), options)
                .await?
                .await_response()
                .await
        };
        let page = match answer.await {
            Ok(page) => raw(page),
            Err(error) if offers_none(service) => {
                listing
                    .warnings
                    .push(format!("it offers no tools: {}", words(&error)));
                return Ok(listing);
            }
            Err(error) => return Err(words(&error)),
        };
        match listing.add(page, server.annotations)? {
            After::Page(next) => cursor = Some(next),
            After::Nothing => return Ok(listing),
        }
    }
}

/// Tells whether the server said that it has no tools, in which case it may refuse the question.
fn offers_none(service: &Service) -> bool {
    service
        .peer_info()
        .is_some_and(|info| info.capabilities.tools.is_none())
}

fn words(error: &ServiceError) -> String {
    if let ServiceError::McpError(error) = error {
        clean::line(&error.message, SAID)
    } else {
        clean::line(&error.to_string(), SAID)
    }
}

fn no_tools(server: &StdioServer, greeted: &Greeted, answer: &str) -> McpError {
    McpError::NoTools {
        server: server.name.clone(),
        answer: match greeted.process.ending() {
            Some(ending) => {
                handshake::ending_in_words(Some(&ending), &greeted.process, &greeted.noise)
            }
            None => answer.to_owned(),
        },
    }
}
