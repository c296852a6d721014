//! Signatures of AWS, for who has no API key: credentials and what is signed with them.
//!
//! Always true here: credentials are looked for when the first request is sent and not before, for
//! a bounded time; what is secret of them is in no error.

#[cfg(feature = "bedrock")]
mod enabled;
#[cfg(feature = "bedrock")]
pub use enabled::{aws_signer, bedrock_is_built};

#[cfg(not(feature = "bedrock"))]
mod disabled;
#[cfg(not(feature = "bedrock"))]
pub use disabled::{aws_signer, bedrock_is_built};

use std::time::Duration;

use crate::backends::{ExtraRoots, ProxyChoice};
use crate::world::Secret;

/// What requests to AWS are signed with.
#[derive(Debug, Clone)]
pub struct AwsSigning {
    pub region: String,
    pub credentials: AwsCredentials,
    /// How credentials are asked for over HTTPS, where they are.
    pub proxy: ProxyChoice,
    pub extra_roots: Option<ExtraRoots>,
    /// For a connection to who gives credentials.
    pub connect: Duration,
}

/// Where credentials are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwsCredentials {
    /// `AWS_ACCESS_KEY_ID` and its companions.
    Keys {
        access_key: String,
        secret: Secret,
        token: Option<Secret>,
    },
    /// This profile of the files in `~/.aws`.
    Profile(String),
    /// Wherever the SDK finds them: profile, web identity, container, machine.
    Chain {
        /// The profile that `AWS_PROFILE` names.
        profile: Option<String>,
    },
}

impl AwsCredentials {
    /// Says where they are, for people.
    pub fn source(&self) -> String {
        match self {
            AwsCredentials::Keys { .. } => {
                "the keys in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`".to_owned()
            }
            AwsCredentials::Profile(name) => format!("the AWS profile `{name}`"),
            AwsCredentials::Chain { profile: None } => {
                "the AWS credentials of this machine".to_owned()
            }
            AwsCredentials::Chain {
                profile: Some(name),
            } => format!("the AWS credentials of this machine and of the profile `{name}`"),
        }
    }
}
