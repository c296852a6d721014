//! What Bedrock's events can be.
