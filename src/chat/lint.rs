//! Near misses: text that looks as if something else was meant. Told by `scoutai check`, and
//! sparing with prose: a word in front of a colon is told only where a header would stand.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::grammar::{self, Rule};
use super::lines::{Form, form_of, is_blank, line_at};
use super::reading::Structure;
use super::tags::first_closings;
use super::{Diagnostic, Origin, Role, Severity, Span};

/// Finds the near misses of a text, in their order. Lines in regions are never looked at.
pub fn lint(text: &str, path: &Arc<Path>) -> Vec<Diagnostic> {
    lint_from(text, 0, path)
}

/// Finds those that stand in the last segment, without a look at what is before it.
pub fn lint_last_segment(text: &str, path: &Arc<Path>) -> Vec<Diagnostic> {
    lint_from(text, super::last_segment(text), path)
}

/// Finds those behind the start of a segment: no region reaches over it.
fn lint_from(text: &str, from: usize, path: &Arc<Path>) -> Vec<Diagnostic> {
    let structure = Structure::of(&text[from..]);
    let mut findings = almost_headers(&structure);
    findings.extend(open_front_matter(&structure));
    findings.extend(cut_elements(&structure));
    findings.sort_by_key(|finding| finding.at.start);
    let origin = |span: Span| Origin::File {
        path: Arc::clone(path),
        span: Span {
            start: from + span.start,
            end: from + span.end,
        },
    };
    findings
        .into_iter()
        .map(|finding| Diagnostic {
            at: origin(finding.at),
            severity: Severity::Warning,
            code: finding.code,
            message: finding.message,
            hint: Some(finding.hint),
            also: finding
                .also
                .map(|(span, label)| (origin(span), label.to_owned()))
                .into_iter()
                .collect(),
        })
        .collect()
}

struct Finding {
    at: Span,
    code: &'static str,
    message: String,
    hint: String,
    also: Option<(Span, &'static str)>,
}

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the start, behind a blank line or behind a header: where headers stand.
    Header,
    /// Below other text.
    Below,
}

fn almost_headers(structure: &Structure<'_>) -> Vec<Finding> {
    let text = structure.text;
    let mut regions = structure.found.regions.iter().peekable();
    let mut special = structure.lines.iter().peekable();
    let mut findings = Vec::new();
    let mut place = Place::Header;
    let mut at = structure.start.body;
    while at < text.len() {
        if let Some(region) = regions.next_if(|region| region.open.start == at) {
            at = region.end();
            while special.next_if(|line| line.start < at).is_some() {}
            place = Place::Below;
            continue;
        }
        let (end, next) = line_at(text, at);
        let line = &text[at..end];
        place = match special.next_if(|line| line.start == at) {
            Some(line) => match line.form {
                Form::Header { .. } | Form::Mark { .. } => Place::Header,
                Form::Escape
                | Form::Fence(_)
                | Form::Element { .. }
                | Form::BracketsOpen
                | Form::BracketsClose
                | Form::OutputOpen { .. }
                | Form::OutputClose { .. } => Place::Below,
            },
            None if is_blank(line) => Place::Header,
            None => {
                findings.extend(almost_header(line, at, place));
                Place::Below
            }
        };
        at = next;
    }
    findings
}

/// Tells what a line of text may have been meant to be.
fn almost_header(line: &str, at: usize, place: Place) -> Option<Finding> {
    let mut parts = grammar::read(Rule::almost, line)?.next()?.into_inner();
    let indent = parts.next()?.as_str();
    let word = parts.next()?.as_str();
    let behind = parts.next()?.as_str();
    let blank_behind = matches!(behind, "" | " " | "\t");
    let lower = word.to_ascii_lowercase();
    let known = Role::from_name(&lower);
    let (code, role) = match known {
        Some(role) if indent.is_empty() && word == lower => {
            // `file:///x` and `model::x` are something else.
            let value = behind.starts_with(|c: char| c.is_alphanumeric() || "\"'{[.~".contains(c));
            (value && !blank_behind).then_some(("missing-blank", role))?
        }
        Some(role) if indent.is_empty() && blank_behind => {
            (role.is_conversation() || place == Place::Header).then_some(("capital-role", role))?
        }
        // Lines of YAML are deeper, or name no speaker.
        Some(role) if word == lower && blank_behind => (indent.len() == 1
            || role.is_conversation() && indent.len() < 4)
            .then_some(("indented-role", role))?,
        None if indent.is_empty() && word == lower && blank_behind && place == Place::Header => {
            ("near-role", nearest(word)?)
        }
        Some(_) | None => return None,
    };
    let start = at + indent.len();
    let hint = match code {
        "missing-blank" => format!("write a blank behind `{role}:` when a header is meant"),
        "capital-role" => format!("write `{role}:` when a header is meant"),
        "indented-role" => {
            format!("write `{role}:` at the start of the line when a header is meant")
        }
        _ => format!("write `{role}:` when that is meant"),
    };
    Some(Finding {
        at: Span {
            start,
            end: start + word.len() + 1,
        },
        code,
        message: format!("`{word}:` is read as text"),
        hint,
        also: None,
    })
}

/// Gives the role that is one edit away. Of short names only the order of letters may differ:
/// `map:` and `bob:` are no slips.
fn nearest(word: &str) -> Option<Role> {
    let letters = |word: &str| {
        let mut letters: Vec<u8> = word.bytes().collect();
        letters.sort_unstable();
        letters
    };
    let close = |role: &Role| {
        let name = role.name();
        name.len().abs_diff(word.len()) < 2
            && strsim::osa_distance(name, word) == 1
            && (name.len() > 3 && word.len() > 2 || letters(name) == letters(word))
    };
    Role::all().find(close)
}

/// A first line `---` with lines for us below it that is never closed.
fn open_front_matter(structure: &Structure<'_>) -> Option<Finding> {
    let (text, body) = (structure.text, structure.start.body);
    let (end, next) = line_at(text, body);
    let (after, _) = line_at(text, next);
    let opens = &text[body..end] == "---" && structure.start.front_matter.is_none();
    (opens && matches!(form_of(&text[next..after]), Some(Form::Header { .. }))).then(|| Finding {
        at: Span { start: body, end },
        code: "open-front-matter",
        message: "this `---` is read as text: no line `---` closes the front matter".to_owned(),
        hint: "close it with a line `---` before the first message".to_owned(),
        also: None,
    })
}

/// Elements that are text because a record starts before their closing tag.
fn cut_elements(structure: &Structure<'_>) -> Vec<Finding> {
    let text = structure.text;
    let mut regions = structure.found.regions.iter().peekable();
    let mut cut: HashMap<&str, (Span, usize)> = HashMap::new();
    let mut open: Vec<(&str, Span)> = Vec::new();
    let mut free = 0;
    for line in &structure.lines {
        if let Form::Mark { .. } = line.form {
            for (name, span) in open.drain(..) {
                cut.entry(name).or_insert((span, line.start));
            }
        }
        if line.start < free {
            continue;
        }
        if let Some(region) = regions.next_if(|region| region.open.start == line.start) {
            free = region.end();
        } else if let Form::Element { name } = line.form {
            let span = Span {
                start: line.start,
                end: line.end,
            };
            open.push((name, span));
        }
    }
    let wanted = cut.iter().map(|(name, (_, from))| (*name, *from)).collect();
    first_closings(text, wanted)
        .into_iter()
        .filter_map(|tag| {
            let (at, _) = cut.remove(tag.name)?;
            let end = tag.at + "</>".len() + tag.name.len();
            Some(Finding {
                at,
                code: "cut-element",
                message: format!(
                    "`<{}>` is read as text: a record starts before its closing tag",
                    tag.name
                ),
                hint: "close it before the record, or write `\\` before its line".to_owned(),
                also: Some((Span { start: tag.at, end }, "its closing tag stands here")),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use crate::chat::Origin;

    /// The findings: the code, and the text of the place.
    fn lint(text: &str) -> Vec<(&'static str, String)> {
        let path: Arc<Path> = Arc::from(Path::new("chat.md"));
        super::lint(text, &path)
            .into_iter()
            .map(|finding| match finding.at {
                Origin::File { span, .. } => (finding.code, text[span.start..span.end].to_owned()),
                Origin::Run => (finding.code, String::new()),
            })
            .collect()
    }

    fn check(text: &str, wanted: &[(&'static str, &str)]) {
        let wanted: Vec<_> = wanted
            .iter()
            .map(|(code, place)| (*code, (*place).to_owned()))
            .collect();
        assert_eq!(lint(text), wanted, "{text:?}");
    }

    #[test]
    fn near_misses_are_told() {
        check("tol: Baking bake\n", &[("near-role", "tol:")]);
        check("user: a\n\nusre:\n", &[("near-role", "usre:")]);
        check("user: a\nmodle: x\n", &[("near-role", "modle:")]);
        check("user:hello\n", &[("missing-blank", "user:")]);
        check(
            "text\nfunction_call:{}\n",
            &[("missing-blank", "function_call:")],
        );
        check(
            "Tool: x\nUser:\n",
            &[("capital-role", "Tool:"), ("capital-role", "User:")],
        );
        check(" user: x\n", &[("indented-role", "user:")]);
        check("a\n tool: x\n", &[("indented-role", "tool:")]);
        check(
            "---\nmodel: m\n\nuser: x\n",
            &[("open-front-matter", "---")],
        );
        check(
            "<p>\nuser: a\nmeta: inference_id=1\nassistant: </p>\n",
            &[("cut-element", "<p>")],
        );
    }

    #[test]
    fn the_last_segment_has_the_findings_behind_its_mark() {
        let path: Arc<Path> = Arc::from(Path::new("chat.md"));
        for text in [
            "tol: x\n",
            "tol: x\n\nmeta: inference_id=1\nassistant: a\n\nuser:\n\nusre: y\nUser: z\n",
            "<p>\nmeta: inference_id=1\nassistant: </p>\n\ntol: x\n",
            "User: x\n```\nmeta: inference_id=1\n```\n user: y\n",
        ] {
            let since = crate::chat::last_segment(text);
            let mut wanted = super::lint(text, &path);
            wanted.retain(|found| found.at.span().is_some_and(|span| span.start >= since));
            let found = super::lint_last_segment(text, &path);
            assert_eq!(found, wanted, "{text:?}");
        }
    }

    #[test]
    fn prose_is_left_alone() {
        for text in [
            "note: x\nhttp://x.test\nfile:///x\nmodel::x\n",
            "map: x\nbob: x\nkv: y\n",
            "some\ntools: hammer\n",
            "config\n    user: root\n  model: x\n",
            "```\nuser:x\nTool: y\n```\n",
            "[[\nUser: x\n]]\n",
            "<doc>\ntol: x\n</doc>\n",
            "\\user: x\n",
            "---\nA rule above.\n",
            "---\nTool: x\n---\nuser: y\n",
            "<p>\nhello\n",
            "<p>\nmeta: inference_id=1\nno closing tag\n",
            "#!/usr/bin/env user:x\n",
        ] {
            check(text, &[]);
        }
    }
}
