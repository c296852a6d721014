//! Base URLs: checked, and put into their usual form.

use reqwest::Url;

use super::EndpointError;
use super::description::Description;
use super::source::{Given, Source};
use crate::backends::Preset;

/// Parses the URL and puts it into its usual form.
pub(super) fn checked_url(
    from: &Description,
    provider: Option<&'static Preset>,
    url: &mut Given<String>,
) -> Result<Url, EndpointError> {
    let wrong = |why: &str| EndpointError::BadUrl {
        endpoint: from.name.clone(),
        url_from: url.source.clone(),
        why: why.to_owned(),
    };
    let text = url.value.trim();
    let ollama = matches!(&url.source, Source::Variable(name) if name == "OLLAMA_HOST");
    let text = if ollama {
        ollama_url(text)
    } else {
        text.to_owned()
    };
    let mut parsed = Url::parse(&text).map_err(|error| wrong(&format!("is none: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(wrong(&format!(
            "begins with `{}:`, and `http:` or `https:` is wanted",
            parsed.scheme()
        )));
    }
    if parsed.host_str().is_none_or(str::is_empty) {
        return Err(wrong("names no host"));
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(wrong("has a `?` or a `#`, and a base url is wanted"));
    }
    // People give the bare addresses of servers; what a provider speaks lies below a path.
    if let Some(provider) = provider.filter(|_| parsed.path() == "/")
        && let Ok(usual) = Url::parse(provider.url)
    {
        parsed.set_path(usual.path());
    }
    parsed
        .as_str()
        .trim_end_matches('/')
        .clone_into(&mut url.value);
    Ok(parsed)
}

/// Gives the host of a URL.
pub(in crate::wiring) fn host_of(url: &str) -> Option<String> {
    Url::parse(url.trim()).ok()?.host_str().map(str::to_owned)
}

/// Reads `OLLAMA_HOST` as Ollama does: a host, a host and a port, or a URL; all addresses of the
/// machine mean this machine.
fn ollama_url(text: &str) -> String {
    let whole = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    let Ok(mut url) = Url::parse(&whole) else {
        return whole;
    };
    // Failing to set a part leaves the URL as the user wrote it, which is then checked.
    if url.host_str() == Some("0.0.0.0") {
        url.set_host(Some("127.0.0.1")).ok();
    }
    if !text.contains("://") && url.port().is_none() {
        url.set_port(Some(11434)).ok();
    }
    url.to_string()
}
