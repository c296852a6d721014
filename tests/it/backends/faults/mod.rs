//! Faults that are known of tools like this one, once for each protocol.

mod histories;
mod tongues;

use scoutai::backends::{ErrorKind, HttpBackend, Preset, Protocol, Stop};
use scoutai::chat::Role;
use scoutai::plan::Item;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::tongues::{Ending, Told, frames, play, whole};
use super::asking::{Asked, ask_with, endpoint, said};
use super::golden::usual_preset;
use crate::fakellm::{FakeLlm, Play};

fn ask(protocol: Protocol, server: &FakeLlm) -> Asked {
    let wire = Preset::find(usual_preset(protocol)).unwrap().wire(protocol);
    let backend = HttpBackend::new(endpoint(&server.url), wire).unwrap();
    let history = [said(Role::User, "q")];
    ask_with(&backend, &history, &CancellationToken::new(), &mut |_| {})
}

fn ask_play(protocol: Protocol, play: Play) -> Asked {
    ask(protocol, &FakeLlm::start(vec![play]))
}

const END: Told = Told::End(Ending::Stop);

#[test]
fn the_cuts_of_the_network_change_no_character() {
    for protocol in Protocol::ALL {
        let text = [Told::Text("péra "), Told::Text("那 🍐"), END];
        for size in [1, 2, 3, 5, 10_000] {
            let asked = ask_play(protocol, play(protocol, &text).in_pieces_of(size));
            let name = protocol.name();
            assert_eq!(asked.answer(), "péra 那 🍐", "{name} {size}");
            assert_eq!(asked.text(), "péra 那 🍐", "{name} {size}");
        }
        // The stream ends inside a character.
        let all = frames(protocol, &[Told::Text("péra "), Told::Text("那")]).concat();
        let that = "那".as_bytes();
        let at = all.windows(3).rposition(|three| three == that).unwrap() + 1;
        let cut = whole(protocol, &all[..at]);
        let failed = ask_play(protocol, cut);
        assert_eq!(failed.failure().error.kind, ErrorKind::Cut, "{protocol:?}");
        assert!(!failed.text().contains('\u{fffd}'), "{protocol:?}");
    }
}

#[test]
fn line_ends_of_both_kinds_read_alike() {
    for protocol in Protocol::ALL {
        // Frames of bytes have no lines.
        if protocol == Protocol::Bedrock {
            continue;
        }
        let lines = frames(protocol, &[Told::Text("one "), Told::Text("two"), END]).concat();
        let lines = String::from_utf8(lines).unwrap();
        let dos = whole(protocol, lines.replace('\n', "\r\n"));
        assert_eq!(ask_play(protocol, dos).answer(), "one two", "{protocol:?}");
    }
}

#[test]
fn an_error_before_any_text_is_tried_again() {
    for protocol in Protocol::ALL {
        let server = FakeLlm::start(vec![
            play(protocol, &[Told::Busy]),
            whole(protocol, ""),
            Play::json(500, &json!({"error": {"message": "no"}})),
            play(protocol, &[Told::Text("at last"), END]),
        ]);
        let asked = ask(protocol, &server);
        assert_eq!(asked.text(), "[2][3][4]at last", "{protocol:?} {asked:?}");
        assert_eq!(server.requests().len(), 4, "{protocol:?}");
    }
}

#[test]
fn an_error_in_place_of_a_stream_is_a_failure() {
    for protocol in Protocol::ALL {
        let error = json!({"type": "error",
            "error": {"message": "not so", "type": "invalid_request_error"}});
        let server = FakeLlm::start(vec![Play::json(200, &error)]);
        let failed = ask(protocol, &server).failed();
        assert!(failed.contains("not so"), "{protocol:?} {failed}");
        assert_eq!(server.requests().len(), 1, "{protocol:?}");
    }
}

#[test]
fn an_error_after_some_text_is_told_and_the_text_is_kept() {
    for protocol in Protocol::ALL {
        let half = play(protocol, &[Told::Text("half"), Told::Busy]);
        let server = FakeLlm::start(vec![half, play(protocol, &[Told::Text("whole"), END])]);
        let asked = ask(protocol, &server);
        let failed = asked.failed();
        assert!(failed.contains("busy"), "{protocol:?} {failed}");
        assert!(failed.ends_with(" / half"), "{protocol:?} {failed}");
        let partial = asked.failure().partial.as_ref().unwrap();
        assert_eq!(
            (&partial.stop, server.requests().len()),
            (&Stop::Error, 1),
            "{protocol:?}"
        );
    }
}

#[test]
fn a_connection_lost_after_text_is_not_tried_again_behind_the_users_back() {
    for protocol in Protocol::ALL {
        let said = [Told::Text("The capital of Zubrow"), Told::Text("ka"), END];
        let first = frames(protocol, &[Told::Text("The capital of Zubrow")]).len();
        // The first chunk is empty and is not sent.
        let cut = play(protocol, &said).broken_after(1 + first);
        let server = FakeLlm::start(vec![cut, play(protocol, &[Told::Text("Lutz."), END])]);
        let asked = ask(protocol, &server);
        let failed = asked.failed();
        assert!(
            failed.starts_with("Cut: ") && failed.ends_with(" / The capital of Zubrow"),
            "{protocol:?} {failed}"
        );
        assert_eq!(server.requests().len(), 1, "{protocol:?}");
    }
}

#[test]
fn a_call_of_a_lost_connection_is_forgotten() {
    for protocol in Protocol::ALL {
        let call = play(protocol, &[Told::Call(r#"{"path":"a"}"#)]);
        let length = frames(protocol, &[Told::Call("{}")]).len();
        let server = FakeLlm::start(vec![
            call.broken_after(1 + length),
            play(protocol, &[Told::Text("whole"), END]),
        ]);
        let asked = ask(protocol, &server);
        assert_eq!(asked.answer(), "whole", "{protocol:?}");
    }
}

#[test]
fn reasons_that_are_not_known_are_kept_as_they_are() {
    for protocol in Protocol::ALL {
        let told = [Told::Text("one"), Told::End(Ending::Unheard)];
        let reply = ask_play(protocol, play(protocol, &told)).outcome.unwrap();
        assert_eq!(reply.stop, Stop::Other("unheard".into()), "{protocol:?}");
    }
}

#[test]
fn a_call_without_arguments_has_none() {
    for protocol in Protocol::ALL {
        for arguments in ["", "  ", "null", "{}"] {
            let told = [Told::Call(arguments), END];
            let reply = ask_play(protocol, play(protocol, &told)).outcome.unwrap();
            let [Item::Call(call)] = reply.items.as_slice() else {
                panic!("{protocol:?} {arguments:?}: {reply:?}");
            };
            assert_eq!((&*call.name.0, call.arguments.len()), ("save", 0));
            assert_eq!(reply.stop, Stop::Calls, "{protocol:?} {arguments:?}");
        }
    }
}

#[test]
fn a_call_that_the_limit_cut_is_not_made() {
    for protocol in Protocol::ALL {
        let cut = r#"{"path": "a.txt", "text": "one two"#;
        let told = [
            Told::Text("I save."),
            Told::Call(cut),
            Told::End(Ending::Length),
        ];
        let reply = ask_play(protocol, play(protocol, &told)).outcome.unwrap();
        assert_eq!(reply.stop, Stop::Length, "{protocol:?}");
        assert_eq!(reply.items, [Item::Text("I save.".into())], "{protocol:?}");
        assert_eq!(reply.cut_calls.len(), 1, "{protocol:?}");
    }
}

#[test]
fn a_filter_is_told_and_not_tried_again() {
    for protocol in Protocol::ALL {
        // Ollama has no filter.
        if protocol == Protocol::Ollama {
            continue;
        }
        for (told, kept) in [
            (&[Told::Text("I "), Told::End(Ending::Filter)][..], "I "),
            (&[Told::End(Ending::Filter)], ""),
        ] {
            let server = FakeLlm::start(vec![play(protocol, told)]);
            let asked = ask(protocol, &server);
            let failure = asked.failure();
            assert_eq!(
                (failure.error.kind, server.requests().len(), asked.text()),
                (ErrorKind::Refused, 1, kept.to_owned()),
                "{protocol:?} {told:?}"
            );
        }
    }
}

#[test]
fn an_empty_answer_is_a_failure() {
    for protocol in Protocol::ALL {
        let asked = ask_play(protocol, play(protocol, &[Told::Text(""), END]));
        assert_eq!(asked.failure().error.kind, ErrorKind::Empty, "{protocol:?}");
    }
}

/// Refusals that are no reason to stop, and questions that are blocked.
#[test]
fn refusals_of_other_shapes_are_told() {
    let refused = json!({"type": "refusal", "refusal": "No."});
    for (protocol, body) in [
        (
            Protocol::ChatCompletions,
            json!({"choices": [{"message": {"content": null, "refusal": "No."},
                "finish_reason": "stop"}]}),
        ),
        (
            Protocol::Responses,
            json!({"id": "resp_1", "status": "completed", "output": [{"type": "message",
                "role": "assistant", "content": [refused]}]}),
        ),
        (
            Protocol::Anthropic,
            json!({"type": "message", "content": [], "stop_reason": "refusal",
                "stop_details": {"explanation": "No."}}),
        ),
        (
            Protocol::Gemini,
            json!({"promptFeedback": {"blockReason": "SAFETY"}}),
        ),
    ] {
        let server = FakeLlm::start(vec![Play::json(200, &body)]);
        let failed = ask(protocol, &server).failed();
        assert!(failed.starts_with("Refused: "), "{protocol:?} {failed}");
        assert_eq!(server.requests().len(), 1, "{protocol:?}");
    }
}
