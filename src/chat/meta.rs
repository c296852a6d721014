//! The meta line: `key=value` pairs that a run leaves with each inference.

/// A value of a meta line.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaValue {
    Integer(i64),
    Number(f64),
    Text(String),
}

/// The content of a `meta` message: keys with values, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meta {
    pub entries: Vec<(String, MetaValue)>,
}

impl Meta {
    /// Gives the value of a key.
    pub fn get(&self, key: &str) -> Option<&MetaValue> {
        self.entries
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }

    /// Gives the value of a key as text, when it is text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(MetaValue::Text(text)) => Some(text),
            Some(MetaValue::Integer(_) | MetaValue::Number(_)) | None => None,
        }
    }

    /// Gives the value of a key as a count, when it is one.
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.get(key) {
            Some(MetaValue::Integer(count)) => u64::try_from(*count).ok(),
            Some(MetaValue::Text(_) | MetaValue::Number(_)) | None => None,
        }
    }

    /// Adds a pair at the end.
    pub fn push(&mut self, key: &str, value: MetaValue) {
        self.entries.push((key.to_owned(), value));
    }

    /// Tells whether the line marks the start of a record.
    pub fn is_mark(&self) -> bool {
        self.get("inference_id").is_some()
    }
}
