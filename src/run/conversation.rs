//! Conversations that a provider keeps: how much of a chat it knows.
//!
//! The file is the truth. The mark of a record holds a fingerprint of the turns that the provider
//! knows since then, and a request goes on from them only while the chat still begins with the very
//! same turns; whatever was edited since is sent anew, as if it had never been kept.

use std::collections::HashMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::backends::Previous;
use crate::chat::MetaValue;
use crate::plan::{
    Item, Media, MediaKind, MediaSource, Part, Prompt, Returned, Said, Saying, Turn,
};

/// The key of a mark under which the fingerprint stands.
pub(super) const KEY: &str = "conversation";

/// Finds the newest response of an endpoint from which a prompt can go on: the provider keeps it,
/// and the prompt begins with all that led to it.
pub fn previous<'a>(said: &'a [Said], prompt: &Prompt, endpoint: &str) -> Option<Previous<'a>> {
    let mut kept = said.iter().rev().filter_map(|one| match &one.what {
        Saying::Meta(mark) if mark.text("endpoint") == Some(endpoint) => {
            mark.text("provider_response_id").zip(mark.text(KEY))
        }
        Saying::Text { .. }
        | Saying::Media(_)
        | Saying::Call(_)
        | Saying::Output(_)
        | Saying::Reasoning(_)
        | Saying::Meta(_) => None,
    });
    let newest = kept.next()?;
    let places = answers(&prompt.turns);
    std::iter::once(newest)
        .chain(kept)
        .find_map(|(response_id, print)| {
            let turns = *places.get(print)?;
            Some(Previous { response_id, turns })
        })
}

/// What a provider is sent: it knows these turns, and then its own answer.
pub(super) struct Sent {
    print: String,
}

impl Sent {
    pub(super) fn of(prompt: &Prompt) -> Sent {
        Sent {
            print: print(&prompt.turns),
        }
    }

    /// Gives the fingerprint for the mark of the record in which a history ends. There is none when
    /// the answer does not follow what was sent as a turn of its own, such as one that goes on from
    /// an answer that was cut.
    pub(super) fn with_answer(&self, said: &[Said]) -> Option<MetaValue> {
        let prompt = Prompt::of(said);
        let answer = prompt
            .turns
            .iter()
            .rposition(|turn| matches!(turn, Turn::Assistant(_)))?;
        let follows = print(&prompt.turns[..answer]) == self.print;
        follows.then(|| MetaValue::Text(print(&prompt.turns[..=answer])))
    }
}

/// Gives the fingerprint of turns.
fn print(turns: &[Turn]) -> String {
    let mut hash = Hash::default();
    hash.turns(turns, |_, _| {});
    hash.print()
}

/// Gives how many turns there are up to each of the model's, by the fingerprint of these turns.
fn answers(turns: &[Turn]) -> HashMap<String, usize> {
    let mut places = HashMap::new();
    Hash::default().turns(turns, |place, hash| {
        if let Some(Turn::Assistant(_)) = turns.get(place) {
            places.insert(hash.print(), place + 1);
        }
    });
    places
}

/// A hash in which each part has its length, so that no two lists of parts look the same.
#[derive(Default, Clone)]
struct Hash(Sha256);

impl Hash {
    /// Takes the turns one by one. System text at the start is sent with each request and is no part
    /// of what is kept.
    fn turns(&mut self, turns: &[Turn], mut after: impl FnMut(usize, &Hash)) {
        let mut begun = false;
        for (place, turn) in turns.iter().enumerate() {
            begun |= !matches!(turn, Turn::System(_));
            if begun {
                self.turn(turn);
            }
            after(place, self);
        }
    }

    fn turn(&mut self, turn: &Turn) {
        match turn {
            Turn::System(text) => self.part("system", text),
            Turn::User(parts) => {
                self.part("user", "");
                for part in parts {
                    match part {
                        Part::Text(text) => self.part("text", text),
                        Part::Media(media) => self.media(media),
                    }
                }
            }
            Turn::Assistant(items) => {
                self.part("assistant", "");
                for item in items {
                    match item {
                        Item::Text(text) => self.part("text", text),
                        Item::Call(call) => {
                            self.part("call", &call.id.0);
                            self.part("name", &call.name.0);
                            let arguments = serde_json::Value::Object(call.arguments.clone());
                            self.part("arguments", arguments.to_string());
                        }
                        Item::Reasoning(one) => self.part("reasoning", one.to_message().content),
                    }
                }
            }
            Turn::Results(results) => {
                self.part("results", "");
                for result in results {
                    self.result(result);
                }
            }
        }
    }

    fn result(&mut self, result: &Returned) {
        let output = &result.output;
        self.part(if output.error { "error" } else { "output" }, &output.id.0);
        self.part("content", &output.content);
        for media in &result.media {
            self.media(media);
        }
    }

    /// The name of a medium may be written in more than one way: what it shows is what counts.
    fn media(&mut self, media: &Media) {
        let kind = match media.kind {
            MediaKind::Image => "image",
            MediaKind::Pdf => "pdf",
        };
        match &media.source {
            MediaSource::Bytes { mime: _, bytes } => self.part(kind, bytes),
            MediaSource::Url(url) => self.part(kind, url),
        }
    }

    fn part(&mut self, kind: &str, content: impl AsRef<[u8]>) {
        let content = content.as_ref();
        self.0.update(format!("{kind} {}\n", content.len()));
        self.0.update(content);
    }

    fn print(&self) -> String {
        let mut print = String::new();
        for byte in &self.0.clone().finalize()[..16] {
            write!(print, "{byte:02x}").expect("a string takes every write");
        }
        print
    }
}
