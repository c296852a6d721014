//! What mocks are told, and asked, besides the protocol that they play.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::Peers;

/// A mock of the run.
pub(super) struct Mock {
    host: String,
}

impl Mock {
    /// Gives the mock whose address a variable of the run holds.
    pub(super) fn at(variable: &str) -> Mock {
        let peers = Peers::here();
        let url = peers.variable(variable);
        Mock {
            host: url.strip_prefix("http://").unwrap().to_owned(),
        }
    }

    pub(super) fn get(&self, path: &str) -> Value {
        self.send("GET", path, "")
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", path, &body.to_string())
    }

    /// Sends by HTTP/1.0, so that the answer comes in one piece.
    fn send(&self, method: &str, path: &str, body: &str) -> Value {
        let host = &self.host;
        let length = body.len();
        let mut connection = TcpStream::connect(host).unwrap();
        write!(
            connection,
            "{method} {path} HTTP/1.0\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap();
        assert!(status.starts_with('2'), "{method} {path}: {answer}");
        serde_json::from_str(body)
            .unwrap_or_else(|fault| panic!("{method} {path}: {fault}: {body}"))
    }
}

/// Makes the next request to aimock fail.
pub(super) fn next_fails(status: u16, message: &str) {
    let body = json!({"status": status, "body": {"message": message, "type": "rate_limit_error"}});
    Mock::at("SCOUTAI_AIMOCK_URL").post("/__aimock/error", &body);
}
