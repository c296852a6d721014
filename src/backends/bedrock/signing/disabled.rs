//! What stands for signatures in a build without the feature `bedrock`.

use std::sync::Arc;

use super::AwsSigning;
use crate::backends::{BackendError, ErrorKind, Signer};

/// Says that Bedrock is not part of this build.
pub fn bedrock_is_built() -> Result<(), BackendError> {
    Err(BackendError {
        kind: ErrorKind::Request,
        message: "this build does not speak to Bedrock: it lacks the feature `bedrock`".to_owned(),
        hint: Some("build it with `--features bedrock`".to_owned()),
        request_id: None,
    })
}

/// Makes no signer, and says why.
pub fn aws_signer(_signing: AwsSigning) -> Result<Arc<dyn Signer>, BackendError> {
    Err(bedrock_is_built().expect_err("this is the build without it"))
}
