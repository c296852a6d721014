//! Histories that poisoned sessions, taken by the strict server of each protocol.

use scoutai::backends::{HttpBackend, Preset, Protocol};
use scoutai::chat::Role;
use scoutai::plan::Said;
use tokio_util::sync::CancellationToken;

use super::tongues::{Ending, Told, play};
use crate::backends::asking::{ask_with, endpoint, said};
use crate::backends::golden::usual_preset;
use crate::backends::rules::{call, output};
use crate::fakellm::FakeLlm;
use crate::strict::Api;

fn taken_everywhere(history: &[Said]) {
    for protocol in Protocol::ALL {
        let api = Api::from_name(protocol.name()).expect("each protocol has its rules");
        let fine = [Told::Text("fine"), Told::End(Ending::Stop)];
        let server = FakeLlm::strict_as(vec![play(protocol, &fine)], api);
        let wire = Preset::find(usual_preset(protocol)).unwrap().wire(protocol);
        let backend = HttpBackend::new(endpoint(&server.url), wire).unwrap();
        let asked = ask_with(&backend, history, &CancellationToken::new(), &mut |_| {});
        assert_eq!(asked.text(), "fine", "{protocol:?} {asked:?}");
    }
}

#[test]
fn an_interrupted_run_is_taken_up_again() {
    taken_everywhere(&[
        said(Role::User, "q"),
        call("a"),
        call("b"),
        output("a", "A", false),
        said(Role::User, "and?"),
    ]);
}

#[test]
fn empty_content_is_never_sent() {
    taken_everywhere(&[
        said(Role::User, "q"),
        call("a"),
        output("a", "", false),
        said(Role::Assistant, ""),
        call("b"),
        output("b", "\n", true),
        said(Role::User, "more"),
    ]);
}

#[test]
fn roles_in_any_order_are_taken() {
    taken_everywhere(&[
        said(Role::Assistant, "hello"),
        said(Role::User, "a"),
        said(Role::User, "b"),
        said(Role::System, "now in French"),
        said(Role::Assistant, "c"),
        said(Role::Assistant, "d"),
        said(Role::User, "e"),
        call("a"),
        output("a", "A", false),
        said(Role::User, "f"),
    ]);
}
