//! The names that one model goes by, and patterns of names.

/// Every name under which a model may be known, from what is asked for to what is left without the
/// marks of those who host it: `vendor/model`, `region.vendor.model`, a date, a version.
pub(super) fn names_of(model: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    let whole = model.trim().to_lowercase();
    add(&whole);
    let own = whole.rsplit('/').next().unwrap_or_default();
    add(own);
    let mut bare = own;
    while let Some((first, rest)) = bare.split_once('.')
        && first
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter == '-')
    {
        bare = rest;
        add(bare);
    }
    // A model that was trained further is another one, with prices of its own.
    if !bare.starts_with("ft:") {
        bare = bare.split([':', '@']).next().unwrap_or_default();
        add(bare);
        bare = without_version(bare);
        add(bare);
        bare = without_date(bare);
        add(bare);
        if bare.starts_with("claude") {
            add(&bare.replace('.', "-"));
        }
    }
    names
}

/// Takes `-v1` off the end.
fn without_version(name: &str) -> &str {
    match name.rsplit_once("-v") {
        Some((before, version)) if is_number(version) => before,
        Some(_) | None => name,
    }
}

/// Takes `-20250929` or `-2025-09-29` off the end.
fn without_date(name: &str) -> &str {
    let Some((before, last)) = name.rsplit_once('-') else {
        return name;
    };
    if last.len() == 8 && is_number(last) {
        return before;
    }
    let date: Vec<&str> = name.rsplitn(4, '-').collect();
    match date.as_slice() {
        [day, month, year, before]
            if [day.len(), month.len(), year.len()] == [2, 2, 4]
                && [day, month, year].into_iter().all(|part| is_number(part)) =>
        {
            before
        }
        _ => name,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit())
}

/// Tells how well a pattern fits a model, or nothing when it does not: a name that is written in
/// full fits better than a beginning with `*`, and a longer beginning better than a shorter one.
pub(super) fn fit(pattern: &str, names: &[String]) -> Option<usize> {
    let pattern = pattern.to_lowercase();
    match pattern.strip_suffix('*') {
        Some(start) => names
            .iter()
            .any(|name| name.starts_with(start))
            .then_some(start.len()),
        None => names.contains(&pattern).then_some(usize::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::{fit, names_of};

    #[test]
    fn the_marks_of_hosts_are_seen_through() {
        for (model, bare) in [
            ("gpt-5.1-2025-11-13", "gpt-5.1"),
            ("openai/gpt-5.1:online", "gpt-5.1"),
            ("anthropic/claude-opus-4.5", "claude-opus-4-5"),
            (
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "claude-sonnet-4-5",
            ),
            ("us-gov.anthropic.claude-3-haiku", "claude-3-haiku"),
            (
                "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.amazon.nova-pro-v1:0",
                "nova-pro",
            ),
            ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
            ("Grok-4.20", "grok-4.20"),
            ("models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("o3-2025-04-16", "o3"),
            ("ft:gpt-4o:me::x", "ft:gpt-4o:me::x"),
            ("mistral-large-2411", "mistral-large-2411"),
            ("", ""),
        ] {
            let names = names_of(model);
            assert_eq!(
                names.last().map_or("", String::as_str),
                bare,
                "{model}: {names:?}"
            );
        }
    }

    #[test]
    fn the_longest_pattern_fits_best() {
        let names = names_of("openai/gpt-5.1-2025-11-13");
        let fits = [
            "*",
            "gpt-5*",
            "GPT-5.1*",
            "gpt-5.1",
            "openai/gpt-5.1*",
            "gpt-5",
            "gpt-4*",
        ]
        .map(|pattern| fit(pattern, &names));
        assert_eq!(
            fits,
            [
                Some(0),
                Some(5),
                Some(7),
                Some(usize::MAX),
                Some(14),
                None,
                None
            ]
        );
    }
}
