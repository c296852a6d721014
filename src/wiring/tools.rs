//! The tools that a chat declares, gathered into one registry.

use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::chats::seconds;
use super::settings::Settings;
use crate::chat::{Diagnostic, Severity};
use crate::mcp::{self, Connection, McpError, StdioServer};
use crate::plan::{Declared, ToolSource};
use crate::tools::{Declaration, Tool, ToolRegistry};
use crate::world::processes::child_environment;

/// The tools of a chat, with the servers that keep them alive.
#[derive(Default)]
pub struct Workbench {
    pub registry: ToolRegistry,
    connections: Vec<Connection>,
    /// What people should know: servers that did not start, tools that were left out.
    pub warnings: Vec<Diagnostic>,
}

/// A source whose tools were asked for by name, and that cannot give them.
#[derive(Debug)]
pub struct Missing {
    pub diagnostic: Diagnostic,
}

impl Workbench {
    /// Starts every server at once and registers its tools in the order of the declarations. A
    /// server that does not start is a warning, unless tools of it were asked for by name.
    pub async fn set_up(
        sources: &[Declared<ToolSource>],
        settings: &Settings,
        cancel: &CancellationToken,
    ) -> Result<Workbench, Missing> {
        let mut bench = Workbench::default();
        let servers: Vec<StdioServer> = sources
            .iter()
            .map(|source| server(&source.value, settings))
            .collect();
        let started = mcp::connect_all(&servers, cancel).await;
        let mut missing = None;
        for ((source, server), connection) in sources.iter().zip(&servers).zip(started) {
            match connection {
                Ok(connection) => bench.register(source, connection),
                Err(error) if server.only.is_empty() => {
                    bench
                        .warnings
                        .push(failed(source, &error, Severity::Warning));
                }
                Err(error) => {
                    missing.get_or_insert(failed(source, &error, Severity::Error));
                }
            }
        }
        match missing {
            None => Ok(bench),
            Some(diagnostic) => {
                bench.close().await;
                Err(Missing { diagnostic })
            }
        }
    }

    fn register(&mut self, source: &Declared<ToolSource>, connection: Connection) {
        for warning in connection.warnings() {
            self.warnings
                .push(told(source, warning, None, Severity::Warning));
        }
        for (definition, executor) in connection.tools() {
            let declared = Declaration {
                source: connection.name().to_owned(),
                at: source.at.clone(),
            };
            self.warnings.extend(self.registry.register(Tool {
                definition,
                declared,
                executor,
            }));
        }
        self.connections.push(connection);
    }

    /// Ends every server.
    pub async fn close(self) {
        mcp::close_all(self.connections).await;
    }
}

fn server(source: &ToolSource, settings: &Settings) -> StdioServer {
    let ToolSource::McpStdio {
        command,
        only,
        folder,
    } = source;
    let limits = &settings.config.limits;
    let name = command.first().map_or("mcp", |program| {
        Path::new(program)
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or(program)
    });
    let mut server = StdioServer::new(name, command.clone());
    server.folder.clone_from(folder);
    server.only.clone_from(only);
    server.environment = child_environment(&settings.environment, &settings.config.pass_env);
    let set = |to: &mut Duration, from: Option<f64>| {
        if let Some(time) = seconds(from) {
            *to = time;
        }
    };
    set(&mut server.startup_timeout, limits.startup_timeout);
    set(&mut server.call_timeout, limits.tool_timeout);
    server
}

fn failed(source: &Declared<ToolSource>, error: &McpError, severity: Severity) -> Diagnostic {
    told(source, error.to_string(), error.hint(), severity)
}

fn told(
    source: &Declared<ToolSource>,
    message: String,
    hint: Option<String>,
    severity: Severity,
) -> Diagnostic {
    Diagnostic {
        at: source.at.clone(),
        severity,
        code: "mcp-server",
        message,
        hint,
        also: Vec::new(),
    }
}
