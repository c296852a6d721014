//! `data:` URLs: media that stand in the chat itself.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

/// Padding tells nothing, and people lose it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Why a `data:` URL holds no bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadUrl {
    NoComma,
    /// A byte of it, by its place in the URL.
    Byte(usize),
    /// The end is missing.
    Cut,
}

/// Tells whether a name is a `data:` URL.
pub(super) fn is_data_url(name: &str) -> bool {
    name.get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("data:"))
}

/// Gives the bytes that a `data:` URL holds, whatever type it gives them. Base64 may be broken
/// into lines, and may be that of file names.
pub(super) fn bytes(url: &str) -> Result<Vec<u8>, BadUrl> {
    let comma = url.find(',').ok_or(BadUrl::NoComma)?;
    let (head, body) = (&url[..comma], &url[comma + 1..]);
    let places = unescaped(body, comma + 1);
    let is_base64 = head
        .rsplit(';')
        .next()
        .is_some_and(|last| last.trim().eq_ignore_ascii_case("base64"));
    if !is_base64 {
        return Ok(places.into_iter().map(|(byte, _)| byte).collect());
    }
    let places: Vec<(u8, usize)> = places
        .into_iter()
        .filter(|(byte, _)| !byte.is_ascii_whitespace())
        .map(|(byte, place)| match byte {
            b'-' => (b'+', place),
            b'_' => (b'/', place),
            byte => (byte, place),
        })
        .collect();
    // The decoder looks at the end first, and people want the first place.
    let odd = places
        .iter()
        .find(|(byte, _)| !byte.is_ascii_alphanumeric() && !b"+/=".contains(byte));
    if let Some((_, at)) = odd {
        return Err(BadUrl::Byte(*at));
    }
    let digits: Vec<u8> = places.iter().map(|(byte, _)| *byte).collect();
    BASE64.decode(&digits).map_err(|error| match error {
        base64::DecodeError::InvalidByte(at, _) | base64::DecodeError::InvalidLastSymbol(at, _) => {
            places
                .get(at)
                .map_or(BadUrl::Cut, |(_, at)| BadUrl::Byte(*at))
        }
        base64::DecodeError::InvalidLength(_) | base64::DecodeError::InvalidPadding => BadUrl::Cut,
    })
}

/// Undoes `%2B` and its like; each byte comes with its place, counted on from `from`.
fn unescaped(text: &str, from: usize) -> Vec<(u8, usize)> {
    let bytes = text.as_bytes();
    let mut places = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escaped = bytes
            .get(at + 1..at + 3)
            .filter(|_| *byte == b'%')
            .and_then(|pair| {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()
            });
        places.push((escaped.unwrap_or(*byte), from + at));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    places
}

#[cfg(test)]
mod tests {
    use super::{BadUrl, bytes, is_data_url};

    #[test]
    fn bytes_come_out_however_they_are_written() {
        for url in [
            "data:image/png;base64,+/8=",
            "DATA:;charset=x;BASE64,+/8",
            "data:x;base64,-_8=",
            "data:x;base64,%2B%2f8%3D",
            "data:x;base64, +/\n 8=",
            "data:,%fb%FF",
        ] {
            assert_eq!(bytes(url), Ok(vec![0xfb, 0xff]), "{url}");
        }
        assert_eq!(bytes("data:,a%zz%4"), Ok(b"a%zz%4".to_vec()));
        assert_eq!(bytes("data:;base64,"), Ok(Vec::new()));
    }

    #[test]
    fn what_is_broken_has_a_place() {
        assert_eq!(bytes("data:image/png;base64"), Err(BadUrl::NoComma));
        assert_eq!(bytes("data:;base64,iV BO!xyz"), Err(BadUrl::Byte(18)));
        assert_eq!(bytes("data:;base64,iVBé"), Err(BadUrl::Byte(16)));
        assert_eq!(bytes("data:;base64,iVBOi"), Err(BadUrl::Cut));
        assert_eq!(bytes("data:;base64,=iVBO"), Err(BadUrl::Byte(13)));
    }

    #[test]
    fn other_names_are_none() {
        assert!(is_data_url("Data:x") && !is_data_url("data") && !is_data_url("datä:"));
    }
}
