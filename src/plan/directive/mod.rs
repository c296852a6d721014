//! Directives, typed: the content of each is split here and nowhere else.

use crate::chat::{self, Keyword, Message, Role, ValueError};
use crate::plan::data_url::{self, BadUrl, is_data_url};
use crate::plan::faults::{Fault, nearest, part_at, value_at};
use crate::plan::format::Format;
use crate::plan::setting::{Assignment, Hold};
use crate::plan::{Media, MediaKind};

/// What a directive says. Nothing that it names was looked up.
#[derive(Debug, Clone, PartialEq)]
pub enum Directive {
    /// Something that becomes user text or media.
    Include(Include),
    /// Messages of another chat file, in the place of this one.
    Import { name: String, take: Take },
    /// An option.
    Set(Assignment),
    /// A setting for this run.
    Config(ConfigEntry),
    /// A server whose tools are offered.
    Mcp {
        command: Vec<String>,
        only: Vec<String>,
    },
    /// The provider's own search of the web, offered to the model.
    WebSearch { hold: Hold },
    /// A path that tools may use.
    Grant { path: String, access: Access },
    /// An edit of what stands above.
    Clear(Clear),
    /// A feature that is not built yet.
    Later { what: String, gives: Gives },
    /// It does nothing: `skip`, or a switch that is off.
    Nothing,
}

/// What is brought in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Include {
    File {
        pattern: String,
    },
    Directory {
        name: String,
    },
    Media {
        name: String,
        kind: MediaKind,
    },
    Command {
        command: String,
    },
    /// It stands in the chat itself, in a `data:` URL.
    Held(Media),
}

/// Which messages of another chat are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// All: `import`.
    All,
    /// The last one that is not empty: `continue`.
    LastNonEmpty,
    /// The last one that is said to or by the model: `last`.
    LastSaid,
}

/// `config: KEY VALUE [token ...]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry {
    pub key: String,
    pub value: String,
    pub tokens: Vec<String>,
}

/// What may be done below a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    ReadAndWrite,
}

/// Which of the things above an edit takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clear {
    /// All that was said.
    Above,
    /// Messages of one role.
    Role(Role),
    /// Tools, and calls with their outputs.
    Tools,
    /// What one keyword declared.
    Declared(Keyword),
}

/// What a feature would give: it decides what an edit takes away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Something said.
    Text,
    Tools,
}

impl Directive {
    /// Types the content of a directive.
    pub fn read(keyword: Keyword, message: &Message) -> Result<Directive, Fault> {
        let content = message.content.trim();
        let name = Role::Directive(keyword).name();
        match keyword {
            Keyword::Skip => Ok(Directive::Nothing),
            Keyword::Image => media(message, name, MediaKind::Image),
            Keyword::Pdf => media(message, name, MediaKind::Pdf),
            Keyword::File => Ok(Directive::Include(Include::File {
                pattern: filled(message, name, "a path")?,
            })),
            Keyword::Directory => Ok(Directive::Include(Include::Directory {
                name: filled(message, name, "a path")?,
            })),
            Keyword::Cmd => Ok(Directive::Include(Include::Command {
                command: filled(message, name, "a shell command")?,
            })),
            Keyword::Import => import(message, name, Take::All),
            Keyword::Continue => import(message, name, Take::LastNonEmpty),
            Keyword::Last => import(message, name, Take::LastSaid),
            Keyword::Option => Assignment::of_option(message, Hold::UntilAnswer),
            Keyword::StickyOption => Assignment::of_option(message, Hold::Sticky),
            Keyword::Endpoint
            | Keyword::Model
            | Keyword::Backend
            | Keyword::Agent
            | Keyword::PreviousResponseId => Assignment::of_role(message, Hold::Sticky),
            Keyword::Persist => Assignment::of_role(message, Hold::UntilAnswer),
            Keyword::Format => Ok(Directive::Set(Format::read(message, content)?)),
            Keyword::Config => config(message),
            Keyword::Mcp => mcp(message),
            Keyword::AllowPath => grant(message, name, Access::ReadAndWrite),
            Keyword::AllowReadPath => grant(message, name, Access::Read),
            Keyword::Clear => edit(message, Clear::Above),
            Keyword::ClearTools => edit(message, Clear::Tools),
            Keyword::ClearAssociations => edit(message, Clear::Declared(Keyword::Association)),
            Keyword::ClearRole | Keyword::CleanRole => clear_role(message, name),
            Keyword::Websearch => web_search(message, Hold::Sticky),
            Keyword::Socialize => Ok(match switch(message)? {
                Switch::On | Switch::Blank => later(name, Gives::Tools),
                Switch::Off => Directive::Clear(Clear::Declared(keyword)),
            }),
            Keyword::Task
            | Keyword::InlineTask
            | Keyword::ExecTask
            | Keyword::Job
            | Keyword::InlineJob
            | Keyword::Step
            | Keyword::Introduce => Ok(later(name, Gives::Text)),
            Keyword::Tool
            | Keyword::Kb
            | Keyword::Association
            | Keyword::Delegate
            | Keyword::SelectTools => Ok(later(name, Gives::Tools)),
        }
    }
}

/// Reads the switch of the search of the web; turned off, it takes back what stands above.
pub(super) fn web_search(message: &Message, hold: Hold) -> Result<Directive, Fault> {
    Ok(match switch(message)? {
        Switch::On | Switch::Blank => Directive::WebSearch { hold },
        Switch::Off => Directive::Clear(Clear::Declared(Keyword::Websearch)),
    })
}

/// A value that is on, off, or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Switch {
    On,
    Off,
    Blank,
}

/// Reads `true`, `false` (any case, or `T`, `F`, `1`, `0`) or nothing.
fn switch(message: &Message) -> Result<Switch, Fault> {
    match message.content.trim().to_ascii_lowercase().as_str() {
        "" => Ok(Switch::Blank),
        "true" | "t" | "1" => Ok(Switch::On),
        "false" | "f" | "0" => Ok(Switch::Off),
        other => Err(Fault::chat(
            value_at(message),
            "not-a-switch",
            format!(
                "`{}` takes `true` or `false`, and this is neither",
                message.role
            ),
        )
        .hint(if other.contains([' ', '\n']) {
            "write `true` or `false`, and `user:` before a text that is to be said"
        } else {
            "write `true` or `false`"
        })),
    }
}

/// Gives the value of a directive that must have one.
pub(super) fn filled(message: &Message, name: &str, wanted: &str) -> Result<String, Fault> {
    let content = message.content.trim();
    if content.is_empty() {
        return Err(Fault::chat(
            message.origin.clone(),
            "no-value",
            format!("`{name}` has no value"),
        )
        .hint(format!("write {wanted} after `{name}:`")));
    }
    Ok(content.to_owned())
}

fn later(what: &str, gives: Gives) -> Directive {
    Directive::Later {
        what: format!("`{what}`"),
        gives,
    }
}

fn media(message: &Message, role: &str, kind: MediaKind) -> Result<Directive, Fault> {
    let name = filled(message, role, "a path or URL")?;
    Ok(Directive::Include(if is_data_url(&name) {
        Include::Held(held(message, name, kind)?)
    } else {
        Include::Media { name, kind }
    }))
}

/// The longest part of a `data:` URL in which a single byte is marked: people do not look further.
const MARKED: usize = 300;

/// Reads a `data:` URL. What it says of its type counts for nothing: the bytes do.
fn held(message: &Message, url: String, kind: MediaKind) -> Result<Media, Fault> {
    let shown = "this `data:` URL";
    let fault = |at, text: String| Fault::chat(at, "bad-data-url", text);
    let broken = |text: &str| fault(value_at(message), format!("{shown} {text}"));
    match data_url::bytes(&url) {
        Ok(bytes) => {
            Media::of_kind(url, shown, kind, bytes).map_err(|text| fault(value_at(message), text))
        }
        Err(BadUrl::NoComma) => Err(broken("has no comma before its content")),
        Err(BadUrl::Cut) => Err(broken("holds base64 whose end is missing")),
        Err(BadUrl::Byte(place)) => {
            let before = message.content.len() - message.content.trim_start().len();
            let odd = url.get(place..).and_then(|rest| rest.chars().next());
            let odd = odd.unwrap_or(char::REPLACEMENT_CHARACTER);
            let at = if place < MARKED {
                part_at(message, before + place..before + place + odd.len_utf8())
            } else {
                value_at(message)
            };
            Err(fault(
                at,
                format!(
                    "`{}` is no base64, at byte {place} of {shown}",
                    odd.escape_default()
                ),
            ))
        }
    }
}

fn import(message: &Message, role: &str, take: Take) -> Result<Directive, Fault> {
    let name = filled(message, role, "the path of a chat file")?;
    Ok(Directive::Import { name, take })
}

fn grant(message: &Message, role: &str, access: Access) -> Result<Directive, Fault> {
    let path = filled(message, role, "a path")?;
    Ok(Directive::Grant { path, access })
}

fn edit(message: &Message, clear: Clear) -> Result<Directive, Fault> {
    Ok(match switch(message)? {
        Switch::On | Switch::Blank => Directive::Clear(clear),
        Switch::Off => Directive::Nothing,
    })
}

fn clear_role(message: &Message, name: &str) -> Result<Directive, Fault> {
    let role = filled(message, name, "a role")?;
    if let Some(role) = Role::from_name(&role) {
        return Ok(Directive::Clear(Clear::Role(role)));
    }
    let fault = Fault::chat(
        value_at(message),
        "unknown-role",
        format!("`{role}` is no role"),
    );
    Err(match nearest(&role, Role::all().map(Role::name)) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None => fault.hint("name a role, such as `assistant`"),
    })
}

fn config(message: &Message) -> Result<Directive, Fault> {
    let mut words = words(message)?.into_iter().map(|word| word.text);
    match (words.next(), words.next()) {
        (Some(key), Some(value)) => Ok(Directive::Config(ConfigEntry {
            key,
            value,
            tokens: words.collect(),
        })),
        (Some(_) | None, _) => Err(Fault::chat(
            value_at(message),
            "no-value",
            "`config` wants a key and a value",
        )
        .hint("write `config: KEY VALUE [token ...]`")),
    }
}

fn mcp(message: &Message) -> Result<Directive, Fault> {
    let mut words = words(message)?.into_iter().peekable();
    let usage = "write `mcp: stdio COMMAND [arg ...]`";
    let Some(first) = words.next() else {
        return Err(
            Fault::chat(message.origin.clone(), "no-value", "`mcp` names no server").hint(usage),
        );
    };
    if first.text != "stdio" {
        let what = if first.text.contains("://") {
            "`mcp` with a URL"
        } else {
            "`mcp` with the name of a configured server"
        };
        return Ok(Directive::Later {
            what: what.to_owned(),
            gives: Gives::Tools,
        });
    }
    let filtered = words.next_if(|word| word.quoted);
    let line = match &filtered {
        Some(word) => word.text.as_str(),
        None => &message.content[first.range.end..],
    };
    let Some(command) = shlex::split(line) else {
        return Err(Fault::chat(
            value_at(message),
            "open-quote",
            "the command of `mcp` has a quote without its end",
        ));
    };
    let only = match filtered {
        Some(_) => words.map(|word| word.text).collect(),
        None => Vec::new(),
    };
    if command.is_empty() {
        return Err(Fault::chat(
            value_at(message),
            "no-value",
            "`mcp: stdio` names no command",
        )
        .hint(usage));
    }
    Ok(Directive::Mcp { command, only })
}

/// A word of a value, `key=` put back where it stood: only roles that take named inputs part the
/// two.
struct Plain {
    text: String,
    quoted: bool,
    range: std::ops::Range<usize>,
}

fn words(message: &Message) -> Result<Vec<Plain>, Fault> {
    let content = &message.content;
    let words = chat::words(content).map_err(|error| {
        let ValueError::Quote { at } = error;
        let start = content.char_indices().nth(at).map_or(0, |(start, _)| start);
        Fault::chat(
            part_at(message, start..content.len()),
            "open-quote",
            error.to_string(),
        )
        .hint("close the quote, or put the word in quotes of the other kind")
    })?;
    Ok(words
        .into_iter()
        .map(|word| match word.key {
            Some(key) => Plain {
                text: format!("{key}={}", word.text),
                quoted: false,
                range: word.range,
            },
            None => Plain {
                text: word.text,
                quoted: word.quoted,
                range: word.range,
            },
        })
        .collect())
}

#[cfg(test)]
mod tests;
