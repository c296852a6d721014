//! What the name of a model says about what it takes.

/// The generation of a model: its major and its minor number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Generation(pub(super) u32, pub(super) u32);

/// The first whose models can think.
pub(super) const THINKING: Generation = Generation(2, 5);

/// The one from which on models are told levels of thinking, sign their calls, and take media in
/// responses.
pub(super) const SIGNING: Generation = Generation(3, 0);

/// Gives the generation of a model; a name that tells none is taken for that of a new model.
pub(super) fn generation(model: &str) -> Generation {
    told_generation(model).unwrap_or(Generation(u32::MAX, 0))
}

fn told_generation(model: &str) -> Option<Generation> {
    let rest = bare(model).strip_prefix("gemini-")?;
    let number = rest.split('-').next()?;
    let mut numbers = number.split('.').map(str::parse);
    let major = numbers.next()?.ok()?;
    Some(Generation(
        major,
        numbers.next().and_then(Result::ok).unwrap_or(0),
    ))
}

/// Gives a name without the collection that it stands in.
fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

/// Tells whether what `made_by` has signed can be of the model that is asked. The names may differ
/// by a release; of a name that stands for changing models nothing can be told.
pub(super) fn is_same(made_by: &str, asked: &str) -> bool {
    let (made_by, asked) = (bare(made_by), bare(asked));
    if told_generation(asked).is_none() || told_generation(made_by).is_none() {
        return true;
    }
    family(made_by) == family(asked)
}

/// Gives a name without its release: `gemini-3-pro-preview-11-2025` is `gemini-3-pro`.
fn family(model: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = model.split('-').collect();
    while let Some(last) = parts.last()
        && parts.len() > 2
        && (["preview", "exp", "latest"].contains(last)
            || last.bytes().all(|byte| byte.is_ascii_digit()))
    {
        parts.pop();
    }
    parts
}

/// Gives the level of thinking for an effort, and whether that is another than was asked for. The
/// lowest and the middle one are not known to every model, and an unknown one is refused.
pub(super) fn level(model: &str, effort: &str) -> (String, Fit) {
    let name = bare(model);
    let knows_minimal =
        name.starts_with("gemini-3-flash") || name.starts_with("gemini-3.1-flash-lite");
    let (level, fit) = match effort {
        "minimal" if knows_minimal => ("MINIMAL", Fit::Exact),
        "none" if knows_minimal => ("MINIMAL", Fit::Nearest),
        "none" | "minimal" => ("LOW", Fit::Nearest),
        "medium" if name.starts_with("gemini-3-pro") => ("HIGH", Fit::Nearest),
        "xhigh" | "max" => ("HIGH", Fit::Nearest),
        other => return (other.to_uppercase(), Fit::Exact),
    };
    (level.to_owned(), fit)
}

/// Gives the tokens of thinking for an effort, for models that count them.
pub(super) fn budget(model: &str, effort: &str) -> (u64, Fit) {
    // The large ones cannot do without thinking.
    let always_thinks = bare(model).split('-').any(|part| part == "pro");
    match effort {
        "none" if always_thinks => (128, Fit::Nearest),
        "none" => (0, Fit::Exact),
        "minimal" => (512, Fit::Exact),
        "low" => (1024, Fit::Exact),
        "high" | "xhigh" | "max" => (24_576, Fit::Exact),
        _ => (8192, Fit::Exact),
    }
}

/// Whether a model can do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Exact,
    /// It is told what comes nearest.
    Nearest,
}

#[cfg(test)]
mod tests {
    use super::{Fit, Generation, budget, generation, is_same, level};

    #[test]
    fn generations_are_told_by_names() {
        let told = [
            ("gemini-2.5-flash", Generation(2, 5)),
            ("models/gemini-3-pro-preview", Generation(3, 0)),
            ("gemini-3.1-pro", Generation(3, 1)),
            ("gemini-flash-latest", Generation(u32::MAX, 0)),
            ("tunedModels/x", Generation(u32::MAX, 0)),
        ];
        for (name, told) in told {
            assert_eq!(generation(name), told, "{name}");
        }
        assert!(Generation(2, 0) < Generation(2, 5) && Generation(2, 5) < Generation(3, 0));
    }

    #[test]
    fn releases_of_a_model_are_the_same_and_its_siblings_are_not() {
        for (made_by, asked) in [
            ("gemini-3-pro-preview-11-2025", "gemini-3-pro"),
            ("gemini-2.5-flash", "models/gemini-2.5-flash-001"),
            ("gemini-3-flash-preview", "gemini-flash-latest"),
            ("x", "gemini-3-pro"),
        ] {
            assert!(is_same(made_by, asked), "{made_by} {asked}");
        }
        for (made_by, asked) in [
            ("gemini-2.5-flash-lite", "gemini-2.5-flash"),
            ("gemini-3-pro", "gemini-3.1-pro"),
            ("gemini-3-pro", "gemini-3-flash"),
        ] {
            assert!(!is_same(made_by, asked), "{made_by} {asked}");
        }
    }

    #[test]
    fn efforts_become_what_the_model_knows() {
        let told = |model, effort| {
            let (level, fit) = level(model, effort);
            (level, fit == Fit::Exact)
        };
        for (model, effort, wanted, exact) in [
            ("gemini-3-flash-preview", "minimal", "MINIMAL", true),
            ("gemini-3-flash", "none", "MINIMAL", false),
            ("gemini-3.8-flash", "minimal", "LOW", false),
            ("gemini-3-pro", "medium", "HIGH", false),
            ("gemini-3.1-pro", "medium", "MEDIUM", true),
            ("gemini-9", "max", "HIGH", false),
        ] {
            assert_eq!(told(model, effort), (wanted.to_owned(), exact), "{model}");
        }
        assert_eq!(budget("gemini-2.5-pro", "none"), (128, Fit::Nearest));
        assert_eq!(budget("gemini-2.5-flash", "none"), (0, Fit::Exact));
    }
}
