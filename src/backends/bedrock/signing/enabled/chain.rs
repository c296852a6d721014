//! Credentials, found where the SDK looks for them.

use std::error::Error;
use std::time::Duration;

use aws_config::Region;
use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::provider_config::ProviderConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::ProvideCredentials;
use aws_credential_types::provider::error::CredentialsError;

use super::super::{AwsCredentials, AwsSigning};
use super::connector::Connector;
use crate::backends::fault::one_line;
use crate::backends::{ErrorKind, Failure};

/// How long credentials may take: who signs in elsewhere or asks a program needs a moment.
const LONGEST: Duration = Duration::from_secs(30);

/// What to do where there are none.
const SET_SOME: &str = "set `AWS_BEARER_TOKEN_BEDROCK`, or `AWS_ACCESS_KEY_ID` and \
                        `AWS_SECRET_ACCESS_KEY`, or name a profile with `AWS_PROFILE`";

/// What to do where a profile gives none.
const LOOK_AT_PROFILE: &str = "look at the profile in `~/.aws/config` and `~/.aws/credentials`; \
                               with SSO, run `aws sso login` first";

/// Gets credentials.
pub(super) async fn credentials(signing: &AwsSigning) -> Result<Credentials, Failure> {
    if let AwsCredentials::Keys {
        access_key,
        secret,
        token,
    } = &signing.credentials
    {
        let token = token.as_ref().map(|token| token.reveal().to_owned());
        return Ok(Credentials::new(
            access_key,
            secret.reveal(),
            token,
            None,
            "environment",
        ));
    }
    match tokio::time::timeout(LONGEST, found(signing)).await {
        Ok(Ok(credentials)) => Ok(credentials),
        Ok(Err(error)) => Err(unfound(signing, &error)),
        Err(_) => Err(Failure::new(
            ErrorKind::Authentication,
            format!(
                "{} did not come within {} seconds",
                signing.credentials.source(),
                LONGEST.as_secs()
            ),
        )
        .hint(SET_SOME)),
    }
}

async fn found(signing: &AwsSigning) -> Result<Credentials, CredentialsError> {
    let region = Region::new(signing.region.clone());
    let config = ProviderConfig::without_region()
        .with_region(Some(region.clone()))
        .with_http_client(Connector::new(signing));
    match &signing.credentials {
        AwsCredentials::Profile(name) => {
            let profile = ProfileFileCredentialsProvider::builder()
                .configure(&config)
                .profile_name(name)
                .build();
            profile.provide_credentials().await
        }
        AwsCredentials::Chain { .. } | AwsCredentials::Keys { .. } => {
            // A machine outside of AWS has no such service, and people wait.
            let machine = aws_config::imds::Client::builder()
                .configure(&config)
                .max_attempts(1)
                .build();
            let chain = DefaultCredentialsChain::builder()
                .imds_client(machine)
                .region(region)
                .configure(config)
                .build()
                .await;
            chain.provide_credentials().await
        }
    }
}

fn unfound(signing: &AwsSigning, error: &CredentialsError) -> Failure {
    let why = words(error);
    // Other clouds answer in the place of AWS's own service, which is as good as no answer.
    let none = matches!(error, CredentialsError::CredentialsNotLoaded(_)) || why.contains("IMDS");
    let source = &signing.credentials;
    let new = |message: String| Failure::new(ErrorKind::Authentication, message);
    match source {
        AwsCredentials::Chain { profile: None } if none => {
            new("there are no AWS credentials".to_owned()).hint(SET_SOME)
        }
        AwsCredentials::Chain {
            profile: Some(name),
        } if none => new(format!(
            "there are no AWS credentials, and none in the profile `{name}`, which `AWS_PROFILE` \
             names"
        ))
        .hint(LOOK_AT_PROFILE),
        AwsCredentials::Profile(name) if none => new(format!(
            "there are no credentials in the AWS profile `{name}`"
        ))
        .hint(LOOK_AT_PROFILE),
        AwsCredentials::Profile(_) | AwsCredentials::Chain { profile: Some(_) } => {
            new(format!("{} cannot be had: {why}", source.source())).hint(LOOK_AT_PROFILE)
        }
        AwsCredentials::Chain { profile: None } | AwsCredentials::Keys { .. } => {
            new(format!("{} cannot be had: {why}", source.source())).hint(SET_SOME)
        }
    }
}

/// Gives the words of an error and its causes. What a program has printed may be secret and is cut
/// off.
fn words(error: &CredentialsError) -> String {
    // Each cause says more than what it caused.
    let mut said = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        said.push(error.to_string());
        cause = error.source();
    }
    let told = said.join(": ");
    let end = told.to_ascii_lowercase().find("stderr");
    let told = told[..end.unwrap_or(told.len())].trim_end_matches([' ', ':', ',', '.']);
    if told.is_empty() {
        one_line(&error.to_string())
    } else {
        one_line(told)
    }
}

#[cfg(test)]
mod tests {
    use super::{CredentialsError, words};

    #[test]
    fn what_a_program_printed_is_not_told() {
        let error = CredentialsError::provider_error("it ended with 3. Stderr: canary-1");
        assert_eq!(words(&error), "it ended with 3");
        let error = CredentialsError::unhandled("odd");
        assert_eq!(words(&error), "odd");
    }
}
