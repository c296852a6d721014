//! Keys, checked before anything is sent.

use reqwest::header::HeaderValue;

use crate::backends::{BackendError, ErrorKind, KeyHeader};
use crate::world::Secret;

/// A key that can be sent, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    secret: Secret,
    source: KeySource,
}

/// Where a key was found: errors name this, never the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    Variable(String),
    File(String),
    Command(String),
    /// A setting of the configuration, such as `endpoints.work.key`.
    Setting(String),
}

impl Key {
    /// Takes a key, outer blanks trimmed; one that no header can carry is an error.
    pub fn new(value: &str, source: KeySource) -> Result<Key, BackendError> {
        let value = value.trim();
        let fault = if value.is_empty() {
            Some("is empty")
        } else if value.contains(char::is_whitespace) {
            Some("has a blank or a line break inside")
        } else if !value.chars().all(|c| c.is_ascii_graphic()) {
            Some("holds a character that is not visible ASCII")
        } else {
            None
        };
        match fault {
            None => Ok(Key {
                secret: Secret::new(value),
                source,
            }),
            Some(fault) => Err(BackendError {
                kind: ErrorKind::Authentication,
                message: format!("the key from {source} {fault}"),
                hint: Some(format!("put the key alone into {source}")),
                request_id: None,
            }),
        }
    }

    /// Gives where it came from.
    pub fn source(&self) -> &KeySource {
        &self.source
    }

    pub(super) fn secret(&self) -> &Secret {
        &self.secret
    }

    pub(super) fn in_header(&self, header: KeyHeader) -> HeaderValue {
        let key = self.secret.reveal();
        let value = match header {
            KeyHeader::Bearer => HeaderValue::try_from(format!("Bearer {key}")),
            KeyHeader::Named(_) => HeaderValue::try_from(key),
        };
        let mut value = value.expect("visible ASCII can stand in a header");
        value.set_sensitive(true);
        value
    }
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeySource::Variable(name) => write!(f, "the variable `{name}`"),
            KeySource::File(path) => write!(f, "the file `{path}`"),
            KeySource::Command(command) => write!(f, "the command `{command}`"),
            KeySource::Setting(name) => write!(f, "the setting `{name}`"),
        }
    }
}

/// Puts `(key)` for a secret in a text, and for the beginning of one where the text was cut.
///
/// Very short values are left: they are placeholders such as `none`, and words.
pub(super) fn mask(text: &str, secret: &Secret) -> String {
    let secret = secret.reveal().trim();
    if secret.len() < 6 {
        return text.to_owned();
    }
    let mut masked = text.replace(secret, "(key)");
    if let Some(cut) = masked.strip_suffix('…') {
        let begun = (4..secret.len())
            .rev()
            .filter_map(|length| secret.get(..length))
            .find_map(|beginning| cut.strip_suffix(beginning));
        if let Some(before) = begun {
            masked = format!("{before}(key)…");
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::{Key, KeySource, Secret, mask};

    #[test]
    fn secrets_are_masked_whole_and_cut() {
        let masked = ["a sk-canary-1 b", "a sk-cana…", "a sk-canary-", "none"]
            .map(|text| mask(text, &Secret::new(" sk-canary-1\n")));
        assert_eq!(masked, ["a (key) b", "a (key)…", "a sk-canary-", "none"]);
        assert_eq!(mask("none given", &Secret::new("none")), "none given");
    }

    #[test]
    fn outer_blanks_go_and_what_cannot_be_sent_is_an_error_without_the_value() {
        let tried = [
            "sk-canary-123\n",
            " sk-canary-123\r\n",
            "sk-canary 123",
            "sk-canary-é",
            "sk-\u{7f}canary",
            " \n",
        ]
        .map(
            |value| match Key::new(value, KeySource::Variable("X_KEY".into())) {
                Ok(key) => key.secret.reveal().to_owned(),
                Err(error) => error.message,
            },
        );
        assert_eq!(
            tried,
            [
                "sk-canary-123",
                "sk-canary-123",
                "the key from the variable `X_KEY` has a blank or a line break inside",
                "the key from the variable `X_KEY` holds a character that is not visible ASCII",
                "the key from the variable `X_KEY` holds a character that is not visible ASCII",
                "the key from the variable `X_KEY` is empty",
            ]
        );
    }
}
