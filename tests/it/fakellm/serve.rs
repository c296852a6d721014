//! The least of HTTP/1.1 that a client needs.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::play::{End, Step};
use super::{Play, Rules, Seen, Stage};
use crate::strict::Api;

/// How long a closed gate holds an answer back: a client that never does what opens it is at
/// fault, and gets a broken answer instead of a test that hangs.
const GATE: Duration = Duration::from_secs(10);

pub(super) async fn listen(listener: std::net::TcpListener, stage: Arc<Stage>) {
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        let (connection, _) = listener.accept().await.unwrap();
        let stage = Arc::clone(&stage);
        // A client that goes away in the middle ends its own connection and nothing else.
        tokio::spawn(async move { drop(answer(connection, &stage).await) });
    }
}

async fn answer(mut connection: TcpStream, stage: &Stage) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let seen = read(&mut connection).await?;
    let faults = stage
        .api
        .map(|api| api.faults_of_text(&seen.body))
        .unwrap_or_default();
    stage.seen.lock().unwrap().push(seen);
    let api = stage.api.unwrap_or(Api::Chat(Rules::OpenAi));
    let play = if faults.is_empty() {
        stage
            .plays
            .lock()
            .unwrap()
            .next()
            .unwrap_or_else(|| Play::refused(api, "the script of the fake server has run out"))
    } else {
        Play::refused(api, &faults.join("; "))
    };
    perform(&mut connection, &play).await
}

async fn read(connection: &mut TcpStream) -> io::Result<Seen> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if connection.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if !bytes[0].is_ascii_uppercase() {
            // The client speaks something else, such as TLS: a plain server says so plainly.
            connection
                .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                .await?;
            return Err(io::ErrorKind::InvalidData.into());
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .and_then(|(_, value)| value.parse().ok())
        .unwrap_or(0);
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if connection.read_buf(&mut body).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Seen {
        at: Instant::now(),
        line,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

async fn perform(connection: &mut TcpStream, play: &Play) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} Played\r\n", play.status);
    for (name, value) in &play.headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("transfer-encoding: chunked\r\nconnection: close\r\n\r\n");
    // An answer of which nothing is sent breaks before its head.
    if !(play.steps.is_empty() && play.end != End::Whole) {
        connection.write_all(head.as_bytes()).await?;
    }
    for step in &play.steps {
        match step {
            Step::Bytes(bytes) if bytes.is_empty() => {}
            Step::Bytes(bytes) => {
                let mut piece = format!("{:x}\r\n", bytes.len()).into_bytes();
                piece.extend(bytes);
                piece.extend(b"\r\n");
                connection.write_all(&piece).await?;
                connection.flush().await?;
                tokio::task::yield_now().await;
            }
            Step::Wait(wait) => tokio::time::sleep(*wait).await,
            Step::Gate(gate) => match tokio::time::timeout(GATE, gate.0.acquire()).await {
                Ok(permit) => permit.expect("gates are never closed").forget(),
                Err(_) => return Ok(()),
            },
        }
    }
    match play.end {
        End::Whole => {
            connection.write_all(b"0\r\n\r\n").await?;
            connection.shutdown().await
        }
        End::Broken => connection.shutdown().await,
        End::Reset => {
            // What was sent must have arrived, or the reset takes it away.
            tokio::time::sleep(Duration::from_millis(50)).await;
            connection.set_zero_linger()
        }
        End::Silent => {
            let mut rest = Vec::new();
            connection.read_to_end(&mut rest).await.map(drop)
        }
    }
}
