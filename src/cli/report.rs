//! The one renderer of diagnostics: `file:line:column`, the line with carets, the hint.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use crate::chat::{Diagnostic, Origin, Severity, Span, position};
use crate::world::{files, places};

/// The texts of the files that diagnostics point into.
pub(crate) struct Sources {
    texts: BTreeMap<Arc<Path>, Arc<str>>,
    /// Files below this folder are named from it, as the user does.
    here: Option<PathBuf>,
}

impl Sources {
    /// No texts yet, for someone who works in the current folder.
    pub(crate) fn here() -> Sources {
        let here = places::working_folder()
            .ok()
            .and_then(|folder| files::real_path(&folder).ok());
        Sources {
            texts: BTreeMap::new(),
            here,
        }
    }

    pub(crate) fn add(&mut self, path: &Arc<Path>, text: &Arc<str>) {
        self.texts.insert(Arc::clone(path), Arc::clone(text));
    }

    /// Gives the name of a file as it is shown.
    fn name(&self, path: &Path) -> String {
        let below = self
            .here
            .as_ref()
            .and_then(|here| path.strip_prefix(here).ok());
        below.unwrap_or(path).to_string_lossy().into_owned()
    }

    fn text(&self, path: &Path) -> Option<&str> {
        self.texts.get(path).map(|text| &**text)
    }
}

/// Whether the report may use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    Yes,
    No,
}

/// Draws one diagnostic for people, with a line end.
pub(crate) fn draw(diagnostic: &Diagnostic, sources: &Sources, colours: Colours) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let message = one_line(&diagnostic.message);
    let mut group = Group::with_title(level.primary_title(message));
    let main = excerpt(&diagnostic.at, sources);
    // What is shown of the place itself stands at its own carets.
    let label = diagnostic
        .also
        .iter()
        .find(|(at, _)| *at == diagnostic.at)
        .map(|(_, shows)| one_line(shows));
    let others: Vec<_> = diagnostic
        .also
        .iter()
        .filter(|(at, _)| *at != diagnostic.at)
        .map(|(at, shows)| (excerpt(at, sources), one_line(shows)))
        .collect();
    if let Some(found) = &main {
        group = group.element(found.snippet(AnnotationKind::Primary, label.as_ref()));
    }
    for (found, shows) in &others {
        match found {
            Some(found) => {
                group = group.element(found.snippet(AnnotationKind::Context, Some(shows)));
            }
            None => group = group.element(Level::NOTE.message(shows.as_str())),
        }
    }
    if main.is_none() && others.is_empty() {
        // Without a line to show there is nothing to draw.
        return without_place(diagnostic);
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.with_name("hint").message(hint.as_str()));
    }
    let renderer = match colours {
        Colours::Yes => Renderer::styled(),
        Colours::No => Renderer::plain(),
    };
    let mut text = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
    text.push('\n');
    text
}

/// Tells a diagnostic whose place is no line of a file, as failures are told.
fn without_place(diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let mut text = format!("{level}: {}\n", one_line(&diagnostic.message));
    if let Some(hint) = &diagnostic.hint {
        text.push_str("  hint: ");
        text.push_str(&hint.replace('\n', "\n    "));
        text.push('\n');
    }
    text
}

/// Gives one diagnostic for programs.
pub(crate) fn to_json(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let mut fields = json!({
        "severity": match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        "code": diagnostic.code,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    });
    let place = place(&diagnostic.at, sources);
    fields["at"] = place;
    fields["also"] = diagnostic
        .also
        .iter()
        .map(|(at, shows)| json!({ "at": self::place(at, sources), "message": shows }))
        .collect();
    fields
}

fn place(at: &Origin, sources: &Sources) -> Value {
    let Origin::File { path, span } = at else {
        return Value::Null;
    };
    let mut fields = json!({
        "file": sources.name(path),
        "start": span.start,
        "end": span.end,
    });
    if let Some(text) = sources.text(path) {
        let (line, column) = position(text, span.start.min(text.len()));
        let (end_line, end_column) = position(text, span.end.min(text.len()));
        fields["line"] = line.into();
        fields["column"] = column.into();
        fields["end_line"] = end_line.into();
        fields["end_column"] = end_column.into();
    }
    fields
}

/// The part of a file that a diagnostic shows: the first line of its span, never the whole file.
struct Excerpt {
    path: String,
    line: String,
    number: usize,
    marked: Range<usize>,
}

impl Excerpt {
    fn snippet<'a>(
        &'a self,
        kind: AnnotationKind,
        label: Option<&'a String>,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let mut annotation = kind.span(self.marked.clone());
        if let Some(label) = label {
            annotation = annotation.label(label.as_str());
        }
        Snippet::source(self.line.as_str())
            .line_start(self.number)
            .path(self.path.as_str())
            .annotation(annotation)
    }
}

/// The longest part of a line that is shown, in bytes.
const WIDEST: usize = 400;

fn excerpt(at: &Origin, sources: &Sources) -> Option<Excerpt> {
    let Origin::File { path, span } = at else {
        return None;
    };
    let text = sources.text(path)?;
    let Span { start, end } = *span;
    let start = border(text, start.min(text.len()));
    let end = border(text, end.min(text.len())).max(start);
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let number = text[..from].bytes().filter(|byte| *byte == b'\n').count() + 1;
    let line = text[from..to].trim_end_matches('\r');
    let marked = start - from..end.min(from + line.len()).max(start) - from;
    let (line, marked) = shortened(line, marked);
    Some(Excerpt {
        path: sources.name(path),
        line,
        number,
        marked,
    })
}

/// Cuts a long line behind the marked part, and shortens that when it is long itself.
fn shortened(line: &str, marked: Range<usize>) -> (String, Range<usize>) {
    let line_start = line.trim_start_matches('\u{feff}');
    let bom = line.len() - line_start.len();
    let marked = marked.start.saturating_sub(bom)..marked.end.saturating_sub(bom);
    let last = border(line_start, (marked.start + WIDEST).min(line_start.len()));
    (
        line_start[..last].to_owned(),
        marked.start.min(last)..marked.end.min(last),
    )
}

/// The character border at or before an offset.
fn border(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// A title is one line, whatever was put into it.
fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}
