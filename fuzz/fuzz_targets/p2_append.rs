//! P2: what is appended changes nothing before it, at once or in pieces.

#![no_main]

use scoutai::chat::{LineEnd, Message, Role};

#[path = "../../tests/it/checks.rs"]
#[expect(dead_code, reason = "each target uses a part of the checks")]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // How the lines end and what begins the new text, how long the old text is, and both.
    let [choice, length, rest @ ..] = bytes else {
        return;
    };
    let (old, new) = rest.split_at(usize::from(*length).min(rest.len()));
    let old = checks::file(old);
    let mut new = checks::messages(new);
    let line_end = if choice & 1 == 0 { LineEnd::Lf } else { LineEnd::CrLf };
    if choice & 2 == 0 {
        new.insert(0, Message::new(Role::Meta, "inference_id=f pt=1"));
    }
    checks::append_only(&old, &new, line_end);
    checks::in_pieces(&old, &new);
});
