//! What a run costs around the model: the time from the start of the program to the first byte of
//! its request, and the time of an append, each for small and large chats.
//!
//! Fails when an append to a large chat costs more than twice one to a small chat: what is
//! appended must not cost what is there.

#![expect(
    clippy::disallowed_methods,
    reason = "a bench arranges the world by hand"
)]
#![expect(clippy::print_stdout, reason = "figures are what a bench is for")]
#![expect(
    clippy::unwrap_used,
    reason = "a bench that cannot go on ends where it stands"
)]

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use scoutai::chat::{Message, Role};
use scoutai::run::{FileTranscript, Transcript};

/// How often each is measured; the median counts.
const TIMES: usize = 11;

/// The most that an append to a large chat may cost, in appends to a small one.
const MOST: f64 = 2.0;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().unwrap();
    let version = median(|| {
        let began = Instant::now();
        scoutai(folder.path()).arg("--version").output().unwrap();
        began.elapsed()
    });
    println!("start alone (--version)         {}", shown(version));
    for kilobytes in [1, 1_000, 10_000] {
        let chat = folder.path().join(format!("first-{kilobytes}.md"));
        let time = median(|| {
            std::fs::write(&chat, text(kilobytes)).unwrap();
            first_byte(folder.path(), &chat)
        });
        let ratio = time.as_secs_f64() / version.as_secs_f64();
        println!(
            "first byte, chat of {kilobytes:>6} kB   {}   {ratio:.1} x start alone",
            shown(time)
        );
    }
    let [small, large] = [100, 10_000].map(|kilobytes| {
        let time = append(
            &folder.path().join(format!("append-{kilobytes}.md")),
            kilobytes,
        );
        println!("append, chat of {kilobytes:>6} kB       {}", shown(time));
        time
    });
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    println!("append, ratio large : small     {ratio:.2} (at most {MOST})");
    if ratio > MOST {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Runs a chat against a listener and gives the time until the first byte of the request is there.
fn first_byte(folder: &Path, chat: &Path) -> Duration {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = folder.join("config/scoutai");
    std::fs::create_dir_all(&config).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::fs::write(
        config.join("config.toml"),
        format!("[endpoints.here]\nbackend = \"llamacpp\"\nurl = \"http://127.0.0.1:{port}/v1\"\nmodel = \"m\"\n"),
    )
    .unwrap();
    let began = Instant::now();
    let mut run = scoutai(folder)
        .args(["ask", "-q", "-e", "here", "--no-stream"])
        .arg(chat)
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut connection = accept(&listener, &mut run);
    let mut request = vec![0; 1 << 16];
    let mut length = connection.read(&mut request).unwrap();
    let time = began.elapsed();
    // The rest of the request has to be taken, or the answer would be lost with the connection.
    let head = loop {
        if let Some(end) = request[..length]
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
        {
            break String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
        }
        length += connection.read(&mut request[length..]).unwrap();
    };
    let body: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok())
        .unwrap();
    let mut left = head.len() + 4 + body - length;
    while left > 0 {
        left -= connection.read(&mut request).unwrap();
    }
    let answer =
        r#"{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}"#;
    let length = answer.len();
    write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{answer}"
    )
    .unwrap();
    assert!(run.wait().unwrap().success(), "the run failed");
    time
}

/// Waits for the connection of a run. Asks again and again, since a run that fails opens none.
fn accept(listener: &TcpListener, run: &mut Child) -> TcpStream {
    listener.set_nonblocking(true).unwrap();
    loop {
        match listener.accept() {
            Ok((connection, _)) => {
                connection.set_nonblocking(false).unwrap();
                return connection;
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("no connection: {error}"),
        }
        let ended = run.try_wait().unwrap();
        assert!(ended.is_none(), "the run ended without a request");
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// Gives the time of one append to a chat.
fn append(chat: &Path, kilobytes: usize) -> Duration {
    std::fs::write(chat, text(kilobytes)).unwrap();
    let (mut transcript, _) = FileTranscript::open(chat).unwrap();
    let mut number = 0;
    median(|| {
        number += 1;
        let record = [
            Message::new(Role::Meta, format!("inference_id={number}")),
            Message::new(Role::Assistant, "An answer.\n".repeat(20).trim_end()),
        ];
        // A file that changed a moment ago is compared as a whole before the append, since its
        // time of change could not tell a second change. Models take longer than that moment.
        std::thread::sleep(Duration::from_millis(50));
        let began = Instant::now();
        transcript.append(&record).unwrap();
        began.elapsed()
    })
}

fn scoutai(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_scoutai"));
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .stdin(Stdio::null());
    command
}

/// A chat with whole records and a question at its end.
fn text(kilobytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < kilobytes * 1000 {
        number += 1;
        text += "user:\n\n";
        text += &"A line of a question, of the length that lines have.\n".repeat(12);
        let mark = number.to_string();
        text.extend(["\nmeta: inference_id=old-", &mark, "\n\nassistant:\n\n"]);
        text += &"A line of an answer, of the length that lines have.\n".repeat(12);
        text += "\n";
    }
    text + "user:\n\nThe next question.\n"
}

fn median(mut measure: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..TIMES).map(|_| measure()).collect();
    times.sort();
    times[TIMES / 2]
}

fn shown(time: Duration) -> String {
    format!("{:>9.3} ms", time.as_secs_f64() * 1e3)
}
