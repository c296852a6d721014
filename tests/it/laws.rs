//! The laws of the format, each in 10,000 random cases made of the format's own special pieces.

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::proptest;
use scoutai::chat::{LineEnd, Role, normal};

use crate::checks;

fn line_end(choice: bool) -> LineEnd {
    if choice { LineEnd::CrLf } else { LineEnd::Lf }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 10_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_was_written_is_read_exactly(bytes in vec(any::<u8>(), 0..100)) {
        checks::exact(&checks::messages(&bytes));
    }

    #[test]
    fn what_is_appended_changes_nothing_before_it(
        old in vec(any::<u8>(), 0..60),
        new in vec(any::<u8>(), 0..60),
        crlf in any::<bool>(),
    ) {
        checks::append_only(&checks::file(&old), &checks::messages(&new), line_end(crlf));
    }

    #[test]
    fn a_record_is_never_refused_for_what_stands_before_it(
        old in vec(any::<u8>(), 0..60),
        new in vec(any::<u8>(), 0..60),
    ) {
        let mark = scoutai::chat::Message::new(Role::Meta, "inference_id=a pt=1");
        let mut record = vec![mark];
        record.extend(checks::messages(&new));
        checks::append_only(&checks::file(&old), &record, LineEnd::Lf);
    }

    #[test]
    fn appending_in_pieces_is_appending_whole(
        old in vec(any::<u8>(), 0..40),
        new in vec(any::<u8>(), 0..50),
    ) {
        checks::in_pieces(&checks::file(&old), &checks::messages(&new));
    }

    #[test]
    fn a_text_stays_text(
        old in vec(any::<u8>(), 0..30),
        role in 0..49_usize,
        text in vec(any::<u8>(), 0..60),
    ) {
        let role = Role::all().nth(role).expect("there are 49 roles");
        checks::only_text(&checks::file(&old), role, &checks::text(&text));
    }

    #[test]
    fn any_text_of_pieces_is_read(bytes in vec(any::<u8>(), 0..80)) {
        checks::sound(&checks::text(&bytes));
    }

    #[test]
    fn any_text_at_all_is_read(text in "\\PC{0,30}[\\x00-\\x7f]{0,30}(\\r|\\n|.){0,30}") {
        checks::sound(&text);
    }

    #[test]
    fn the_normal_form_is_its_own(bytes in vec(any::<u8>(), 0..60)) {
        let once = normal(&checks::text(&bytes));
        assert_eq!(normal(&once), once);
    }
}
