//! What the wire costs: the making of a request as a chat grows round by round, for each protocol,
//! and the time from a token on the wire to the same token on stdout.
//!
//! Fails when a byte of a request of 1,000 rounds costs more than three times one of 10 rounds, which
//! is what a cost that grows faster than the chat would do, or when a token takes a millisecond.

#![expect(
    clippy::disallowed_methods,
    reason = "a bench arranges the world by hand"
)]
#![expect(clippy::print_stdout, reason = "figures are what a bench is for")]
#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot go on ends where it stands"
)]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use scoutai::backends::{Preset, Protocol, Question};
use scoutai::chat::{CallId, Origin, Role, ToolCall, ToolName, ToolOutput};
use scoutai::plan::{Prompt, Returned, Said, Saying};
use scoutai::tools::ToolDefinition;
use serde_json::{Map, json};
use tokio_util::sync::CancellationToken;

/// How often each is measured; the median counts.
const TIMES: usize = 11;

/// The most that a byte of a long request may cost, in bytes of a short one.
const MOST: f64 = 3.0;

/// The most that a token may take from the wire to stdout.
const LATEST: Duration = Duration::from_millis(1);

fn main() -> ExitCode {
    let mut fine = true;
    for protocol in Protocol::ALL {
        let wire = Preset::find("openai").unwrap().wire(protocol);
        let [short, middle, long] = [10, 100, 1000].map(|rounds| {
            let said = chat(rounds);
            let (mut bytes, cancel, parameters) = (0, CancellationToken::new(), Map::new());
            let tools = [ToolDefinition::new(
                "look",
                "Looks.",
                json!({"type": "object"}),
            )];
            let time = median(|| {
                let began = Instant::now();
                let prompt = Prompt::of(&said);
                let question = Question {
                    tools: &tools,
                    ..Question::plain(&prompt, "m", &parameters, &cancel)
                };
                bytes = wire.encode(&question).body.to_string().len();
                began.elapsed()
            });
            let each = time.as_secs_f64() * 1e9 / f64::from(u32::try_from(bytes).unwrap());
            println!(
                "{:<10} {rounds:>5} rounds  {:>9.3} ms  {bytes:>8} bytes  {each:.2} ns a byte",
                protocol.name(),
                time.as_secs_f64() * 1e3,
            );
            each
        });
        let ratio = long / short;
        println!(
            "{:<10} a byte at 100 : 10 rounds {:.2}, at 1000 : 10 rounds {ratio:.2} (at most {MOST})",
            protocol.name(),
            middle / short
        );
        fine &= ratio <= MOST;
    }
    let latency = token_latency();
    println!(
        "a token from the wire to stdout  {:.3} ms (at most {:.0} ms)",
        latency.as_secs_f64() * 1e3,
        LATEST.as_secs_f64() * 1e3
    );
    fine &= latency <= LATEST;
    if fine {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// A chat in which a model has called a tool so many times.
fn chat(rounds: usize) -> Vec<Said> {
    let mut said = vec![Saying::Text {
        role: Role::User,
        text: "Look at everything.".to_owned(),
    }];
    for round in 0..rounds {
        let id = CallId(format!("call_{round}"));
        let name = ToolName("look".to_owned());
        said.push(Saying::Call(Box::new(ToolCall {
            id: id.clone(),
            name: name.clone(),
            arguments: Map::from_iter([("at".to_owned(), json!(round))]),
        })));
        said.push(Saying::Output(Box::new(Returned::from(ToolOutput {
            id,
            name: Some(name),
            content: "A line of an output, of the length that lines have.\n".repeat(12),
            error: false,
            media: Vec::new(),
            start_timestamp: None,
            timestamp: None,
            other: Map::new(),
        }))));
    }
    let place = |what| Said {
        what,
        origin: Origin::Run,
    };
    said.into_iter().map(place).collect()
}

/// Serves tokens one by one, each when the one before has come out, and gives the median time.
fn token_latency() -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    configure(folder.path(), port);
    let mut run = Command::new(env!("CARGO_BIN_EXE_scoutai"))
        .args(["ask", "-q", "-e", "here", "Say it."])
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        .env("XDG_CONFIG_HOME", folder.path().join("config"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = run.stdout.take().unwrap();
    let (mut connection, _) = listener.accept().unwrap();
    connection.set_nodelay(true).unwrap();
    let mut request = vec![0; 1 << 16];
    let asked = connection.read(&mut request).unwrap();
    assert!(asked > 0, "the run asked nothing");
    write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let chunk = json!({"choices": [{"index": 0, "delta": {"content": "word "}}]});
            let began = Instant::now();
            write!(connection, "data: {chunk}\n\n").unwrap();
            let mut word = [0; 5];
            out.read_exact(&mut word).unwrap();
            began.elapsed()
        })
        .collect();
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    write!(connection, "data: {end}\n\ndata: [DONE]\n\n").unwrap();
    drop(connection);
    assert!(run.wait().unwrap().success(), "the run failed");
    times.sort();
    times[times.len() / 2]
}

fn configure(folder: &Path, port: u16) {
    let config = folder.join("config/scoutai");
    std::fs::create_dir_all(&config).unwrap();
    let text = format!(
        "[endpoints.here]\nbackend = \"llamacpp\"\nurl = \"http://127.0.0.1:{port}/v1\"\nmodel = \"m\"\n"
    );
    std::fs::write(config.join("config.toml"), text).unwrap();
}

fn median(mut measure: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..TIMES).map(|_| measure()).collect();
    times.sort();
    times[TIMES / 2]
}
