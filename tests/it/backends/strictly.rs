//! Servers that are strict as the providers are, asked by the real backends and by hand.

use std::io::{Read, Write};
use std::net::TcpStream;

use scoutai::backends::{HttpBackend, Preset, Protocol};
use scoutai::chat::Role;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::asking::{ask_with, endpoint, said};
use super::golden::usual_preset;
use crate::fakellm::{FakeLlm, Rules};
use crate::strict::{Api, anthropic, gemini};

/// What the fake server says when it has taken a request and has no play for it.
const TAKEN: &str = "the script of the fake server has run out";

#[test]
fn what_each_protocol_sends_is_taken_and_the_refusal_is_told() {
    for protocol in Protocol::ALL {
        let api = Api::from_name(protocol.name()).expect("each protocol has its rules");
        let server = FakeLlm::strict_as(vec![], api);
        let wire = Preset::find(usual_preset(protocol)).unwrap().wire(protocol);
        let backend = HttpBackend::new(endpoint(&server.url), wire).unwrap();
        let history = [said(Role::System, "Be terse."), said(Role::User, "Hi.")];
        let asked = ask_with(&backend, &history, &CancellationToken::new(), &mut |_| {});
        let failed = asked.failed();
        assert!(failed.contains(TAKEN), "{}: {failed}", protocol.name());
    }
}

#[test]
fn each_server_refuses_in_its_providers_words() {
    for api in [
        Api::Chat(Rules::OpenAi),
        Api::Responses,
        Api::Anthropic(anthropic::Version::V2026),
        Api::Gemini(gemini::Signatures::Wanted),
        Api::Bedrock,
        Api::Ollama,
    ] {
        let server = FakeLlm::strict_as(vec![], api);
        let (head, body) = answer(&server, "{}");
        let faults = api.faults_of_text("{}");
        assert!(!faults.is_empty(), "{api:?}");
        assert_eq!(body, api.refusal(&faults.join("; ")), "{api:?}");
        assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
        let marked = head.contains("x-amzn-errortype: ValidationException");
        assert_eq!(marked, api == Api::Bedrock, "{head}");
        assert_eq!(server.only_request().body, "{}");
    }
}

/// Sends a body as it stands, and gives the head and the body of the answer.
fn answer(server: &FakeLlm, body: &str) -> (String, Value) {
    let host = server.url.strip_prefix("http://").unwrap();
    let host = host.split('/').next().unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    let length = body.len();
    write!(
        connection,
        "POST / HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, rest) = answer.split_once("\r\n\r\n").unwrap();
    // The body is one chunk: its length, itself, and the end.
    let (_, rest) = rest.split_once("\r\n").unwrap();
    let (json, _) = rest.split_once("\r\n").unwrap();
    (head.to_owned(), serde_json::from_str(json).unwrap())
}
