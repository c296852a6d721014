//! The HTTP client: built at the first request, so that a run that asks nobody needs no
//! certificates.

use std::time::Duration;

use reqwest::{Certificate, Client, Proxy, Url, redirect};

use super::{HttpEndpoint, ProxyChoice};
use crate::backends::{ErrorKind, Failure};

/// Builds the client of an endpoint.
///
/// No redirect is followed, because a key would go where it leads. Loopback is not proxied unless
/// a proxy is named outright.
pub(in crate::backends) fn build(endpoint: &HttpEndpoint, url: &Url) -> Result<Client, Failure> {
    // Another part of the program may have chosen a provider already, which serves as well.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut builder = Client::builder()
        .user_agent(concat!("scoutai/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(endpoint.limits.connect)
        .tcp_keepalive(Duration::from_secs(30));
    let mut extra = Vec::new();
    if let Some(roots) = &endpoint.extra_roots {
        extra = Certificate::from_pem_bundle(&roots.pem)
            .ok()
            .filter(|certificates| !certificates.is_empty())
            .ok_or_else(|| {
                Failure::new(
                    ErrorKind::Connection,
                    format!("`{}` holds no PEM certificate", roots.name),
                )
                .hint("name a file with `-----BEGIN CERTIFICATE-----` in it")
            })?;
    }
    // Without TLS the system's certificates are not needed, and a machine may have none.
    builder = if url.scheme() == "https" {
        builder.tls_certs_merge(extra)
    } else {
        builder.tls_certs_only(extra)
    };
    builder = match &endpoint.proxy {
        ProxyChoice::Environment if is_loopback(url) => builder.no_proxy(),
        ProxyChoice::Environment => builder,
        ProxyChoice::Direct => builder.no_proxy(),
        ProxyChoice::Named(proxy) => builder.no_proxy().proxy(Proxy::all(proxy).map_err(|_| {
            Failure::new(
                ErrorKind::Connection,
                format!("`{proxy}` is not the URL of a proxy"),
            )
            .hint("write it as `http://host:port`")
        })?),
    };
    builder.build().map_err(|error| {
        let words = super::answer::innermost(&error);
        Failure::new(
            ErrorKind::Connection,
            format!("cannot prepare connections: {words}"),
        )
        .hint("install the system's CA certificates, or name a file with `ca_file`")
    })
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let bare = host.trim_matches(['[', ']']);
    bare == "localhost"
        || bare.ends_with(".localhost")
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn loopback_is_known_by_name_and_number() {
        let told = [
            "http://localhost:1/v1",
            "http://127.8.0.1",
            "http://[::1]:80/",
            "http://example.org",
            "http://localhost.example.org",
        ]
        .map(|url| is_loopback(&url.parse().unwrap()));
        assert_eq!(told, [true, true, true, false, false]);
    }
}
