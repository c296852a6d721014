//! MCP in a build without the feature `mcp`: each server answers that it cannot be used.

use std::convert::Infallible;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{McpError, StdioServer};
use crate::tools::{Executor, ToolDefinition};

/// A server that runs; there is none in this build.
#[derive(Debug)]
pub struct Connection {
    never: Infallible,
}

impl Connection {
    /// Gives the name of the server.
    pub fn name(&self) -> &str {
        match self.never {}
    }

    /// Gives the tools of the server, under its own names for them.
    pub fn tools(&self) -> Vec<(ToolDefinition, Arc<dyn Executor>)> {
        match self.never {}
    }

    /// Gives what the server says about its use.
    pub fn instructions(&self) -> Option<&str> {
        match self.never {}
    }

    /// Gives what people should know of this server.
    pub fn warnings(&self) -> Vec<String> {
        match self.never {}
    }

    /// Ends the server and all that it started.
    #[expect(
        clippy::unused_async,
        reason = "the enabled half has the same signature"
    )]
    pub async fn close(self) {
        match self.never {}
    }
}

/// Says that the server cannot be used.
pub async fn connect(
    server: &StdioServer,
    _cancel: &CancellationToken,
) -> Result<Connection, McpError> {
    Err(McpError::NotBuilt {
        server: server.name.clone(),
    })
}

/// Says of each server that it cannot be used.
pub async fn connect_all(
    servers: &[StdioServer],
    _cancel: &CancellationToken,
) -> Vec<Result<Connection, McpError>> {
    servers
        .iter()
        .map(|server| {
            Err(McpError::NotBuilt {
                server: server.name.clone(),
            })
        })
        .collect()
}

/// Ends servers; there are none in this build.
pub async fn close_all(connections: Vec<Connection>) {
    if let Some(connection) = connections.into_iter().next() {
        connection.close().await;
    }
}
