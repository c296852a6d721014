//! Files of Scout are read as Scout reads them, or differ for a reason that `docs/FORMAT.md` gives.

use std::path::Path;
use std::sync::Arc;

use scoutai::chat::{Chat, decode, parse};

/// The files that are read differently, each with the rows of the table of differences that say
/// why, by their first cells.
const DIFFERENT: [(&str, &[&str]); 56] = [
    ("cmd_close_forms", &[HEADER, OUTPUTS]),
    ("cmd_closed_by_brackets", &[HEADER, ONE_LINE, NESTING]),
    ("cmd_in_fence", &[NESTING]),
    ("cmd_indented_no_prefix", &[HEADER, OUTPUTS, BLANKS]),
    ("cmd_quotes", &[OUTPUTS]),
    ("cmd_unclosed", &[UNCLOSED]),
    ("enc_bom", &[BYTES]),
    ("enc_control_chars", &[BYTES]),
    ("enc_cr_only", &[HEADER, BYTES]),
    ("enc_crlf", &[BYTES]),
    ("enc_crlf_blocks", &[BYTES]),
    ("enc_invalid_utf8", &[BYTES]),
    ("enc_long_line", &[HEADER]),
    ("enc_unicode_spaces", &[BYTES]),
    ("enc_zero_width_header", &[HEADER]),
    ("esc_basic", &[ESCAPES]),
    ("esc_odd_forms", &[ESCAPES]),
    ("fence_close_with_text", &[HEADER, FENCES]),
    ("fence_nested", &[HEADER, FENCES]),
    ("fence_one_line", &[UNCLOSED, FENCES]),
    ("fence_tilde", &[FENCES]),
    ("fence_unbalanced", &[UNCLOSED]),
    ("hdr_digits_underscores", &[HEADER]),
    ("hdr_hyphen_dot", &[HEADER]),
    ("hdr_inline_many_colons", &[HEADER, GOES_ON]),
    ("hdr_json_prose", &[HEADER]),
    ("hdr_prose_note", &[HEADER]),
    ("hdr_text_after_inline", &[GOES_ON, AFTER_INLINE]),
    ("hdr_unknown_roles", &[HEADER]),
    ("hdr_url_lines", &[HEADER]),
    ("hdr_windows_path", &[HEADER]),
    ("hdr_yaml_prose", &[HEADER]),
    ("sq_bash_test", &[UNCLOSED, ONE_LINE]),
    ("sq_close_mid_line", &[HEADER, ONE_LINE]),
    ("sq_fence_inside", &[NESTING]),
    ("sq_in_fence", &[ONE_LINE, NESTING]),
    ("sq_json_array", &[UNCLOSED, ONE_LINE]),
    ("sq_nested", &[HEADER, ONE_LINE]),
    ("sq_one_line", &[ONE_LINE]),
    ("sq_one_line_swallow", &[UNCLOSED, ONE_LINE]),
    ("sq_open_close_with_text", &[HEADER, ONE_LINE]),
    ("xml_attributes", &[HEADER]),
    ("xml_basic", &[HEADER]),
    ("xml_close_before_open", &[UNCLOSED]),
    ("xml_close_mid_line", &[HEADER]),
    ("xml_comment_doctype", &[HEADER]),
    ("xml_fence_inside", &[NESTING]),
    ("xml_indented_case", &[HEADER, BLANKS]),
    ("xml_nested_different", &[HEADER]),
    ("xml_nested_same", &[HEADER, NESTING]),
    ("xml_one_line_swallow", &[UNCLOSED, ONE_LINE]),
    ("xml_self_closing", &[HEADER]),
    ("xml_square_inside_stack_leak", &[ONE_LINE, NESTING]),
    ("xml_tag_names", &[HEADER, NAMES]),
    ("xml_two_closings_one_line", &[NESTING]),
    ("xml_unclosed", &[HEADER]),
];

// The rows, by their first cells.
const HEADER: &str = "any `[a-z0-9_]+:` is a header";
const GOES_ON: &str = "text after `user: a` is a new message of the block before";
const AFTER_INLINE: &str =
    "text after an inline directive in an `assistant` block is the assistant's";
const UNCLOSED: &str = "an unclosed fence or `[[` swallows the rest";
const ONE_LINE: &str = "one-line `[[x]]` and `<p>x</p>` open a region; `[[ x` does";
const FENCES: &str = "any line of three backticks toggles a fence; `~~~` is text";
const NESTING: &str =
    "regions nest and mix by stack rules; a fence inside XML loses its fence lines";
const NAMES: &str = r"tag names are `\w+`";
const ESCAPES: &str = r"any `\word:` loses its backslash; lines inside regions keep theirs";
const BYTES: &str = "CRLF kept in content, BOM hides the first header, bad UTF-8 dropped silently, Unicode blanks count";
const OUTPUTS: &str = "`WORD:--` forms without blanks or with any prefix";
const BLANKS: &str = "blank lines next to fences are dropped, all content is stripped";

/// A message as the fixtures have it.
pub(crate) type Said = (String, String);

#[test]
fn files_of_scout_are_read_as_before_or_differ_on_purpose() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scout");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "chat"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 116);

    let mut faults = Vec::new();
    for name in &names {
        let ours = ours(&folder.join(format!("{name}.chat")));
        let theirs = theirs(&folder.join(format!("{name}.json")));
        let listed = DIFFERENT.iter().any(|(known, _)| known == name);
        match (ours == Ok(theirs.clone()), listed) {
            (true, false) | (false, true) => {}
            (true, true) => {
                faults.push(format!("{name}: is listed, but is read as Scout reads it"));
            }
            (false, false) => {
                faults.push(format!("{name}:\n  ours   {ours:?}\n  theirs {theirs:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_difference_stands_in_the_table() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/FORMAT.md"))
            .unwrap();
    let (_, table) = page.split_once("\n## Differences from Scout").unwrap();
    let rows: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
        .collect();
    for (name, reasons) in DIFFERENT {
        for reason in reasons {
            assert!(rows.contains(reason), "{name}: no row `{reason}`");
        }
    }
}

/// The messages that have text, or the reason why there are none.
pub(crate) fn ours(path: &Path) -> Result<Vec<Said>, String> {
    let place: Arc<Path> = Arc::from(path);
    let text = decode(std::fs::read(path).unwrap(), &place).map_err(|error| error.message)?;
    let Chat {
        messages,
        diagnostics,
        ..
    } = parse(&text, &place);
    if let Some(error) = diagnostics.first() {
        return Err(error.message.clone());
    }
    Ok(messages
        .into_iter()
        .filter(|message| !message.content.is_empty())
        .map(|message| (message.role.name().to_owned(), message.content))
        .collect())
}

pub(crate) fn theirs(path: &Path) -> Vec<Said> {
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    json.as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let field = |name: &str| message[name].as_str().unwrap().to_owned();
            (field("role"), field("content"))
        })
        .filter(|(_, content)| !content.is_empty())
        .collect()
}
