//! What a model can be told: by the facts of it, or by the name of a Claude where there are none.

use crate::backends::{ModelFacts, ReasoningStyle};

/// How a model is told to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// It decides itself, by an effort.
    Adaptive,
    /// It has a budget of tokens.
    Budget,
    /// It takes the one as it takes the other, or nobody knows.
    Any,
    /// It cannot.
    Never,
}

/// Which sampling parameters a model takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sampling {
    Taken,
    Refused,
}

/// Gives how a model thinks: by what is known of it, else by its name.
pub(super) fn style(model: &str, facts: &ModelFacts) -> Style {
    match facts.reasoning {
        Some(ReasoningStyle::None) => return Style::Never,
        Some(ReasoningStyle::Budget) => return Style::Budget,
        Some(ReasoningStyle::Adaptive | ReasoningStyle::Effort) => return Style::Adaptive,
        None => {}
    }
    match version(model) {
        None | Some((4, 6)) => Style::Any,
        Some(version) if version < (3, 7) => Style::Never,
        Some(version) if version < (4, 6) => Style::Budget,
        Some(_) => Style::Adaptive,
    }
}

/// Gives whether a model takes sampling parameters: by what is known of it, else by its name.
pub(super) fn sampling(model: &str, facts: &ModelFacts) -> Sampling {
    match facts.sampling {
        Some(true) => return Sampling::Taken,
        Some(false) => return Sampling::Refused,
        None => {}
    }
    match version(model) {
        Some(version) if version >= (4, 7) => Sampling::Refused,
        Some(_) | None => Sampling::Taken,
    }
}

/// Reads the version out of names such as `claude-3-7-sonnet-latest`, `claude-opus-4-1-20250805`
/// and `anthropic/claude-sonnet-4.5`.
fn version(model: &str) -> Option<(u32, u32)> {
    let (_, rest) = model.split_once("claude-")?;
    let mut words = rest.split(['-', '.', '@', ':', '_']);
    let short = |word: &str| {
        let is_number = word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| word.parse().ok()).flatten()
    };
    let major = words.find_map(short)?;
    Some((major, words.next().and_then(short).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::{Sampling, Style, sampling, style, version};
    use crate::backends::{ModelFacts, ReasoningStyle};

    #[test]
    fn names_tell_versions() {
        for (name, expected) in [
            ("claude-3-5-sonnet-20241022", Some((3, 5))),
            ("claude-3-opus-20240229", Some((3, 0))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("claude-opus-4-1-20250805", Some((4, 1))),
            ("anthropic/claude-opus-4.7", Some((4, 7))),
            ("us.anthropic.claude-haiku-4-5-20251001-v1:0", Some((4, 5))),
            ("claude-fable-5", Some((5, 0))),
            ("claude-next", None),
            ("smollm2-135m", None),
        ] {
            assert_eq!(version(name), expected, "{name}");
        }
    }

    #[test]
    fn versions_tell_how_a_model_thinks_and_what_it_takes() {
        for (name, expected) in [
            ("claude-3-5-haiku", (Style::Never, Sampling::Taken)),
            ("claude-3-7-sonnet", (Style::Budget, Sampling::Taken)),
            ("claude-opus-4-5", (Style::Budget, Sampling::Taken)),
            ("claude-sonnet-4-6", (Style::Any, Sampling::Taken)),
            ("claude-opus-4-7", (Style::Adaptive, Sampling::Refused)),
            ("claude-opus-5-5", (Style::Adaptive, Sampling::Refused)),
            ("toy-7b", (Style::Any, Sampling::Taken)),
        ] {
            let told = (
                style(name, &ModelFacts::UNKNOWN),
                sampling(name, &ModelFacts::UNKNOWN),
            );
            assert_eq!(told, expected, "{name}");
        }
    }

    #[test]
    fn facts_count_more_than_names() {
        let facts = ModelFacts {
            reasoning: Some(ReasoningStyle::Budget),
            sampling: Some(true),
            ..ModelFacts::UNKNOWN
        };
        let told = (
            style("claude-opus-5-5", &facts),
            sampling("claude-opus-5-5", &facts),
        );
        assert_eq!(told, (Style::Budget, Sampling::Taken));
    }
}
