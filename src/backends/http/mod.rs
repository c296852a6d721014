//! The one way to ask over HTTP: a wire, an endpoint, and retries.
//!
//! Always true here: nothing is sent again once text was shown; no redirect is followed; the key
//! and other secret headers are masked in every error.

mod answer;
mod body;
pub(super) mod client;
mod key;
mod list;
mod retry;

mod once;

pub use key::{Key, KeySource};

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};
use tokio_util::sync::CancellationToken;

use super::{
    Again, AskFailure, Backend, BackendError, Colons, Delta, ErrorKind, Failure, KeyHeader,
    ModelList, Note, Question, Reply, Route, Wire,
};
use crate::world::Secret;

/// Where to ask, and how patiently.
#[derive(Debug, Clone)]
pub struct HttpEndpoint {
    /// The base, such as `https://host/v1`; the wire adds its own path unless it stands there.
    pub url: String,
    pub key: Option<Key>,
    /// What makes headers for each request that depend on all of it, such as a signature.
    pub signer: Option<Arc<dyn Signer>>,
    /// Further headers; their values are treated like keys.
    pub headers: Vec<(String, Secret)>,
    pub proxy: ProxyChoice,
    /// Certificates of authorities besides the system's.
    pub extra_roots: Option<ExtraRoots>,
    pub limits: HttpLimits,
}

/// One request, ready to be sent.
#[derive(Debug)]
pub struct Request {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    /// Shared by all tries: it may be large.
    pub body: Bytes,
    /// Tells whether the reply was asked for as a stream.
    pub(super) streams: bool,
    /// What could not be said as it was asked.
    notes: Vec<Note>,
}

/// Makes headers that depend on the whole request.
pub trait Signer: Send + Sync + std::fmt::Debug {
    /// Gives the headers to add; they may be secret and are not shown.
    fn sign<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<HeaderMap, Failure>>;

    /// Says what it signs with, for people.
    fn source(&self) -> String;

    /// Gives what it has signed with and nobody may read: servers repeat what they were sent.
    fn secrets(&self) -> Vec<Secret>;
}

/// Which proxy stands between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyChoice {
    /// What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say; none for loopback.
    Environment,
    Direct,
    /// This one, for everything.
    Named(String),
}

/// Certificates of authorities from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraRoots {
    /// The name of the file, for errors.
    pub name: String,
    pub pem: Vec<u8>,
}

/// How long to wait, and how often to try. There is no limit on the whole: answers may be long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpLimits {
    /// For the connection.
    pub connect: Duration,
    /// For the next byte, once connected.
    pub idle: Duration,
    /// The most tries in all.
    pub tries: u32,
    /// The first wait between tries, which doubles each time.
    pub first_wait: Duration,
    /// The longest wait that a server may ask for; the waits of one question together stay below
    /// twice this.
    pub longest_wait: Duration,
}

impl Default for HttpLimits {
    fn default() -> HttpLimits {
        HttpLimits {
            connect: Duration::from_secs(10),
            idle: Duration::from_mins(2),
            tries: 4,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(2),
        }
    }
}

/// Asks a model over HTTP.
pub struct HttpBackend {
    endpoint: HttpEndpoint,
    wire: Box<dyn Wire>,
    base: Url,
    headers: HeaderMap,
    client: OnceLock<Result<Client, Failure>>,
}

impl HttpBackend {
    /// Checks the URL and the headers; connects to nothing yet.
    pub fn new(endpoint: HttpEndpoint, wire: Box<dyn Wire>) -> Result<HttpBackend, BackendError> {
        let base = base_url(&endpoint.url)?;
        let headers = headers(&endpoint, wire.key_header())?;
        Ok(HttpBackend {
            endpoint,
            wire,
            base,
            headers,
            client: OnceLock::new(),
        })
    }

    async fn ask_patiently(
        &self,
        question: Question<'_>,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Reply, AskFailure> {
        let request = self.request(&question);
        for note in &request.notes {
            tell(Delta::Noted(note.clone()));
        }
        let limits = &self.endpoint.limits;
        let mut waits = retry::waits(limits);
        let mut waited = Duration::ZERO;
        let mut tries = 1;
        loop {
            let mut shown = false;
            let mut watch = |delta: Delta| {
                shown |= matches!(&delta, Delta::Text(text) if !text.trim().is_empty());
                tell(delta);
            };
            let mut failure = match self.once(&request, question.cancel, &mut watch).await {
                Ok(reply) => {
                    let mut reply = self.wire.settled(&question, reply);
                    reply.make_ids_unique(question.prompt.call_ids());
                    return Ok(reply);
                }
                Err(failure) => self.masked(failure),
            };
            if let Some(partial) = &mut failure.partial {
                partial.make_ids_unique(question.prompt.call_ids());
            }
            let wait = match failure.again {
                Again::After(asked) if !shown => {
                    if asked > limits.longest_wait {
                        failure.error.hint = Some(format!(
                            "the server asks to wait {} seconds: ask again then",
                            asked.as_secs()
                        ));
                        return Err(failure.into());
                    }
                    waits.next().map(|wait| wait.max(asked))
                }
                Again::After(_) | Again::Never => return Err(failure.into()),
            };
            match wait {
                Some(wait) if waited + wait <= limits.longest_wait * 2 => {
                    tries += 1;
                    waited += wait;
                    tell(Delta::Retrying {
                        reason: failure.error.message.clone(),
                        wait,
                        attempt: tries,
                    });
                    tokio::select! {
                        biased;
                        () = question.cancel.cancelled() => return Err(once::cancelled().into()),
                        () = tokio::time::sleep(wait) => {}
                    }
                }
                Some(_) | None => {
                    if tries > 1 {
                        failure.error.message =
                            format!("{} (tried {tries} times)", failure.error.message);
                    }
                    return Err(failure.into());
                }
            }
        }
    }

    fn request(&self, question: &Question<'_>) -> Request {
        let encoded = self.wire.encode(question);
        let mut headers = self.headers.clone();
        for (name, value) in self.wire.headers(question) {
            let name = HeaderName::from_static(name);
            // What stands in the endpoint itself counts more.
            if let (false, Ok(value)) = (headers.contains_key(&name), value.try_into()) {
                headers.insert(name, value);
            }
        }
        Request {
            method: Method::POST,
            url: full_url(&self.base, &self.wire.route(question)),
            headers,
            body: Bytes::from(encoded.body.to_string()),
            streams: question.stream,
            notes: encoded.notes,
        }
    }

    /// Takes every secret out of what people will read: servers like to repeat what they were
    /// sent.
    fn masked(&self, mut failure: Failure) -> Failure {
        let key = self.endpoint.key.iter().map(Key::secret);
        let headers = self.endpoint.headers.iter().map(|(_, value)| value);
        let signer = self.endpoint.signer.iter();
        let signed_with: Vec<Secret> = signer.flat_map(|signer| signer.secrets()).collect();
        for secret in key.chain(headers).chain(&signed_with) {
            let error = &mut failure.error;
            let texts = [&mut error.hint, &mut error.request_id];
            for text in std::iter::once(&mut error.message).chain(texts.into_iter().flatten()) {
                *text = key::mask(text, secret);
            }
        }
        failure
    }
}

impl Backend for HttpBackend {
    fn ask<'a>(
        &'a self,
        question: Question<'a>,
        tell: &'a mut (dyn FnMut(Delta) + Send),
    ) -> BoxFuture<'a, Result<Reply, AskFailure>> {
        Box::pin(self.ask_patiently(question, tell))
    }

    fn models<'a>(
        &'a self,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelList, BackendError>> {
        Box::pin(self.listed(cancel))
    }

    fn keeps_conversations(&self) -> bool {
        self.wire.keeps_conversations()
    }

    /// Gives the request line, the headers and the very bytes of the body.
    fn show(&self, question: &Question<'_>) -> String {
        let request = self.request(question);
        let mut lines = vec![format!(
            "POST {}",
            answer::shown_whole(&request.url, &self.base)
        )];
        for (name, value) in &request.headers {
            let shown = match (name.as_str(), &self.endpoint.key) {
                ("content-type", _) => continue,
                (name, Some(key)) if name == key_name(self.wire.key_header()) => {
                    let before = match self.wire.key_header() {
                        KeyHeader::Bearer => "Bearer ",
                        KeyHeader::Named(_) => "",
                    };
                    format!("{before}(key from {})", key.source())
                }
                _ if value.is_sensitive() => "(not shown)".to_owned(),
                _ => value.to_str().unwrap_or("(not text)").to_owned(),
            };
            lines.push(format!("{name}: {shown}"));
        }
        if let Some(signer) = &self.endpoint.signer {
            lines.push(format!("authorization: (signed with {})", signer.source()));
        }
        lines.push("content-type: application/json\n".to_owned());
        lines.push(String::from_utf8_lossy(&request.body).into_owned() + "\n");
        lines.join("\n")
    }
}

/// Reads a base URL.
fn base_url(base: &str) -> Result<Url, BackendError> {
    let wrong = |fault: &str| BackendError {
        kind: ErrorKind::Request,
        message: format!("the URL of the endpoint {fault}"),
        hint: Some("write it as `https://host/v1` or `http://host:port/v1`".to_owned()),
        request_id: None,
    };
    let base = base.trim();
    let url = Url::parse(base).map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    if !["http", "https"].contains(&url.scheme()) {
        return Err(wrong(&format!("begins with `{}:`", url.scheme())));
    }
    if url.cannot_be_a_base() {
        return Err(wrong("has no host"));
    }
    Ok(url)
}

/// Puts a route after the base, where it does not stand already; a query of the base stays.
fn full_url(base: &Url, route: &Route) -> Url {
    let mut url = base.clone();
    let stands = url
        .path()
        .trim_end_matches('/')
        .ends_with(&format!("/{}", route.segments.join("/")));
    if !stands && let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(&route.segments);
    }
    if route.colons == Colons::Encoded {
        let path = url.path().replace(':', "%3A");
        url.set_path(&path);
    }
    for (name, value) in &route.query {
        url.query_pairs_mut().append_pair(name, value);
    }
    url
}

/// Gives the name of the header in which a key stands.
fn key_name(header: KeyHeader) -> &'static str {
    match header {
        KeyHeader::Bearer => "authorization",
        KeyHeader::Named(name) => name,
    }
}

fn headers(endpoint: &HttpEndpoint, key_header: KeyHeader) -> Result<HeaderMap, BackendError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = &endpoint.key {
        headers.insert(
            HeaderName::from_static(key_name(key_header)),
            key.in_header(key_header),
        );
    }
    for (name, value) in &endpoint.headers {
        let pair = HeaderName::try_from(name.as_str())
            .ok()
            .zip(HeaderValue::try_from(value.reveal().trim()).ok());
        let Some((name, mut value)) = pair else {
            return Err(BackendError {
                kind: ErrorKind::Request,
                message: format!("the header `{name}` of the endpoint cannot be sent"),
                hint: Some("use visible ASCII for its name and its value".to_owned()),
                request_id: None,
            });
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}
