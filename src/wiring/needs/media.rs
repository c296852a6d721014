//! Pictures and documents: their type is told from their bytes.

use super::lookup::Sought;
use super::reading::bytes_of;
use super::{Answerer, failed};
use crate::plan::{Base, Found, Media, MediaKind, MediaSource};

impl Answerer {
    pub(super) fn media(&self, name: &str, kind: MediaKind, base: &Base) -> Result<Found, Found> {
        let name_of = || name.to_owned();
        if is_url(name) {
            return Ok(Found::Media(Media {
                kind,
                name: name_of(),
                source: MediaSource::Url(name_of()),
            }));
        }
        let path = self.look_up(name, base, Sought::File)?;
        let (bytes, _) = bytes_of(name, &path, base, self.read_limits.media)?;
        let media = Media::of_kind(name_of(), &format!("`{name}`"), kind, bytes);
        media.map(Found::Media).map_err(|error| failed(&error))
    }
}

fn is_url(name: &str) -> bool {
    ["http://", "https://"].iter().any(|start| {
        name.get(..start.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_names() {
        assert!(is_url("HTTPS://a.example/x.png") && is_url("http://a.example/x.png"));
        assert!(!is_url("http.png") && !is_url("é") && !is_url("file:///etc/passwd"));
    }
}
