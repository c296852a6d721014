//! Bytes to text, and text to a chat.

use std::path::Path;
use std::sync::Arc;

use super::reading::Structure;
use super::regions::{Kind, Reason, Unclear};
use super::{Chat, Diagnostic, LineEnd, Message, Origin, Severity, Span};

/// Takes the bytes of a file as text. A BOM stays in it, so that spans count bytes of the file.
pub fn decode(bytes: Vec<u8>, path: &Arc<Path>) -> Result<String, Box<Diagnostic>> {
    let utf16 = matches!(bytes.get(..2), Some([0xff, 0xfe] | [0xfe, 0xff]));
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let hint = if utf16 {
            "save the file as UTF-8: it starts like UTF-16"
        } else {
            "save the file as UTF-8"
        };
        Box::new(Diagnostic {
            at: Origin::File {
                path: Arc::clone(path),
                span: Span {
                    start: at,
                    end: at + 1,
                },
            },
            severity: Severity::Error,
            code: "not-utf8",
            message: format!(
                "the file is not UTF-8: the byte at offset {at} is none of a character"
            ),
            hint: Some(hint.to_owned()),
            also: Vec::new(),
        })
    })
}

/// Reads a text. Every text is a chat; what is unclear in it is told in the diagnostics.
pub fn parse(text: &str, path: &Arc<Path>) -> Chat {
    let structure = Structure::of(text);
    let diagnostics = structure
        .found
        .unclear
        .iter()
        .map(|unclear| unclear.diagnostic(text, path))
        .collect();
    let messages = structure
        .read()
        .messages
        .into_iter()
        .map(|placed| Message {
            role: placed.role,
            content: placed.content,
            origin: Origin::File {
                path: Arc::clone(path),
                span: placed.span,
            },
        })
        .collect();
    Chat {
        messages,
        line_end: LineEnd::of(text),
        diagnostics,
    }
}

impl LineEnd {
    /// Tells how the lines of a text end, from its first line end.
    pub fn of(text: &str) -> LineEnd {
        match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => LineEnd::CrLf,
            Some(_) | None => LineEnd::Lf,
        }
    }

    /// Gives the bytes.
    pub fn as_str(self) -> &'static str {
        match self {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
        }
    }
}

impl Unclear<'_> {
    fn diagnostic(&self, text: &str, path: &Arc<Path>) -> Diagnostic {
        let origin = |span| Origin::File {
            path: Arc::clone(path),
            span,
        };
        let (what, closing) = match self.kind {
            Kind::Fence(fence) => (
                "this code fence",
                // In quotes of its own kind a fence could not be told from them.
                format!("of {}", fence.mark.character().repeat(fence.length)),
            ),
            Kind::Element => ("this element", "its closing tag".to_owned()),
            Kind::Brackets => ("this `[[`", "`]]`".to_owned()),
            Kind::Output { word, .. } => ("this command output", format!("`{word}:-- }}}}}}`")),
        };
        let (message, hint, also) = match self.reason {
            Reason::Header(span) => {
                let header = &text[span.start..span.end];
                let name = header.split_once(':').map_or(header, |(name, _)| name);
                (
                    format!("{what} is not closed before the header `{name}:`"),
                    format!(
                        "close it with a line {closing}, or write `\\` before its line when it is text, \
                         or write `\\` before `{name}:` when that is text of it"
                    ),
                    (origin(span), "is it text of it, or a header?".to_owned()),
                )
            }
            Reason::Cut(span) => (
                format!("{what} is not closed before the next record"),
                format!(
                    "close it with a line {closing}, or write `\\` before its line when it is text"
                ),
                (origin(span), "the next record starts here".to_owned()),
            ),
        };
        Diagnostic {
            at: origin(self.opener),
            severity: Severity::Error,
            code: "unclear-region",
            message,
            hint: Some(hint),
            also: vec![(origin(self.opener), "it opens here".to_owned()), also],
        }
    }
}
