//! MCP servers, good and bad: a scripted one in Python (`fakemcp.py`) plays them.

mod calls;
mod ends;
mod starts;

use std::path::{Path, PathBuf};
use std::time::Duration;

use scoutai::chat::{CallId, Origin, ToolCall, ToolName};
use scoutai::mcp::{self, Connection, StdioServer};
use scoutai::tools::{CallContext, Declaration, Output, Tool, ToolError, ToolRegistry};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A scripted server and what it writes down.
struct Fake {
    folder: tempfile::TempDir,
    server: StdioServer,
}

impl Fake {
    fn new(modes: &[&str]) -> Fake {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/fakemcp.py");
        let log = folder.path().join("log");
        let mut command = vec![
            "python3".to_owned(),
            script.display().to_string(),
            log.display().to_string(),
        ];
        command.extend(modes.iter().map(|&mode| mode.to_owned()));
        let mut server = StdioServer::new("fake", command);
        folder.path().clone_into(&mut server.folder);
        server.environment = vec![
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
            ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
        ];
        Fake { folder, server }
    }

    async fn connect(&self) -> Connection {
        mcp::connect(&self.server, &CancellationToken::new())
            .await
            .unwrap()
    }

    async fn refused(&self) -> String {
        let refused = mcp::connect(&self.server, &CancellationToken::new()).await;
        // The folder's path is another in each run.
        refused
            .unwrap_err()
            .to_string()
            .replace(&self.command_line(), "COMMAND")
    }

    fn command_line(&self) -> String {
        self.server.command.join(" ")
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn log(&self) -> Vec<String> {
        std::fs::read_to_string(self.log_file())
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    async fn until_logged(&self, line: &str) {
        until(|| self.log().iter().any(|logged| logged == line)).await;
    }

    /// Waits until each process that the server told of is gone.
    async fn until_gone(&self) {
        let started: Vec<String> = self
            .log()
            .iter()
            .filter_map(|line| line.strip_prefix("pid ").map(str::to_owned))
            .collect();
        assert_ne!(started, Vec::<String>::new());
        until(|| started.iter().all(|pid| is_gone(pid))).await;
    }
}

/// Waits for something that is to come soon.
async fn until(mut holds: impl FnMut() -> bool) {
    let waited = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waited)
        .await
        .expect("what was waited for did not come");
}

/// Tells whether a process runs no more; one that is dead but not yet collected is gone too.
fn is_gone(pid: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat
            .rsplit_once(')')
            .is_some_and(|(_, rest)| rest.trim_start().starts_with(['Z', 'X'])),
        Err(_) => true,
    }
}

fn registry(connection: &Connection) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for (definition, executor) in connection.tools() {
        let warnings = registry.register(Tool {
            definition,
            declared: Declaration {
                source: connection.name().to_owned(),
                at: Origin::Run,
            },
            executor,
        });
        assert_eq!(warnings, []);
    }
    registry
}

fn calling(name: &str, arguments: &Value) -> ToolCall {
    ToolCall {
        id: CallId("1".to_owned()),
        name: ToolName(name.to_owned()),
        arguments: arguments.as_object().unwrap().clone(),
    }
}

async fn call(registry: &ToolRegistry, name: &str, arguments: &Value) -> Result<Output, ToolError> {
    registry
        .call(&calling(name, arguments), &CallContext::default())
        .await
}

#[expect(clippy::unnecessary_wraps, reason = "it stands beside what calls give")]
fn says(content: &str) -> Result<Output, ToolError> {
    Ok(Output {
        content: content.to_owned(),
        ..Output::default()
    })
}

fn tells(told: &str) -> Result<Output, ToolError> {
    Err(ToolError::Tell(told.to_owned()))
}
