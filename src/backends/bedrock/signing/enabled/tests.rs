//! Signatures, against those that the official SDK for Python makes of the same requests.

use std::time::{Duration, UNIX_EPOCH};

use aws_credential_types::Credentials;
use reqwest::header::HeaderMap;

use super::super::{AwsCredentials, AwsSigning};
use super::{AwsSigner, SignedParts, aws_signer, signed};
use crate::backends::{Failure, ProxyChoice};
use crate::world::Secret;

/// 2026-11-30T12:00:00Z.
const NOON: Duration = Duration::from_hours(498_900);

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn headers(url: &str, token: Option<&str>, body: &str) -> Result<HeaderMap, Failure> {
    let parts = SignedParts {
        method: "POST",
        url,
        headers: vec![("content-type", "application/json")],
        body: body.as_bytes(),
    };
    let token = token.map(str::to_owned);
    let credentials = Credentials::new("AKIDEXAMPLE", SECRET, token, None, "test");
    signed(&parts, credentials, "eu-west-1", UNIX_EPOCH + NOON)
}

fn drawn(headers: &HeaderMap) -> Vec<String> {
    let mut lines: Vec<String> = headers
        .iter()
        .map(|(name, value)| {
            assert!(value.is_sensitive(), "{name}");
            format!("{name}: {}", value.to_str().unwrap())
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn a_colon_in_the_path_is_encoded_twice() {
    let url = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/\
               anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream";
    assert_eq!(
        drawn(&headers(url, None, r#"{"messages":[]}"#).unwrap()),
        [
            "authorization: AWS4-HMAC-SHA256 \
             Credential=AKIDEXAMPLE/20261130/eu-west-1/bedrock/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=017fcc816bc1aefd3708df417b76b3ac252ec254aff57daac981741047c87381",
            "x-amz-date: 20261130T120000Z",
        ]
    );
}

#[test]
fn a_port_a_slash_in_a_name_and_a_token_are_signed() {
    let url = "http://127.0.0.1:4566/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3A\
               inference-profile%2Feu.amazon.nova-pro-v1%3A0/converse";
    assert_eq!(
        drawn(&headers(url, Some("TOKEN/1=="), "{\"é\":1}").unwrap()),
        [
            "authorization: AWS4-HMAC-SHA256 \
             Credential=AKIDEXAMPLE/20261130/eu-west-1/bedrock/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, \
             Signature=a658485d07ed076b1b8b66edc5bd780d60bcb20161c00d57403da2b034d41727",
            "x-amz-date: 20261130T120000Z",
            "x-amz-security-token: TOKEN/1==",
        ]
    );
}

fn signing() -> AwsSigning {
    AwsSigning {
        region: "eu-west-1".to_owned(),
        credentials: AwsCredentials::Keys {
            access_key: "AKIDEXAMPLE".to_owned(),
            secret: Secret::new(SECRET),
            token: Some(Secret::new("canary-token")),
        },
        proxy: ProxyChoice::Direct,
        extra_roots: None,
        connect: Duration::from_secs(1),
    }
}

#[tokio::test]
async fn what_was_signed_with_is_known_so_that_it_can_be_masked() {
    let signer = AwsSigner {
        signing: signing(),
        held: std::sync::Mutex::default(),
    };
    let secrets = |signer: &AwsSigner| crate::backends::Signer::secrets(signer);
    assert_eq!(secrets(&signer), []);
    signer.credentials(UNIX_EPOCH + NOON).await.unwrap();
    assert_eq!(
        secrets(&signer),
        [Secret::new(SECRET), Secret::new("canary-token")]
    );
    let shown = format!("{:?} {:?}", signer, aws_signer(signing()).unwrap());
    assert!(
        !shown.contains("canary") && !shown.contains(SECRET),
        "{shown}"
    );
}

#[tokio::test]
async fn credentials_that_are_about_to_end_are_got_anew() {
    let signer = AwsSigner {
        signing: signing(),
        held: std::sync::Mutex::default(),
    };
    let now = UNIX_EPOCH + NOON;
    let mut kept = Vec::new();
    for left in [301, 299] {
        let expiry = Some(now + Duration::from_secs(left));
        let old = Credentials::new("OLD", SECRET, None, expiry, "test");
        *signer.held.lock().unwrap() = Some(old);
        let given = signer.credentials(now).await.unwrap();
        kept.push(given.access_key_id().to_owned());
    }
    assert_eq!(kept, ["OLD", "AKIDEXAMPLE"]);
}
