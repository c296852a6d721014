//! Families of models, told from the ids of models and of inference profiles.

/// Models that take the same things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Claude,
    Nova,
    /// `OpenAI`'s open models.
    GptOss,
    /// The id names a maker, and it is none of these.
    Other,
    /// The id does not say what it is: a profile, a deployment or an import of one's own.
    Unnamed,
}

impl Family {
    /// Gives the name under which records hold it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Family::Claude => "claude",
            Family::Nova => "nova",
            Family::GptOss => "gpt-oss",
            Family::Other => "other",
            Family::Unnamed => "unnamed",
        }
    }

    /// Tells whether results of tools may be marked as errors, and hold pictures and documents.
    pub(super) fn takes_rich_results(self) -> bool {
        match self {
            Family::Claude | Family::Nova | Family::Unnamed => true,
            Family::GptOss | Family::Other => false,
        }
    }
}

/// Tells the family of a model.
pub(super) fn family(model: &str) -> Family {
    let id = id(model);
    if id.contains("claude") {
        Family::Claude
    } else if id.contains("amazon.nova") || id.starts_with("nova-") {
        Family::Nova
    } else if id.contains("gpt-oss") {
        Family::GptOss
    } else if id.contains('.') {
        Family::Other
    } else {
        Family::Unnamed
    }
}

/// Tells whether a model keeps marked parts of a prompt in its cache; one that does not refuses the
/// marks.
pub(super) fn caches(model: &str) -> bool {
    let id = id(model);
    let old = [
        "claude-v",
        "claude-instant",
        "claude-3-haiku",
        "claude-3-sonnet",
        "claude-3-opus",
        "claude-3-5-sonnet-20240620",
    ];
    match family(model) {
        Family::Claude => !old.iter().any(|one| id.contains(one)),
        Family::Nova => ["micro", "lite", "pro", "premier"]
            .iter()
            .any(|size| id.contains(size)),
        Family::GptOss | Family::Other | Family::Unnamed => false,
    }
}

/// Tells whether a model of Nova is one that can think.
pub(super) fn is_second_nova(model: &str) -> bool {
    id(model).contains("nova-2")
}

/// Gives the id in lower case, without the account and the region of an ARN.
fn id(model: &str) -> String {
    model
        .rsplit('/')
        .next()
        .unwrap_or(model)
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{Family, caches, family};

    #[test]
    fn ids_and_profiles_name_their_family() {
        let told = [
            "anthropic.claude-3-haiku-20240307-v1:0",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-pro-v1:0",
            "amazon.nova-sonic-v1:0",
            "openai.gpt-oss-120b-1:0",
            "meta.llama3-3-70b-instruct-v1:0",
            "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2c3",
        ]
        .map(|model| (family(model), caches(model)));
        assert_eq!(
            told,
            [
                (Family::Claude, false),
                (Family::Claude, true),
                (Family::Nova, true),
                (Family::Nova, false),
                (Family::GptOss, false),
                (Family::Other, false),
                (Family::Unnamed, false),
            ]
        );
    }
}
