//! Keys, addresses and proxies: what goes where.

use scoutai::backends::{ErrorKind, ExtraRoots, HttpBackend, Key, KeySource, ProxyChoice};
use scoutai::world::Secret;

use super::asking::{CANARY, ask, ask_at, chat_wire, endpoint};
use crate::fakellm::{FakeLlm, Play};

#[test]
fn a_key_is_in_one_header_and_in_no_error() {
    let echo = format!("Incorrect API key provided: {CANARY}; also X-Team: team-secret");
    let server = FakeLlm::start(vec![
        Play::error(401, "invalid_api_key", &echo).header("x-request-id", &format!("r-{CANARY}")),
    ]);
    let mut endpoint = endpoint(&server.url);
    endpoint.key = Some(Key::new(" sk-canary-123\r\n", KeySource::File("k".into())).unwrap());
    endpoint.headers = vec![("X-Team".into(), Secret::new("team-secret"))];
    let asked = ask_at(endpoint);
    let request = server.only_request();
    assert_eq!(
        request.header("authorization"),
        Some("Bearer sk-canary-123")
    );
    assert_eq!(request.header("x-team"), Some("team-secret"));
    assert!(!request.body.contains(CANARY));
    let error = &asked.failure().error;
    assert_eq!(
        error.message,
        format!(
            "`{}/chat/completions` answers 401 (Unauthorized): Incorrect API key provided: (key); \
             also X-Team: (key)",
            server.url
        )
    );
    assert_eq!(
        error.hint.as_deref(),
        Some("look at the key from the file `k`")
    );
    assert_eq!(error.request_id.as_deref(), Some("r-(key)"));
    assert!(!format!("{asked:?}").contains(CANARY));
}

#[test]
fn a_redirect_is_not_followed() {
    let thief = FakeLlm::start(vec![Play::text("thanks")]);
    for status in [301, 302, 307, 308] {
        let server = FakeLlm::start(vec![
            Play::body(status, "text/plain", "moved").header("location", &thief.url),
        ]);
        let asked = ask(&server);
        assert_eq!(asked.failure().error.kind, ErrorKind::Request);
        assert!(
            asked
                .failed()
                .contains(&format!("points to `{}`", thief.url)),
            "{}",
            asked.failed()
        );
    }
    assert!(thief.requests().is_empty());
}

#[test]
fn no_certificates_are_needed_for_plain_http_and_bad_ones_are_named() {
    let server = FakeLlm::start(vec![Play::text("fine")]);
    let mut endpoint = endpoint(&server.url);
    endpoint.extra_roots = Some(ExtraRoots {
        name: "ca.pem".into(),
        pem: b"no certificate".to_vec(),
    });
    let asked = ask_at(endpoint);
    assert_eq!(
        asked.failed(),
        "Connection: `ca.pem` holds no PEM certificate / nothing"
    );
}

#[test]
fn a_host_that_does_not_exist_is_told_at_once() {
    // A label of this length has no address anywhere, and no name server is asked for one.
    let mut far = endpoint(&format!("http://{}/v1", "x".repeat(70)));
    far.proxy = ProxyChoice::Direct;
    let asked = ask_at(far);
    assert_eq!(asked.failure().error.kind, ErrorKind::Connection);
    assert_eq!(asked.text(), "");
    assert!(
        asked.hint().contains("name of the host"),
        "{}",
        asked.hint()
    );
}

#[test]
fn loopback_is_not_proxied_by_the_environment() {
    let server = FakeLlm::start(vec![Play::text("direct")]);
    let proxy = FakeLlm::start(vec![Play::text("by proxy")]);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "backends::entry::child_that_asks",
            "--ignored",
            "--nocapture",
        ])
        .env("HTTP_PROXY", proxy.url.trim_end_matches("/v1"))
        .env("http_proxy", proxy.url.trim_end_matches("/v1"))
        .env("SCOUTAI_TEST_URL", &server.url)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(out.contains("direct then by proxy"), "{out}");
}

/// Asks the server on loopback, then a host that only the proxy can reach.
#[test]
#[ignore = "run by `loopback_is_not_proxied_by_the_environment`, with its environment"]
fn child_that_asks() {
    let Ok(url) = std::env::var("SCOUTAI_TEST_URL") else {
        return;
    };
    let near = ask_at(endpoint(&url)).answer();
    let far = ask_at(endpoint("http://model.invalid/v1")).answer();
    println!("{near} then {far}");
}

#[test]
fn a_proxy_that_is_named_is_used_for_everything() {
    let proxy = FakeLlm::start(vec![Play::text("by proxy")]);
    let mut far = endpoint("http://model.invalid/v1");
    far.proxy = ProxyChoice::Named(proxy.url.trim_end_matches("/v1").to_owned());
    assert_eq!(ask_at(far).answer(), "by proxy");
    assert_eq!(
        proxy.only_request().line,
        "POST http://model.invalid/v1/chat/completions HTTP/1.1"
    );
}

#[test]
fn addresses_are_completed_or_refused() {
    for base in ["", "/", "/chat/completions", "/chat/completions/"] {
        let server = FakeLlm::start(vec![Play::text("fine")]);
        let asked = ask_at(endpoint(&format!("{}{base}?api-version=1", server.url)));
        assert_eq!(asked.answer(), "fine");
        let end = if base.ends_with("s/") { "/" } else { "" };
        assert_eq!(
            server.only_request().line,
            format!("POST /v1/chat/completions{end}?api-version=1 HTTP/1.1")
        );
    }
    let refused = |url: &str| {
        let wire = chat_wire("openai");
        HttpBackend::new(endpoint(url), wire)
            .err()
            .map(|error| error.message)
    };
    assert_eq!(
        [
            refused("localhost:8080/v1"),
            refused("ftp://h/v1"),
            refused(""),
            refused("http://h/v1"),
        ],
        [
            Some("the URL of the endpoint begins with `localhost:`".to_owned()),
            Some("the URL of the endpoint begins with `ftp:`".to_owned()),
            Some("the URL of the endpoint cannot be read: relative URL without a base".to_owned()),
            None,
        ]
    );
}

#[test]
fn a_header_that_cannot_be_sent_is_refused_without_its_value() {
    let mut odd = endpoint("http://h/v1");
    odd.headers = vec![("x-team".into(), Secret::new("se\ncret"))];
    let wire = chat_wire("openai");
    assert_eq!(
        HttpBackend::new(odd, wire).err().map(|error| error.message),
        Some("the header `x-team` of the endpoint cannot be sent".to_owned())
    );
}
