//! The tools of a server, read one by one: a bad one is left out and told, the others stay.

use std::collections::HashSet;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Map, Value};

use super::clean;
use crate::mcp::{Annotations, McpError, StdioServer};
use crate::tools::{Effects, ToolDefinition};

/// The most pages of a list that are read.
pub(super) const PAGES: usize = 100;

/// How much of a server's word is shown in a warning.
const SHOWN: usize = 80;

/// A tool as its server lists it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    /// Under the server's own name.
    pub(super) definition: ToolDefinition,
    pub(super) effects: Effects,
}

/// The tools read so far.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Listing {
    pub(super) tools: Vec<Listed>,
    pub(super) warnings: Vec<String>,
    names: HashSet<String>,
    cursors: HashSet<String>,
    pages: usize,
}

/// What comes after a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum After {
    Page(String),
    Nothing,
}

impl Listing {
    /// Adds the tools of one page.
    pub(super) fn add(&mut self, page: Value, annotations: Annotations) -> Result<After, String> {
        self.pages += 1;
        let Value::Object(mut page) = page else {
            return Err("its answer is no list of tools".to_owned());
        };
        let Some(Value::Array(tools)) = page.remove("tools") else {
            return Err("its answer is no list of tools".to_owned());
        };
        for tool in tools {
            match listed(tool, annotations) {
                Ok(tool) => {
                    if self.names.insert(tool.definition.name.0.clone()) {
                        self.tools.push(tool);
                    } else {
                        self.warnings.push(format!(
                            "the tool `{}` is listed twice, and the first counts",
                            clean::line(&tool.definition.name.0, SHOWN)
                        ));
                    }
                }
                Err(warning) => self.warnings.push(warning),
            }
        }
        let Some(Value::String(cursor)) = page.remove("nextCursor") else {
            return Ok(After::Nothing);
        };
        // An empty cursor is a cursor; one that comes again leads in a circle.
        if !self.cursors.insert(cursor.clone()) || self.pages == PAGES {
            self.warnings.push(format!(
                "the list of tools has no end; {} pages were read",
                self.pages
            ));
            return Ok(After::Nothing);
        }
        Ok(After::Page(cursor))
    }

    /// Keeps the tools that the user wants; each name and each pattern must stand for some.
    pub(super) fn keep_only(&mut self, server: &StdioServer) -> Result<(), McpError> {
        if server.only.is_empty() {
            return Ok(());
        }
        let mut kept = vec![false; self.tools.len()];
        for wanted in &server.only {
            let pattern = pattern(server, wanted)?;
            let mut found = false;
            for (tool, kept) in self.tools.iter().zip(&mut kept) {
                let name = &tool.definition.name.0;
                if name == wanted || pattern.is_match(name) {
                    *kept = true;
                    found = true;
                }
            }
            if !found {
                return Err(McpError::UnknownTool {
                    server: server.name.clone(),
                    wanted: wanted.clone(),
                    there: self
                        .tools
                        .iter()
                        .map(|tool| tool.definition.name.0.clone())
                        .collect(),
                });
            }
        }
        let mut kept = kept.into_iter();
        self.tools.retain(|_| kept.next() == Some(true));
        Ok(())
    }
}

fn pattern(server: &StdioServer, wanted: &str) -> Result<GlobMatcher, McpError> {
    GlobBuilder::new(wanted)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| McpError::BadPattern {
            server: server.name.clone(),
            wanted: wanted.to_owned(),
            reason: error.kind().to_string(),
        })
}

fn listed(tool: Value, annotations: Annotations) -> Result<Listed, String> {
    let Value::Object(mut tool) = tool else {
        return Err("a tool that is no object is left out".to_owned());
    };
    let name = match tool.remove("name") {
        Some(Value::String(name)) if !name.is_empty() => name,
        _ => return Err("a tool without a name is left out".to_owned()),
    };
    let Some(mut parameters @ Value::Object(_)) = tool.remove("inputSchema") else {
        return Err(format!(
            "the tool `{}` is left out, because its `inputSchema` is no object",
            clean::line(&name, SHOWN)
        ));
    };
    clean::schema(&mut parameters);
    let hints = match tool.remove("annotations") {
        Some(Value::Object(hints)) => hints,
        _ => Map::new(),
    };
    let description = [
        tool.get("description"),
        tool.get("title"),
        hints.get("title"),
    ]
    .into_iter()
    .flatten()
    .find_map(Value::as_str)
    .map(clean::visible)
    .unwrap_or_default();
    Ok(Listed {
        definition: ToolDefinition::new(name, description, parameters),
        effects: effects(&hints, annotations),
    })
}

fn effects(hints: &Map<String, Value>, annotations: Annotations) -> Effects {
    let says = |hint: &str| hints.get(hint) == Some(&Value::Bool(true));
    match annotations {
        Annotations::Trusted if says("readOnlyHint") => Effects::ReadOnly,
        Annotations::Trusted if says("idempotentHint") => Effects::Repeatable,
        Annotations::Trusted | Annotations::Ignored => Effects::Once,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(listing: &Listing) -> Vec<&str> {
        listing
            .tools
            .iter()
            .map(|tool| tool.definition.name.0.as_str())
            .collect()
    }

    fn three() -> Listing {
        let mut listing = Listing::default();
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        let page = json!({"tools": [tool("git_log"), tool("git_show"), tool("[odd")]});
        assert_eq!(listing.add(page, Annotations::Ignored), Ok(After::Nothing));
        listing
    }

    fn wants(only: &[&str]) -> StdioServer {
        StdioServer {
            only: only.iter().map(|&name| name.to_owned()).collect(),
            ..StdioServer::new("git", Vec::new())
        }
    }

    #[test]
    fn bad_tools_are_left_out_and_told() {
        let mut listing = Listing::default();
        let page = json!({
            "nextCursor": "",
            "tools": [
                {"name": "good", "description": "Does\u{200b} good.", "inputSchema": {"type": "object"}},
                {"name": "none"},
                {"name": "null", "inputSchema": null},
                {"inputSchema": {}},
                7,
                {"name": "good", "inputSchema": {}},
            ],
        });
        assert_eq!(
            listing.add(page, Annotations::Ignored),
            Ok(After::Page(String::new()))
        );
        assert_eq!(
            listing.tools,
            [Listed {
                definition: ToolDefinition::new("good", "Does good.", json!({"type": "object"})),
                effects: Effects::Once,
            }]
        );
        assert_eq!(
            listing.warnings,
            [
                "the tool `none` is left out, because its `inputSchema` is no object",
                "the tool `null` is left out, because its `inputSchema` is no object",
                "a tool without a name is left out",
                "a tool that is no object is left out",
                "the tool `good` is listed twice, and the first counts",
            ]
        );
        assert_eq!(
            listing.add(json!({"tool": []}), Annotations::Ignored),
            Err("its answer is no list of tools".to_owned())
        );
    }

    #[test]
    fn endless_lists_end() {
        let mut listing = Listing::default();
        let mut cursor = 0;
        while let Ok(After::Page(_)) = listing.add(
            json!({"tools": [], "nextCursor": cursor.to_string()}),
            Annotations::Ignored,
        ) {
            cursor += 1;
        }
        assert_eq!(cursor, 99);
        assert_eq!(
            listing.warnings,
            ["the list of tools has no end; 100 pages were read"]
        );
    }

    #[test]
    fn effects_are_believed_only_when_trusted() {
        let hints = |value: Value| value.as_object().unwrap().clone();
        for (value, trusted) in [
            (json!({"readOnlyHint": true}), Effects::ReadOnly),
            (json!({"idempotentHint": true}), Effects::Repeatable),
            (json!({"readOnlyHint": "true"}), Effects::Once),
            (json!({}), Effects::Once),
        ] {
            assert_eq!(
                effects(&hints(value.clone()), Annotations::Trusted),
                trusted
            );
            assert_eq!(effects(&hints(value), Annotations::Ignored), Effects::Once);
        }
    }

    #[test]
    fn only_what_is_wanted_is_kept() {
        for (only, kept) in [
            (vec![], vec!["git_log", "git_show", "[odd"]),
            (vec!["git_show"], vec!["git_show"]),
            (vec!["git_*", "git_log"], vec!["git_log", "git_show"]),
            (vec!["*"], vec!["git_log", "git_show", "[odd"]),
        ] {
            let mut listing = three();
            assert_eq!(listing.keep_only(&wants(&only)), Ok(()));
            assert_eq!(names(&listing), kept);
        }
        let error = three()
            .keep_only(&wants(&["git_log", "git_push"]))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the MCP server `git` has no tool `git_push`; it has `git_log`, `git_show`, `[odd`"
        );
        assert!(matches!(
            three().keep_only(&wants(&["git_[", "*"])),
            Err(McpError::BadPattern { .. })
        ));
    }
}
