//! Replies of real servers and of mocks, as they came over the wire:
//! `fixtures/wire/API/SERVER/CASE.body`, streams where the name ends in `_s`. What each amounts to
//! stands beside it in `CASE.md`; `UPDATE=1` writes it anew.

use std::path::{Path, PathBuf};

use scoutai::backends::{Failure, Framing, Preset, Protocol, Reply, Wire, read_stream};

use super::golden::{differs, folders, told};

/// The folders of recordings, with what was spoken there and as whose reply it is read.
const APIS: [(&str, Protocol, &str); 6] = [
    ("anthropic", Protocol::Anthropic, "anthropic"),
    ("bedrock", Protocol::Bedrock, "bedrock"),
    ("gemini", Protocol::Gemini, "gemini"),
    ("ollama", Protocol::Ollama, "ollama"),
    ("openai_responses", Protocol::Responses, "openai"),
    ("openrouter", Protocol::ChatCompletions, "openrouter"),
];

/// A recording.
pub(super) struct Recorded {
    pub(super) path: PathBuf,
    pub(super) wire: Box<dyn Wire>,
    pub(super) body: Vec<u8>,
    streamed: bool,
}

pub(super) fn recordings() -> Vec<Recorded> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/wire");
    let mut all = Vec::new();
    for (api, protocol, preset) in APIS {
        // A build without Bedrock reads no such stream.
        if protocol == Protocol::Bedrock && cfg!(not(feature = "bedrock")) {
            continue;
        }
        for server in folders(&top.join(api)) {
            let mut paths: Vec<PathBuf> = std::fs::read_dir(&server)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|ending| ending == "body"))
                .collect();
            paths.sort();
            all.extend(paths.into_iter().map(|path| Recorded {
                wire: Preset::find(preset).unwrap().wire(protocol),
                body: std::fs::read(&path).unwrap(),
                streamed: path.file_stem().unwrap().to_str().unwrap().ends_with("_s"),
                path,
            }));
        }
    }
    assert!(all.len() >= 30, "only {} recordings", all.len());
    all
}

impl Recorded {
    /// The same recording with another body.
    pub(super) fn with(&self, body: &[u8]) -> String {
        told(self.read_body(body))
    }

    pub(super) fn read(&self) -> Result<Reply, Failure> {
        self.read_body(&self.body)
    }

    fn read_body(&self, body: &[u8]) -> Result<Reply, Failure> {
        // An error comes in one piece whatever was asked for.
        match serde_json::from_slice(body) {
            Ok(whole) if !self.streamed || self.wire.framing() != Framing::Lines => {
                self.wire.decode(&whole)
            }
            Ok(_) | Err(_) => read_stream(self.wire.as_ref(), &[body]),
        }
    }

    fn stream(&self, chunks: &[&[u8]]) -> String {
        told(read_stream(self.wire.as_ref(), chunks))
    }
}

#[test]
fn recorded_replies_say_what_they_said() {
    let faults: Vec<String> = recordings()
        .iter()
        .filter_map(|one| differs(&one.path.with_extension("md"), &told(one.read())))
        .collect();
    assert!(
        faults.is_empty(),
        "{}\n(`UPDATE=1` writes what came out)",
        faults.join("\n")
    );
}

#[test]
fn streams_say_the_same_however_they_are_cut() {
    for one in recordings().iter().filter(|one| one.streamed) {
        let name = one.path.display();
        let whole = one.stream(&[&one.body]);
        let bytes: Vec<&[u8]> = one.body.chunks(1).collect();
        assert_eq!(one.stream(&bytes), whole, "{name} in bytes");
        for cut in places(&one.body) {
            let halves = [&one.body[..cut], &one.body[cut..]];
            assert_eq!(one.stream(&halves), whole, "{name} cut at {cut}");
        }
    }
}

#[test]
fn no_beginning_of_a_stream_is_taken_for_the_whole() {
    for one in recordings().iter().filter(|one| one.streamed) {
        let whole = read_stream(one.wire.as_ref(), &[&one.body]);
        let all = whole.map(|reply| (reply.items, reply.cut_calls, reply.stop));
        for end in places(&one.body) {
            let begun = read_stream(one.wire.as_ref(), &[&one.body[..end]]);
            if let Ok(reply) = begun {
                let begun = (reply.items, reply.cut_calls, reply.stop);
                let name = one.path.display();
                assert_eq!(Ok(&begun), all.as_ref(), "{name} ends at {end}");
            }
        }
    }
}

/// Every place in a short body, and some thousand of a long one.
fn places(body: &[u8]) -> impl Iterator<Item = usize> {
    (0..body.len()).step_by(1 + body.len() / 3000)
}
