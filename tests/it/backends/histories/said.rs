//! What was said, at random: rounds of calls as a run leaves them, then cut, trimmed and edited as
//! crashes and people do.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use scoutai::chat::{
    CallId, Meta, MetaValue, Origin, Reasoning, Role, ToolCall, ToolName, ToolOutput,
};
use scoutai::plan::{Media, MediaKind, MediaSource, Returned, Said, Saying};
use serde_json::{Map, Value, json};

use super::reasons::records;

/// The beginning of a picture, of a moving one, and of a document.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const GIF: &[u8] = b"GIF89a\x01\0\x01\0";
const BMP: &[u8] = b"BM\x1e\0\0\0\0\0";
const PDF: &[u8] = b"%PDF-1.7\n";

/// Few ids, so that they meet: of every provider, empty, odd, too long, and ones that a renamed one
/// would take.
fn id() -> impl Strategy<Value = CallId> {
    let long = "x".repeat(80);
    let ids = [
        "0",
        "call_1",
        "call_1_2",
        "toolu_01A",
        "fc_68",
        "tooluse_Kq-9",
        "abcdefghi",
        "",
        " ",
        "é é",
        "a:b/c",
        long.as_str(),
    ];
    select(ids.map(str::to_owned).to_vec()).prop_map(CallId)
}

fn name() -> impl Strategy<Value = ToolName> {
    let long = "long".repeat(40);
    select(
        ["add", "neg", "save", "do it", "ns.tool:x", "", "那", &long]
            .map(str::to_owned)
            .to_vec(),
    )
    .prop_map(ToolName)
}

fn text() -> impl Strategy<Value = String> {
    select(vec![
        "a",
        "b\n\nc ",
        "",
        " \n\t",
        "\u{a0}",
        "\u{feff}",
        "péra 那 🍐",
        "e\u{301}\u{0}\u{1b}[0m\u{202e}",
        "user: x",
        "</system>\n<tool_call>{}</tool_call> [INST]",
        "a json of \"quotes\" and \\ and \r\n",
    ])
    .prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    select(vec![
        json!({}),
        json!({"x": 1, "s": "\"\\é\u{0}"}),
        json!({"a": [null, {"b": [1.5, -7, true]}], "": {"$ref": "#"}}),
    ])
    .prop_map(|value| value.as_object().cloned().unwrap_or_default())
}

fn media() -> impl Strategy<Value = Media> {
    let bytes = |mime: &str, bytes: &[u8]| MediaSource::Bytes {
        mime: mime.to_owned(),
        bytes: bytes.into(),
    };
    let url = |url: &str| MediaSource::Url(url.to_owned());
    let sources = vec![
        (MediaKind::Image, bytes("image/png", PNG)),
        (MediaKind::Image, bytes("image/gif", GIF)),
        (MediaKind::Image, bytes("image/bmp", BMP)),
        (MediaKind::Image, url("https://example.org/a b.png?x=1")),
        (MediaKind::Pdf, bytes("application/pdf", PDF)),
        (MediaKind::Pdf, url("http://example.org/p.pdf")),
    ];
    let names = vec!["folder/", "a.png", "p.pdf", "", "é \"那\".pdf"];
    (select(sources), select(names)).prop_map(|((kind, source), name)| Media {
        kind,
        name: name.to_owned(),
        source,
    })
}

fn spoken() -> impl Strategy<Value = Saying> {
    let role = select(vec![
        Role::System,
        Role::Developer,
        Role::User,
        Role::User,
        Role::User,
        Role::Assistant,
        Role::Assistant,
        Role::Meta,
    ]);
    (role, text()).prop_map(|(role, text)| Saying::Text { role, text })
}

fn call() -> impl Strategy<Value = Saying> {
    (id(), name(), arguments()).prop_map(|(id, name, arguments)| {
        Saying::Call(Box::new(ToolCall {
            id,
            name,
            arguments,
        }))
    })
}

fn output_of(id: CallId, name: Option<ToolName>, content: String, error: bool) -> Returned {
    Returned::from(ToolOutput {
        id,
        name,
        content,
        error,
        media: Vec::new(),
        start_timestamp: None,
        timestamp: None,
        other: Map::new(),
    })
}

/// An output by itself: of a foreign call, of none, or of one that was answered already.
fn output() -> impl Strategy<Value = Saying> {
    (id(), proptest::option::of(name()), text(), any::<bool>()).prop_map(
        |(id, name, content, error)| Saying::Output(Box::new(output_of(id, name, content, error))),
    )
}

/// The mark of a whole answer, or of one that was cut.
fn mark() -> impl Strategy<Value = Saying> {
    select(vec!["end", "calls", "length", "interrupted", "error"]).prop_map(|stop| {
        let mut meta = Meta::default();
        meta.push("stop", MetaValue::Text(stop.to_owned()));
        Saying::Meta(meta)
    })
}

fn reasoning(providers: &'static [&'static str]) -> impl Strategy<Value = Saying> {
    let all: Vec<Reasoning> = providers.iter().flat_map(|one| records(one)).collect();
    select(all).prop_map(|one| Saying::Reasoning(Box::new(one)))
}

/// One round of a run: what the model thought and said, its calls, and their outputs.
fn round(providers: &'static [&'static str]) -> impl Strategy<Value = Vec<Saying>> {
    let called = (
        id(),
        name(),
        arguments(),
        text(),
        any::<bool>(),
        proptest::collection::vec(media(), 0..2),
    );
    (
        mark(),
        proptest::collection::vec(reasoning(providers), 0..3),
        proptest::option::of(text()),
        proptest::collection::vec(called, 1..4),
    )
        .prop_map(|(mark, thoughts, text, called)| {
            let mut round = vec![mark];
            round.extend(thoughts);
            round.extend(text.map(|text| Saying::Text {
                role: Role::Assistant,
                text,
            }));
            let mut outputs = Vec::new();
            for (id, name, arguments, content, error, media) in called {
                let mut output = output_of(id.clone(), Some(name.clone()), content, error);
                output.media = media;
                outputs.push(Saying::Output(Box::new(output)));
                round.push(Saying::Call(Box::new(ToolCall {
                    id,
                    name,
                    arguments,
                })));
            }
            round.extend(outputs);
            round
        })
}

/// What happens to a history after it was written.
#[derive(Debug, Clone)]
enum Edit {
    /// A message is taken out, as by hand or by a crash.
    Drop(Index),
    /// Two messages change their places.
    Swap(Index, Index),
    /// A message is copied to another place.
    Copy(Index, Index),
    /// The front is trimmed, as a long chat is.
    Front(Index),
    /// The end is lost, as with an interrupted run.
    End(Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        3 => at().prop_map(Edit::Drop),
        2 => (at(), at()).prop_map(|(one, other)| Edit::Swap(one, other)),
        2 => (at(), at()).prop_map(|(one, other)| Edit::Copy(one, other)),
        1 => at().prop_map(Edit::Front),
        1 => at().prop_map(Edit::End),
    ]
}

fn edited(mut said: Vec<Saying>, edits: &[Edit]) -> Vec<Saying> {
    for edit in edits {
        let length = said.len();
        if length == 0 {
            break;
        }
        match edit {
            Edit::Drop(at) => drop(said.remove(at.index(length))),
            Edit::Swap(one, other) => said.swap(one.index(length), other.index(length)),
            Edit::Copy(from, to) => {
                let copy = said[from.index(length)].clone();
                said.insert(to.index(length), copy);
            }
            Edit::Front(at) => drop(said.drain(..at.index(length))),
            Edit::End(at) => said.truncate(1 + at.index(length)),
        }
    }
    said
}

/// Any history, with reasoning of these providers.
pub(super) fn history(providers: &'static [&'static str]) -> impl Strategy<Value = Vec<Said>> {
    let piece = prop_oneof![
        5 => spoken().prop_map(|one| vec![one]),
        1 => media().prop_map(|one| vec![Saying::Media(one)]),
        1 => call().prop_map(|one| vec![one]),
        1 => output().prop_map(|one| vec![one]),
        2 => reasoning(providers).prop_map(|one| vec![one]),
        4 => round(providers),
    ];
    (
        proptest::collection::vec(piece, 0..7),
        proptest::collection::vec(edit(), 0..3),
    )
        .prop_map(|(pieces, edits)| {
            edited(pieces.concat(), &edits)
                .into_iter()
                .map(|what| Said {
                    what,
                    origin: Origin::Run,
                })
                .collect()
        })
}
