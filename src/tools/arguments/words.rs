//! What is wrong with arguments, in plain words.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};

use super::TOLD;

/// The most characters of a value that are shown.
const SHOWN: usize = 80;

/// The most characters of a list of values that an input may have: the model has to pick one.
const OPTIONS: usize = 1000;

/// Tells one fault, in a line of its own.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the validator's own words do for the rarer kinds"
)]
pub(super) fn words(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().as_str();
    let of = |field: &str| input(&format!("{place}/{field}"));
    let this = input(place);
    let value = || short(&error.instance().to_string());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let field = property
                .as_str()
                .map_or_else(|| property.to_string(), str::to_owned);
            format!("- {} is missing", of(&field))
        }
        ValidationErrorKind::Type { kind } => {
            format!(
                "- {this} must be of type {}, and it is {}",
                types(kind),
                value()
            )
        }
        ValidationErrorKind::Enum { options } => {
            format!(
                "- {this} must be one of {}, and it is {}",
                cut(&options.to_string(), OPTIONS),
                value()
            )
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
            .iter()
            .take(TOLD)
            .map(|field| format!("- {} is no input of this tool", of(&short(field))))
            .collect::<Vec<_>>()
            .join("\n"),
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            words_of_branches(context, error).unwrap_or_else(|| {
                format!(
                    "- {this} has none of the forms that it may have, and it is {}",
                    value()
                )
            })
        }
        _ => format!("- {this}: {}", short(&error.to_string())),
    }
}

/// Tells what is wrong with a value that may have one of several forms: the types that it may have,
/// or what is missing to the one form whose type it has.
fn words_of_branches(
    branches: &[Vec<ValidationError<'static>>],
    error: &ValidationError<'_>,
) -> Option<String> {
    let place = error.instance_path();
    let mut wanted = Vec::new();
    let mut near = Vec::new();
    for branch in branches {
        let misfit = branch.iter().find_map(|fault| {
            if let ValidationErrorKind::Type { kind } = fault.kind()
                && fault.instance_path() == place
            {
                Some(kind)
            } else {
                None
            }
        });
        match misfit {
            Some(kind) => wanted.push(types(kind)),
            None => near.push(branch),
        }
    }
    match near.as_slice() {
        [] => Some(format!(
            "- {} must be of type {}, and it is {}",
            input(place.as_str()),
            wanted.join(" or "),
            short(&error.instance().to_string())
        )),
        [branch] => Some(branch.iter().map(words).collect::<Vec<_>>().join("\n")),
        [_, _, ..] => None,
    }
}

/// Names an input by its path: `a`, or `a.0.b` for one inside another.
fn input(place: &str) -> String {
    let path = place.trim_start_matches('/').replace('/', ".");
    let path = path.replace("~1", "/").replace("~0", "~");
    if path.is_empty() {
        "the input as a whole".to_owned()
    } else {
        format!("the input `{path}`")
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(wanted) => wanted.to_string(),
        TypeKind::Multiple(wanted) => wanted
            .iter()
            .map(|one| one.to_string())
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

/// Shortens a value for a message, between characters.
pub(super) fn short(text: &str) -> String {
    cut(text, SHOWN)
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
