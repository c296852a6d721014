//! What people should know of the tools that were registered.

use super::{Declaration, Tool};
use crate::chat::{Diagnostic, Severity, ToolName};

/// Says that a tool is not registered.
pub(super) fn left_out(tool: &Tool, reason: &str) -> Diagnostic {
    let Tool {
        definition,
        declared,
        ..
    } = tool;
    warning(
        declared,
        "tool-schema",
        format!(
            "the tool `{}` of `{}` is left out, because its schema is not valid: {reason}",
            definition.name.0, declared.source
        ),
    )
}

/// Says that the arguments of a tool are passed on as they come.
pub(super) fn unchecked(tool: &Tool, reason: &str) -> Diagnostic {
    let Tool {
        definition,
        declared,
        ..
    } = tool;
    warning(
        declared,
        "tool-unchecked",
        format!(
            "the arguments of the tool `{}` of `{}` are not checked: {reason}",
            definition.name.0, declared.source
        ),
    )
}

/// Says that a source declared a tool twice.
pub(super) fn twice(later: &Tool, earlier: &Tool) -> Diagnostic {
    let mut told = warning(
        &later.declared,
        "tool-twice",
        format!(
            "the tool `{}` of `{}` is declared twice, and this line counts",
            later.definition.name.0, later.declared.source
        ),
    );
    told.also = vec![(
        earlier.declared.at.clone(),
        "declared before here".to_owned(),
    )];
    told
}

/// Says that two sources have a tool of one name.
pub(super) fn shared(later: &Tool, earlier: &Tool, now: &ToolName) -> Diagnostic {
    let mut told = warning(
        &later.declared,
        "tool-name",
        format!(
            "`{}` and `{}` both have a tool `{}`, so each is shown to the model under the name of \
             its source",
            earlier.declared.source, later.declared.source, later.definition.name.0
        ),
    );
    told.also = vec![(
        earlier.declared.at.clone(),
        format!("this one is now `{}`", now.0),
    )];
    told
}

fn warning(declared: &Declaration, code: &'static str, message: String) -> Diagnostic {
    Diagnostic {
        at: declared.at.clone(),
        severity: Severity::Warning,
        code,
        message,
        hint: None,
        also: Vec::new(),
    }
}
