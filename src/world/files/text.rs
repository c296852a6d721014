//! Bytes to text, and names to text that can be shown.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Why bytes are no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    #[error("is UTF-16, and UTF-8 is wanted")]
    Utf16,
    #[error("is no text: it holds a NUL at byte {at}")]
    Nul { at: usize },
    #[error("is not UTF-8 at byte {at}")]
    NotUtf8 { at: usize },
}

/// Makes text of bytes as they are: UTF-8 only.
pub fn exact_text_of(bytes: Vec<u8>) -> Result<String, TextFault> {
    if has_wide_mark(&bytes) {
        return Err(TextFault::Utf16);
    }
    String::from_utf8(bytes).map_err(|error| TextFault::NotUtf8 {
        at: error.utf8_error().valid_up_to(),
    })
}

/// Makes text of bytes: UTF-8 only, the byte order mark dropped, CRLF made LF.
pub fn text_of(bytes: Vec<u8>) -> Result<String, TextFault> {
    if has_wide_mark(&bytes) {
        return Err(TextFault::Utf16);
    }
    // UTF-16 without a mark: for Latin letters, every other byte is NUL.
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let half = bytes.len() / 2;
        let pairs = bytes.chunks_exact(2);
        let low = pairs.clone().filter(|pair| pair[1] == 0).count();
        let high = pairs.filter(|pair| pair[0] == 0).count();
        if half > 0 && bytes.len().is_multiple_of(2) && (low == half) != (high == half) {
            return Err(TextFault::Utf16);
        }
        return Err(TextFault::Nul { at });
    }
    let text = exact_text_of(bytes)?;
    let text = match text.strip_prefix('\u{FEFF}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(if text.contains("\r\n") {
        text.replace("\r\n", "\n")
    } else {
        text
    })
}

/// Tells whether bytes begin with the byte order mark of UTF-16.
fn has_wide_mark(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF])
}

/// Writes a name so that it can be shown: control characters and bytes that are not UTF-8 as
/// `\xFF`, a backslash as two.
pub fn escaped(name: &OsStr) -> String {
    use std::fmt::Write;
    let mut shown = String::new();
    let hex = |shown: &mut String, bytes: &[u8]| {
        for byte in bytes {
            write!(shown, "\\x{byte:02X}").expect("a string takes all");
        }
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' {
                shown.push_str("\\\\");
            } else if c.is_control() || is_unseen(c) {
                hex(&mut shown, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                shown.push(c);
            }
        }
        hex(&mut shown, chunk.invalid());
    }
    shown
}

/// Line separators and marks that turn the direction of text: a name must not forge its line.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}
