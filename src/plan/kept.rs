//! Media that outputs name and that lie in the folder of their chat: asked for after the plan is
//! made, and only by who shows them to a model.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::faults::warning;
use super::{Media, Plan, Said, Saying, Trust};
use crate::chat::{Diagnostic, Origin};

/// A file that an output names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeptFile {
    /// The real path of the chat file in which the output stands: the file lies in its folder
    /// `CHAT.files`, and nowhere else.
    pub chat: Arc<Path>,
    /// How far that chat file is trusted.
    pub trust: Trust,
    /// As the output names it.
    pub name: String,
}

/// What a file that an output names turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptFound {
    Media(Media),
    /// It is there, and is nothing that models are shown.
    Other,
    /// It cannot be had.
    Lost(Loss),
}

/// Why a kept file cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    Gone,
    /// It is there, or may be: the reason why it is not read.
    Unreadable(String),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Gone => f.write_str("it is no longer there"),
            Loss::Unreadable(why) => f.write_str(why),
        }
    }
}

impl Plan {
    /// Gives the files that outputs name and that are not at hand, each once.
    pub fn kept_files(&self) -> Vec<KeptFile> {
        let mut seen = HashSet::new();
        let named = self.said.iter().flat_map(|said| self.named_by(said));
        named.filter(|file| seen.insert(file.clone())).collect()
    }

    /// Puts what was found beside the outputs that name it. For a file that cannot be had, words
    /// stand in its output, and a warning comes back.
    pub fn show_kept(&mut self, found: &HashMap<KeptFile, KeptFound>) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        let mut said = std::mem::take(&mut self.said);
        for one in &mut said {
            let files = self.named_by(one);
            let Saying::Output(returned) = &mut one.what else {
                continue;
            };
            for file in files {
                match found.get(&file) {
                    None | Some(KeptFound::Other) => {}
                    Some(KeptFound::Media(media)) => returned.media.push(media.clone()),
                    Some(KeptFound::Lost(loss)) => {
                        let name = &file.name;
                        let text = &mut returned.output.content;
                        if !text.trim().is_empty() {
                            text.push_str("\n\n");
                        }
                        let what = match loss {
                            Loss::Gone => "is no longer there",
                            Loss::Unreadable(_) => "cannot be read",
                        };
                        let told = ["(", kind(name), " ", name, " ", what, ")"];
                        text.extend(told);
                        let message = format!("`{name}` is not shown to the model: {loss}");
                        warnings.push(warning(one.origin.clone(), "kept-file", message));
                    }
                }
            }
        }
        self.said = said;
        warnings
    }

    /// Gives the files that something said names; an output of this run has its media at hand.
    fn named_by(&self, said: &Said) -> Vec<KeptFile> {
        let (Saying::Output(returned), Origin::File { path, .. }) = (&said.what, &said.origin)
        else {
            return Vec::new();
        };
        if !returned.media.is_empty() {
            return Vec::new();
        }
        let trust = if self.confined.contains(path) {
            Trust::Confined
        } else {
            Trust::Trusted
        };
        let names = returned.output.media.iter();
        names
            .map(|name| KeptFile {
                chat: Arc::clone(path),
                trust,
                name: name.clone(),
            })
            .collect()
    }
}

/// Gives the word for a file of which only the name is left.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("png" | "jpg" | "gif" | "webp") => "image",
        Some("pdf") => "PDF",
        Some(_) | None => "file",
    }
}
