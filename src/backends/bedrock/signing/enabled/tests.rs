//! Signatures, against those that the published examples and the official SDK for Python give.
