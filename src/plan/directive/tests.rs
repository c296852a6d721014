//! What each directive says, and what is told of one that says it wrongly.

use serde_json::json;

use super::super::{Access, Assignment, Clear, Gives, Hold};
use super::super::{Assigned, ConfigEntry, Directive, Format, Include, MediaKind, Take};
use crate::chat::{Message, Origin, Role};

/// Types `role: content`.
fn read(role: &str, content: &str) -> Result<Directive, (String, Option<String>)> {
    let role = Role::from_name(role).unwrap();
    let Role::Directive(keyword) = role else {
        panic!("`{role}` is no directive");
    };
    Directive::read(keyword, &Message::new(role, content))
        .map_err(|fault| (fault.diagnostic.message, fault.diagnostic.hint))
}

fn set(key: &str, value: serde_json::Value, hold: Hold) -> Directive {
    Directive::Set(Assignment {
        key: key.to_owned(),
        value: Assigned::Value(value),
        hold,
    })
}

fn wrong(role: &str, content: &str) -> String {
    read(role, content).unwrap_err().0
}

#[test]
fn includes_and_imports() {
    assert_eq!(
        read("file", "a b/*.rs"),
        Ok(Directive::Include(Include::File {
            pattern: "a b/*.rs".to_owned()
        }))
    );
    assert_eq!(
        read("pdf", " https://x.org/a.pdf "),
        Ok(Directive::Include(Include::Media {
            name: "https://x.org/a.pdf".to_owned(),
            kind: MediaKind::Pdf
        }))
    );
    assert_eq!(
        read("cmd", "ls -l | \"x"),
        Ok(Directive::Include(Include::Command {
            command: "ls -l | \"x".to_owned()
        }))
    );
    for (role, take) in [
        ("import", Take::All),
        ("continue", Take::LastNonEmpty),
        ("last", Take::LastSaid),
    ] {
        assert_eq!(
            read(role, "b.md"),
            Ok(Directive::Import {
                name: "b.md".to_owned(),
                take
            })
        );
    }
    assert_eq!(
        read("file", "  "),
        Err((
            "`file` has no value".to_owned(),
            Some("write a path after `file:`".to_owned())
        ))
    );
}

#[test]
fn options_are_typed() {
    let passing = Hold::UntilAnswer;
    for (content, key, value) in [
        ("temperature 0.2", "temperature", json!(0.2)),
        ("stop a b c", "stop", json!("a b c")),
        ("stop [\"a\", \"b\"]", "stop", json!(["a", "b"])),
        ("seed nil", "seed", json!(null)),
        ("lonely", "lonely", json!("")),
        ("model 7", "model", json!("7")),
        ("stream false", "stream", json!(false)),
        ("max_rounds 3", "max_rounds", json!(3)),
        ("format json", "format", json!("json")),
    ] {
        assert_eq!(read("option", content), Ok(set(key, value, passing)));
    }
    assert_eq!(
        read("sticky_option", "top_p 1"),
        Ok(set("top_p", json!(1), Hold::Sticky))
    );
    assert_eq!(
        read("model", "tiny-7"),
        Ok(set("model", json!("tiny-7"), Hold::Sticky))
    );
    assert_eq!(
        read("backend", "nil"),
        Ok(set("backend", json!(null), Hold::Sticky))
    );
    assert_eq!(
        read("persist", "False"),
        Ok(set("persist", json!(false), passing))
    );
}

#[test]
fn bad_options_are_told() {
    assert_eq!(wrong("option", " "), "`option` names no option");
    assert_eq!(
        wrong("option", "temperature=0.2"),
        "`temperature=0.2` is no name of an option"
    );
    assert_eq!(
        wrong("persist", "maybe"),
        "`persist` takes `true` or `false`, and this is `maybe`"
    );
    assert_eq!(
        wrong("option", "max_rounds 0"),
        "`max_rounds` takes a count of at least 1, and this is `0`"
    );
    assert_eq!(
        wrong("option", "tool_choice {\"type\": \"x\"}"),
        "`tool_choice` takes a text, and this is `{\"type\": \"x\"}`"
    );
    assert_eq!(
        wrong("clear", "maybe"),
        "`clear` takes `true` or `false`, and this is neither"
    );
}

#[test]
fn servers_are_split_into_words() {
    let server = |command: &[&str], only: &[&str]| {
        Ok(Directive::Mcp {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            only: only.iter().map(|&word| word.to_owned()).collect(),
        })
    };
    assert_eq!(
        read("mcp", "stdio npx -y server --root=. \"a b\""),
        server(&["npx", "-y", "server", "--root=.", "a b"], &[])
    );
    assert_eq!(
        read("mcp", "stdio \"uvx 'my server' --x\" now add_*"),
        server(&["uvx", "my server", "--x"], &["now", "add_*"])
    );
    assert_eq!(wrong("mcp", "stdio"), "`mcp: stdio` names no command");
    assert_eq!(wrong("mcp", "stdio \"\""), "`mcp: stdio` names no command");
    assert_eq!(
        wrong("mcp", "stdio \"a 'b\""),
        "the command of `mcp` has a quote without its end"
    );
    assert_eq!(
        read("mcp", "https://x.org/mcp tool"),
        Ok(Directive::Later {
            what: "`mcp` with a URL".to_owned(),
            gives: Gives::Tools
        })
    );
}

#[test]
fn edits_switches_and_the_rest() {
    assert_eq!(read("clear", ""), Ok(Directive::Clear(Clear::Above)));
    assert_eq!(read("clear_tools", "false"), Ok(Directive::Nothing));
    assert_eq!(
        read("clean_role", "assistant"),
        Ok(Directive::Clear(Clear::Role(Role::Assistant)))
    );
    assert_eq!(
        read("clear_role", "assistent"),
        Err((
            "`assistent` is no role".to_owned(),
            Some("did you mean `assistant`?".to_owned())
        ))
    );
    assert_eq!(
        read("allow_read_path", "~/data"),
        Ok(Directive::Grant {
            path: "~/data".to_owned(),
            access: Access::Read
        })
    );
    assert_eq!(
        read("config", "url http://x ask::1 llm"),
        Ok(Directive::Config(ConfigEntry {
            key: "url".to_owned(),
            value: "http://x".to_owned(),
            tokens: vec!["ask::1".to_owned(), "llm".to_owned()]
        }))
    );
    assert_eq!(wrong("config", "url"), "`config` wants a key and a value");
}

#[test]
fn formats_become_schemas() {
    let at = Origin::Run;
    let schema = |value| Format::schema(value, &at).map_err(|fault| fault.diagnostic.message);
    let own = json!({
        "type": "object", "properties": {"a": {"type": "string"}},
        "required": [], "additionalProperties": true
    });
    assert_eq!(schema(own.clone()), Ok(own.clone()));
    let mut named = own.clone();
    named["name"] = json!("sock");
    for wrapped in [
        json!({"type": "json_schema", "name": "sock", "schema": own}),
        json!({"type": "json_schema", "json_schema": {"name": "sock", "schema": own}}),
        json!({"format": {"type": "json_schema", "name": "sock", "schema": own}}),
        named.clone(),
    ] {
        assert_eq!(schema(wrapped), Ok(named.clone()));
    }
    assert_eq!(
        schema(json!({"name": "sock", "colour": "string", "size": ["integer", "in cm", 7]})),
        Ok(json!({
            "type": "object",
            "properties": {
                "colour": {"type": "string"},
                "size": {"type": "integer", "description": "in cm", "default": 7}
            },
            "required": ["colour"],
            "additionalProperties": false,
            "name": "sock"
        }))
    );
    assert_eq!(
        schema(json!({"name": "string"})),
        Ok(json!({
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": false
        }))
    );
    for bad in [
        json!([1]),
        json!({"colour": "red"}),
        json!({"type": "json_schema"}),
    ] {
        assert!(schema(bad.clone()).is_err(), "{bad}");
    }
    assert_eq!(
        read("format", "out/schema.json"),
        Ok(Directive::Set(Assignment {
            key: "format".to_owned(),
            value: Assigned::SchemaFile("out/schema.json".to_owned()),
            hold: Hold::UntilAnswer
        }))
    );
    assert!(wrong("format", "{\"a\": ").starts_with("the schema of `format` is not JSON: "));
}
