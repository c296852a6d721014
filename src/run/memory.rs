//! A record in memory, for programs that use this library and for questions that are not saved.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Kept, Transcript, TranscriptError};
use crate::chat::Message;

/// A record that is gone with the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryTranscript {
    /// What was appended; each append is one list.
    pub appended: Vec<Vec<Message>>,
    /// What was kept beside it, by name.
    pub kept: BTreeMap<String, Vec<u8>>,
}

impl MemoryTranscript {
    /// Gives all messages in their order.
    pub fn messages(&self) -> Vec<Message> {
        self.appended.concat()
    }
}

impl Transcript for MemoryTranscript {
    fn append(&mut self, messages: &[Message]) -> Result<(), TranscriptError> {
        self.appended.push(messages.to_vec());
        Ok(())
    }

    fn keep(&mut self, kept: Kept<'_>) -> Result<String, TranscriptError> {
        let name = format!("{}.{}", stem(kept), kept.ending());
        self.kept.insert(name.clone(), kept.bytes().to_vec());
        Ok(name)
    }
}

/// Names a kept thing after its content, so that the same one is kept once and a run that is
/// repeated finds it again.
pub(super) fn stem(kept: Kept<'_>) -> String {
    let digest = Sha256::digest(kept.bytes());
    let start: [u8; 8] = std::array::from_fn(|at| digest[at]);
    format!("{}-{:016x}", kept.kind(), u64::from_be_bytes(start))
}
