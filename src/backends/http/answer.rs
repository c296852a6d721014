//! What went wrong with a request, in words for people.

use std::error::Error;
use std::io;

use reqwest::header::HeaderMap;
use reqwest::{StatusCode, Url};

use super::retry::{self, Advice};
use crate::backends::fault::{Told, one_line};
use crate::backends::{Again, ErrorKind, Failure};

/// An answer whose status is no success.
pub(super) struct Refusal<'a> {
    pub(super) status: StatusCode,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: &'a str,
    pub(super) now: jiff::Timestamp,
}

/// Says what such an answer means.
pub(super) fn refusal(answer: &Refusal<'_>, url: &Url) -> Failure {
    let status = answer.status;
    let shown = shown(url);
    let reason = status.canonical_reason().map_or_else(
        || status.as_u16().to_string(),
        |words| format!("{} ({words})", status.as_u16()),
    );
    if status.is_redirection() {
        let to = answer
            .headers
            .get("location")
            .and_then(|to| to.to_str().ok());
        return Failure::new(
            ErrorKind::Request,
            format!(
                "`{shown}` answers {reason} and points to `{}`",
                one_line(to.unwrap_or("nowhere"))
            ),
        )
        .hint("set the URL of the endpoint to where it points, if you trust that place");
    }
    let mut failure = if is_page(answer.body) {
        Told::default().failure(
            status.as_u16(),
            format!("`{shown}` answers {reason} with a web page"),
        )
    } else {
        let told = Told::of_text(answer.body);
        let message = match told.message.as_str() {
            "" => format!("`{shown}` answers {reason}"),
            words => format!("`{shown}` answers {reason}: {words}"),
        };
        told.failure(status.as_u16(), message)
    };
    failure.error.request_id = request_id(answer.headers).or(failure.error.request_id);
    if failure.again != Again::Never {
        failure.again = match retry::advice(answer.headers, answer.now) {
            Advice::None => failure.again,
            Advice::Never => Again::Never,
            Advice::After(wait) => Again::After(wait),
        };
    }
    failure
}

/// Says what an answer means that is a web page although its status is a success.
pub(super) fn page(url: &Url) -> Failure {
    Failure::new(
        ErrorKind::Protocol,
        format!("`{}` answers with a web page instead of JSON", shown(url)),
    )
    .hint("look at the URL of the endpoint: is `/v1` missing at its end?")
}

/// Tells whether a body is HTML.
pub(super) fn is_page(body: &str) -> bool {
    body.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n'])
        .starts_with('<')
}

/// Says why there is no answer, or no end of it.
pub(super) fn no_answer(error: &reqwest::Error, url: &Url) -> Failure {
    let place = place(url);
    let words = innermost(error);
    if let Some(tls) = tls_words(error) {
        return Failure::new(
            ErrorKind::Connection,
            format!("no safe connection to `{place}`: {tls}"),
        )
        .hint("look at the URL; if the server has a CA of its own, name its file with `ca_file`");
    }
    if error.is_connect() {
        if error.is_timeout() {
            return Failure::new(
                ErrorKind::Connection,
                format!("cannot connect to `{place}`: no answer in time"),
            )
            .hint("look at the URL, the network and the proxy")
            .passing();
        }
        let hint = if is_dns(error) {
            "look at the name of the host in the URL, and at the network"
        } else {
            "is the server running? look at the host and the port in the URL"
        };
        let refused = io_kind(error) == Some(io::ErrorKind::ConnectionRefused);
        let failure = Failure::new(
            ErrorKind::Connection,
            format!("cannot connect to `{place}`: {words}"),
        )
        .hint(hint);
        // Nobody listens there: that does not change within seconds, and a person waits.
        return if refused || is_dns(error) {
            failure
        } else {
            failure.passing()
        };
    }
    Failure::new(
        ErrorKind::Connection,
        format!("the connection to `{place}` was lost: {words}"),
    )
    .hint("ask again")
    .passing()
}

/// Gives the words of the error at the root of a chain, on one line.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let last = causes(error).last().map(ToString::to_string);
    one_line(&last.unwrap_or_default())
}

/// Gives the id under which the provider knows the request.
pub(super) fn request_id(headers: &HeaderMap) -> Option<String> {
    ["x-request-id", "request-id", "x-generation-id", "cf-ray"]
        .iter()
        .find_map(|name| headers.get(*name)?.to_str().ok())
        .map(one_line)
}

/// Gives a URL without what may be secret in it.
pub(super) fn shown(url: &Url) -> String {
    let mut bare = url.clone();
    bare.set_query(None);
    bare.set_fragment(None);
    // Only URLs without a host refuse this, and they have no user to hide.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    bare.to_string()
}

/// Gives a URL without a user or a fragment, and with its query: what the wire puts there is no
/// secret, and what the endpoint's own URL has there is left out.
pub(super) fn shown_whole(url: &Url, own: &Url) -> String {
    let shown = shown(url);
    let own: Vec<_> = own.query_pairs().collect();
    let added: Vec<String> = url
        .query_pairs()
        .filter(|pair| !own.contains(pair))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if added.is_empty() {
        shown
    } else {
        format!("{shown}?{}", added.join("&"))
    }
}

/// Gives host and port.
pub(super) fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Walks a chain of causes, into the errors that IO errors carry.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let error: &'a (dyn Error + 'static) = *error;
        let carried = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
            .map(|inner| inner as &(dyn Error + 'static));
        carried.or_else(|| error.source())
    })
}

fn tls_words(error: &reqwest::Error) -> Option<String> {
    causes(error)
        .find_map(|cause| cause.downcast_ref::<rustls::Error>())
        .map(|tls| one_line(&tls.to_string()))
}

fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .map(io::Error::kind)
        .last()
}

fn is_dns(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.to_string().starts_with("dns error"))
}
