//! How the SDK asks for credentials: with the client that questions are asked with.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};

use super::super::AwsSigning;
use crate::backends::http::client;
use crate::backends::{Failure, HttpEndpoint, HttpLimits, ProxyChoice};

/// Where the SDK says no time, this is the limit.
const USUAL_LIMIT: Duration = Duration::from_secs(10);

/// Asks who gives credentials.
#[derive(Debug, Clone)]
pub(super) struct Connector {
    inner: Arc<Inner>,
    limit: Duration,
}

#[derive(Debug)]
struct Inner {
    endpoint: HttpEndpoint,
    safe: OnceLock<Result<Client, Failure>>,
    /// Without TLS only the machine itself and its own network are asked, past any proxy.
    plain: OnceLock<Result<Client, Failure>>,
}

impl Connector {
    pub(super) fn new(signing: &AwsSigning) -> Connector {
        let endpoint = HttpEndpoint {
            url: String::new(),
            key: None,
            signer: None,
            headers: Vec::new(),
            proxy: signing.proxy.clone(),
            extra_roots: signing.extra_roots.clone(),
            limits: HttpLimits {
                connect: signing.connect,
                ..HttpLimits::default()
            },
        };
        Connector {
            inner: Arc::new(Inner {
                endpoint,
                safe: OnceLock::new(),
                plain: OnceLock::new(),
            }),
            limit: USUAL_LIMIT,
        }
    }
}

impl Inner {
    fn client(&self, url: &Url) -> Result<Client, ConnectorError> {
        let built = if url.scheme() == "https" {
            self.safe.get_or_init(|| client::build(&self.endpoint, url))
        } else {
            self.plain.get_or_init(|| {
                let direct = HttpEndpoint {
                    proxy: ProxyChoice::Direct,
                    ..self.endpoint.clone()
                };
                client::build(&direct, url)
            })
        };
        built
            .clone()
            .map_err(|failure| ConnectorError::other(Box::new(failure.error), None))
    }

    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let url = Url::parse(request.uri()).map_err(user)?;
        let method = Method::from_bytes(request.method().as_bytes()).map_err(user)?;
        let body = request
            .body()
            .bytes()
            .ok_or_else(|| ConnectorError::user("a body that is a stream".into()))?
            .to_vec();
        let mut headers = HeaderMap::new();
        for (name, value) in request.headers() {
            headers.append(
                HeaderName::try_from(name).map_err(user)?,
                HeaderValue::try_from(value).map_err(user)?,
            );
        }
        let client = self.client(&url)?;
        let sending = client.request(method, url).headers(headers).body(body);
        let response = sending.send().await.map_err(lost)?;
        let status = response.status().as_u16().try_into().map_err(user)?;
        let headers = response.headers().clone();
        let body = response.bytes().await.map_err(lost)?;
        let mut answer = HttpResponse::new(status, SdkBody::from(body));
        for (name, value) in &headers {
            // A header that is no text is none of those that are looked at.
            if let Ok(value) = value.to_str() {
                answer
                    .headers_mut()
                    .try_append(name.as_str().to_owned(), value.to_owned())
                    .map_err(user)?;
            }
        }
        Ok(answer)
    }
}

fn user(error: impl std::error::Error + Send + Sync + 'static) -> ConnectorError {
    ConnectorError::user(Box::new(error))
}

fn lost(error: reqwest::Error) -> ConnectorError {
    // What is asked may stand in a URL, tokens included.
    let error = error.without_url();
    if error.is_timeout() {
        ConnectorError::timeout(Box::new(error))
    } else {
        ConnectorError::io(Box::new(error))
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, limit) = (Arc::clone(&self.inner), self.limit);
        HttpConnectorFuture::new(async move {
            match tokio::time::timeout(limit, inner.ask(request)).await {
                Ok(outcome) => outcome,
                Err(late) => Err(ConnectorError::timeout(Box::new(late))),
            }
        })
    }
}

impl HttpClient for Connector {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        _components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let told = [settings.connect_timeout(), settings.read_timeout()];
        let limit = told
            .into_iter()
            .flatten()
            .reduce(|connect, read| connect + read)
            .unwrap_or(USUAL_LIMIT);
        SharedHttpConnector::new(Connector {
            inner: Arc::clone(&self.inner),
            limit,
        })
    }
}
