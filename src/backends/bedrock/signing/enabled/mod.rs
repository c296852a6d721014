//! Signature Version 4 over a whole request. The signing is the SDK's; here are what is signed and
//! how long credentials are kept.

mod chain;
mod connector;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::identity::Identity;
use futures_util::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::AwsSigning;
use crate::backends::{BackendError, ErrorKind, Failure, Request, Signer};
use crate::world::{Secret, clock};

/// The name of the service in signatures.
const SERVICE: &str = "bedrock";

/// Credentials that end sooner are got anew.
const LEAST_LEFT: Duration = Duration::from_mins(5);

/// Tells that Bedrock is part of this build.
pub fn bedrock_is_built() -> Result<(), BackendError> {
    Ok(())
}

/// Makes what signs requests; asks nobody yet.
pub fn aws_signer(signing: AwsSigning) -> Result<Arc<dyn Signer>, BackendError> {
    Ok(Arc::new(AwsSigner {
        signing,
        held: Mutex::new(None),
    }))
}

#[derive(Debug)]
struct AwsSigner {
    signing: AwsSigning,
    /// The credentials that were found last.
    held: Mutex<Option<Credentials>>,
}

impl AwsSigner {
    fn held(&self) -> Option<Credentials> {
        self.held
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Gives credentials that hold for a while, and finds some where there are none.
    async fn credentials(&self, now: SystemTime) -> Result<Credentials, Failure> {
        let ends_later =
            |held: &Credentials| held.expiry().is_none_or(|expiry| expiry > now + LEAST_LEFT);
        if let Some(held) = self.held().filter(ends_later) {
            return Ok(held);
        }
        let found = chain::credentials(&self.signing).await?;
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(found.clone());
        Ok(found)
    }
}

impl Signer for AwsSigner {
    fn sign<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<HeaderMap, Failure>> {
        Box::pin(async move {
            let now = clock::system_time();
            let credentials = self.credentials(now).await?;
            signed(
                &signed_parts(request),
                credentials,
                &self.signing.region,
                now,
            )
        })
    }

    fn source(&self) -> String {
        self.signing.credentials.source()
    }

    fn secrets(&self) -> Vec<Secret> {
        let Some(held) = self.held() else {
            return Vec::new();
        };
        [Some(held.secret_access_key()), held.session_token()]
            .into_iter()
            .flatten()
            .map(Secret::new)
            .collect()
    }
}

/// What of a request a signature is over.
struct SignedParts<'a> {
    method: &'a str,
    url: &'a str,
    headers: Vec<(&'a str, &'a str)>,
    body: &'a [u8],
}

/// Takes the headers that no proxy changes: the type of the content, and those of AWS.
fn signed_parts(request: &Request) -> SignedParts<'_> {
    let headers = request.headers.iter().filter(|(name, _)| {
        let name = name.as_str();
        name == "content-type" || name.starts_with("x-amz")
    });
    SignedParts {
        method: request.method.as_str(),
        url: request.url.as_str(),
        headers: headers
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
            .collect(),
        body: &request.body,
    }
}

/// Gives the headers that hold the signature.
fn signed(
    parts: &SignedParts<'_>,
    credentials: Credentials,
    region: &str,
    now: SystemTime,
) -> Result<HeaderMap, Failure> {
    let identity: Identity = credentials.into();
    let failed = |error: &dyn std::error::Error| {
        Failure::new(
            ErrorKind::Request,
            format!("the request cannot be signed: {error}"),
        )
    };
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(region)
        .name(SERVICE)
        .time(now)
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| failed(&error))?
        .into();
    let signable = SignableRequest::new(
        parts.method,
        parts.url,
        parts.headers.iter().copied(),
        SignableBody::Bytes(parts.body),
    )
    .map_err(|error| failed(&error))?;
    let (instructions, _) = sign(signable, &params)
        .map_err(|error| failed(&error))?
        .into_parts();
    let (headers, _) = instructions.into_parts();
    headers
        .iter()
        .map(|header| {
            let name =
                HeaderName::from_bytes(header.name().as_bytes()).map_err(|error| failed(&error))?;
            let mut value =
                HeaderValue::from_str(header.value()).map_err(|error| failed(&error))?;
            value.set_sensitive(true);
            Ok((name, value))
        })
        .collect()
}
