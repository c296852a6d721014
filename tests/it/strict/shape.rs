//! Shapes of JSON: tables of what each field may hold, which read like a provider's reference.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// Where something stands in a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum At<'a> {
    Top,
    Key(&'a At<'a>, &'a str),
    Place(&'a At<'a>, usize),
}

impl At<'_> {
    pub(super) fn key<'a>(&'a self, key: &'a str) -> At<'a> {
        At::Key(self, key)
    }

    pub(super) fn place(&self, place: usize) -> At<'_> {
        At::Place(self, place)
    }
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Top => f.write_str("request"),
            At::Key(At::Top, key) => f.write_str(key),
            At::Key(above, key) => write!(f, "{above}.{key}"),
            At::Place(above, place) => write!(f, "{above}[{place}]"),
        }
    }
}

/// What is wrong with a request.
#[derive(Debug, Default)]
pub(super) struct Faults(pub(super) Vec<String>);

impl Faults {
    pub(super) fn add(&mut self, at: At<'_>, words: impl fmt::Display) {
        self.0.push(format!("{at}: {words}"));
    }

    pub(super) fn unless(&mut self, right: bool, at: At<'_>, words: impl fmt::Display) {
        if !right {
            self.add(at, words);
        }
    }
}

/// What a value may be.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Any,
    Null,
    Bool,
    /// Any text, the empty one too.
    Text,
    /// A text that is not only white space.
    Filled,
    /// A name of letters, digits, `_` and `-`, with a longest length.
    Name(usize),
    /// A text with a longest length, and not empty.
    Short(usize),
    OneOf(&'static [&'static str]),
    Base64,
    Int(i64, i64),
    Number(f64, f64),
    /// An object with any fields.
    Map,
    /// An object with these fields and no others.
    Object(&'static [Field]),
    /// An object with these fields, and one more that names its kind and with it the rest.
    Tagged(&'static str, &'static [(&'static str, &'static [Field])]),
    /// An object with exactly one of these fields.
    Union(&'static [Field]),
    /// A list, the empty one too.
    List(&'static Shape),
    /// A list of one or more.
    Some(&'static Shape),
    /// The first that is of the value's JSON type.
    Either(&'static [Shape]),
    By(fn(&mut Faults, At<'_>, &Value)),
}

/// A field of an object.
#[derive(Clone, Copy)]
pub(super) struct Field {
    name: &'static str,
    shape: Shape,
    need: Need,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Must,
    May,
    /// It may be absent, and null means the same.
    MayOrNull,
}

/// A field that must be there.
pub(super) const fn must(name: &'static str, shape: Shape) -> Field {
    let need = Need::Must;
    Field { name, shape, need }
}

/// A field that may be absent, but not null.
pub(super) const fn may(name: &'static str, shape: Shape) -> Field {
    let need = Need::May;
    Field { name, shape, need }
}

/// A field that may be absent or null.
pub(super) const fn or_null(name: &'static str, shape: Shape) -> Field {
    let need = Need::MayOrNull;
    Field { name, shape, need }
}

/// Gives a list, or nothing for what is none.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Gives a text, or the empty one for what is none.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Tells whether a text is a name that every API takes, with a longest length.
pub(super) fn is_name(text: &str, longest: usize) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=longest).contains(&text.len()) && text.chars().all(fine)
}

/// Tells whether a text is an address on the web, or data of one of the types.
pub(super) fn is_url_or_data(url: &str, types: &[&str]) -> bool {
    let data = |rest: &str| {
        rest.split_once(";base64,")
            .is_some_and(|(mime, data)| types.contains(&mime) && is_base64(data))
    };
    url.starts_with("https://")
        || url.starts_with("http://")
        || url.strip_prefix("data:").is_some_and(data)
}

fn is_base64(text: &str) -> bool {
    !text.is_empty() && STANDARD.decode(text).is_ok()
}

/// Types of pictures that the providers take.
pub(super) const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The text of a JSON object, as arguments are sent by `OpenAI`.
pub(super) fn object_text(faults: &mut Faults, at: At<'_>, value: &Value) {
    let fine = serde_json::from_str::<Map<String, Value>>(text(value)).is_ok();
    faults.unless(fine, at, "must be the text of a JSON object");
}

/// Up to so many pairs of short texts.
pub(super) fn metadata(faults: &mut Faults, at: At<'_>, value: &Value) {
    let fine = value.as_object().is_some_and(|pairs| {
        pairs.len() <= 16
            && pairs.iter().all(|(key, value)| {
                key.len() <= 64 && value.as_str().is_some_and(|v| v.len() <= 512)
            })
    });
    faults.unless(fine, at, "must be at most 16 pairs of short texts");
}

impl Shape {
    pub(super) fn check(&self, faults: &mut Faults, at: At<'_>, value: &Value) {
        match self {
            Shape::Object(fields) => match value.as_object() {
                Some(object) => self.fields(faults, at, object, fields, None),
                None => self.misfit(faults, at, value),
            },
            Shape::Tagged(tag, kinds) => self.tagged(faults, at, value, tag, kinds),
            Shape::Union(fields) => match value.as_object() {
                Some(object) if object.len() == 1 => {
                    self.fields(faults, at, object, fields, None);
                }
                Some(object) => faults.add(
                    at,
                    format_args!("must have exactly one field, not {}", object.len()),
                ),
                None => self.misfit(faults, at, value),
            },
            Shape::List(each) | Shape::Some(each) => match value.as_array() {
                Some(all) => {
                    if all.is_empty() && matches!(self, Shape::Some(_)) {
                        faults.add(at, "must not be empty");
                    }
                    for (place, one) in all.iter().enumerate() {
                        each.check(faults, at.place(place), one);
                    }
                }
                None => self.misfit(faults, at, value),
            },
            Shape::Either(shapes) => match shapes.iter().find(|shape| shape.is_of_type(value)) {
                Some(shape) => shape.check(faults, at, value),
                None => self.misfit(faults, at, value),
            },
            Shape::By(check) => check(faults, at, value),
            Shape::Any
            | Shape::Null
            | Shape::Bool
            | Shape::Text
            | Shape::Filled
            | Shape::Name(_)
            | Shape::Short(_)
            | Shape::OneOf(_)
            | Shape::Base64
            | Shape::Int(..)
            | Shape::Number(..)
            | Shape::Map => {
                if !self.holds(value) {
                    self.misfit(faults, at, value);
                }
            }
        }
    }

    fn fields(
        &self,
        faults: &mut Faults,
        at: At<'_>,
        object: &Map<String, Value>,
        fields: &[Field],
        tag: Option<&str>,
    ) {
        for (name, value) in object {
            match fields.iter().find(|field| field.name == name) {
                Some(field) if value.is_null() && field.need == Need::MayOrNull => {}
                Some(field) => field.shape.check(faults, at.key(name), value),
                None if tag == Some(name) => {}
                None => faults.add(at, format_args!("unknown field `{name}`")),
            }
        }
        for field in fields {
            let absent = !object.contains_key(field.name);
            if absent && field.need == Need::Must && !matches!(self, Shape::Union(_)) {
                faults.add(at, format_args!("`{}` is missing", field.name));
            }
        }
    }

    fn tagged(
        &self,
        faults: &mut Faults,
        at: At<'_>,
        value: &Value,
        tag: &str,
        kinds: &[(&str, &[Field])],
    ) {
        let Some(object) = value.as_object() else {
            return self.misfit(faults, at, value);
        };
        let kind = &value[tag];
        match kinds.iter().find(|(name, _)| kind == name) {
            Some((_, fields)) => self.fields(faults, at, object, fields, Some(tag)),
            None => faults.add(at, format_args!("{kind} is no `{tag}` that is known here")),
        }
    }

    /// Tells whether a value is of this JSON type, whatever it holds.
    fn is_of_type(&self, value: &Value) -> bool {
        match self {
            Shape::Any | Shape::By(_) => true,
            Shape::Null => value.is_null(),
            Shape::Bool => value.is_boolean(),
            Shape::Text
            | Shape::Filled
            | Shape::Name(_)
            | Shape::Short(_)
            | Shape::OneOf(_)
            | Shape::Base64 => value.is_string(),
            Shape::Int(..) | Shape::Number(..) => value.is_number(),
            Shape::Map | Shape::Object(_) | Shape::Tagged(..) | Shape::Union(_) => {
                value.is_object()
            }
            Shape::List(_) | Shape::Some(_) => value.is_array(),
            Shape::Either(shapes) => shapes.iter().any(|shape| shape.is_of_type(value)),
        }
    }

    /// Tells whether a plain value is as it must be.
    fn holds(&self, value: &Value) -> bool {
        let text = value.as_str().unwrap_or_default();
        self.is_of_type(value)
            && match self {
                Shape::Filled => !text.trim().is_empty(),
                Shape::Name(longest) => is_name(text, *longest),
                Shape::Short(longest) => (1..=*longest).contains(&text.chars().count()),
                Shape::OneOf(words) => words.contains(&text),
                Shape::Base64 => is_base64(text),
                Shape::Int(least, most) => value
                    .as_i64()
                    .is_some_and(|number| (*least..=*most).contains(&number)),
                Shape::Number(least, most) => value
                    .as_f64()
                    .is_some_and(|number| (*least..=*most).contains(&number)),
                Shape::Any
                | Shape::Null
                | Shape::Bool
                | Shape::Text
                | Shape::Map
                | Shape::Object(_)
                | Shape::Tagged(..)
                | Shape::Union(_)
                | Shape::List(_)
                | Shape::Some(_)
                | Shape::Either(_)
                | Shape::By(_) => true,
            }
    }

    fn misfit(&self, faults: &mut Faults, at: At<'_>, value: &Value) {
        let mut shown = value.to_string();
        if let Some((end, _)) = shown.char_indices().nth(60) {
            shown.truncate(end);
            shown.push_str("..");
        }
        faults.add(at, format_args!("must be {}, not {shown}", self.words()));
    }

    fn words(&self) -> String {
        match self {
            Shape::Any | Shape::By(_) => "something else".to_owned(),
            Shape::Null => "null".to_owned(),
            Shape::Bool => "true or false".to_owned(),
            Shape::Text => "a text".to_owned(),
            Shape::Filled => "a text that is not blank".to_owned(),
            Shape::Name(longest) => {
                format!("1 to {longest} letters, digits, `_` and `-`")
            }
            Shape::Short(longest) => format!("a text of 1 to {longest} characters"),
            Shape::OneOf(words) => format!("one of {words:?}"),
            Shape::Base64 => "base64".to_owned(),
            Shape::Int(least, i64::MAX) => format!("a whole number of at least {least}"),
            Shape::Int(least, most) => format!("a whole number from {least} to {most}"),
            Shape::Number(least, most) => format!("a number from {least} to {most}"),
            Shape::Map | Shape::Object(_) | Shape::Tagged(..) | Shape::Union(_) => {
                "an object".to_owned()
            }
            Shape::List(_) | Shape::Some(_) => "a list".to_owned(),
            Shape::Either(shapes) => {
                let words: Vec<String> = shapes.iter().map(Shape::words).collect();
                words.join(" or ")
            }
        }
    }
}
