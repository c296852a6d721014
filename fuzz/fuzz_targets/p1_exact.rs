//! P1: what is written is read again, exactly.

#![no_main]

#[path = "../../tests/it/checks.rs"]
#[expect(dead_code, reason = "each target uses a part of the checks")]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::exact(&checks::messages(bytes)));
