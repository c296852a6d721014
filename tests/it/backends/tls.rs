//! Certificates: whom the sender trusts.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use scoutai::backends::{ErrorKind, ExtraRoots};

use super::asking::{Asked, ask_at, endpoint};
use crate::fakellm::FakeLlm;

const AUTHORITY: &[u8] = include_bytes!("../../../fixtures/tls/authority.pem");
const CERTIFICATE: &[u8] = include_bytes!("../../../fixtures/tls/localhost.pem");
const KEY: &[u8] = include_bytes!("../../../fixtures/tls/localhost.key");

/// Asks a server that speaks TLS at an address, once; it ends when the client does.
fn ask_safely(host: &str, address: &str, roots: ExtraRoots) -> Asked {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_slice(KEY).unwrap(),
        )
        .unwrap();
    let server = std::thread::spawn(move || -> std::io::Result<()> {
        let (connection, _) = listener.accept()?;
        let session = ServerConnection::new(Arc::new(config)).map_err(std::io::Error::other)?;
        let mut stream = StreamOwned::new(session, connection);
        // The whole request is short enough to come at once, head and body.
        let mut request = [0; 4096];
        let mut read = 0;
        while !request[..read].ends_with(b"}") {
            read += stream.read(&mut request[read..])?;
        }
        let body = r#"{"choices":[{"message":{"content":"safe"},"finish_reason":"stop"}]}"#;
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}"
        )?;
        stream.flush()
    });
    let mut endpoint = endpoint(&format!("https://{host}:{port}/v1"));
    endpoint.extra_roots = Some(roots);
    endpoint.limits.tries = 1;
    let asked = ask_at(endpoint);
    // A client that trusts nobody ends the connection, which is an error on this side.
    drop(server.join().expect("the server does not panic"));
    asked
}

fn authority() -> ExtraRoots {
    ExtraRoots {
        name: "authority.pem".into(),
        pem: AUTHORITY.to_vec(),
    }
}

#[test]
fn an_authority_of_ones_own_is_trusted_when_it_is_named() {
    assert_eq!(
        ask_safely("localhost", "127.0.0.1", authority()).answer(),
        "safe"
    );
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let asked = ask_safely("127.0.0.2", "127.0.0.2", authority());
    assert_eq!(asked.failure().error.kind, ErrorKind::Connection);
    assert!(
        asked.failed().contains("no safe connection to `127.0.0.2:"),
        "{}",
        asked.failed()
    );
    assert!(asked.hint().contains("`ca_file`"));
}

#[test]
fn a_server_that_speaks_no_tls_is_told() {
    let server = FakeLlm::start(vec![]);
    let mut endpoint = endpoint(&server.url.replace("http:", "https:"));
    endpoint.extra_roots = Some(authority());
    let asked = ask_at(endpoint);
    assert!(
        asked.failed().contains("no safe connection"),
        "{}",
        asked.failed()
    );
    assert!(server.requests().is_empty());
}
