//! P3: text stays text, and any text can be read.

#![no_main]

use scoutai::chat::Role;

#[path = "../../tests/it/checks.rs"]
#[expect(dead_code, reason = "each target uses a part of the checks")]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The role, how long the old text is, and both; the highest bit chooses plain bytes.
    let [role, length, rest @ ..] = bytes else {
        return;
    };
    let (old, new) = rest.split_at(usize::from(*length).min(rest.len()));
    let text = if role & 128 == 0 {
        checks::text(new)
    } else {
        String::from_utf8_lossy(new).into_owned()
    };
    let roles: Vec<Role> = Role::all().collect();
    checks::sound(&text);
    checks::only_text(&checks::file(old), roles[usize::from(role & 127) % roles.len()], &text);
});
