//! Scout's endpoint files, `etc/AI/NAME.yaml`: one flat map.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::Secret;
use super::config::{ConfigError, EndpointTable, SIZE_LIMIT};
use super::files;

/// Keys that Scout knows and that are no parameter of a request: they concern a feature that reads
/// them by name, or a provider with keys of its own.
const CONTROL: [&str; 12] = [
    "api_version",
    "log_errors",
    "prompt_strategies",
    "relay",
    "websearch",
    "tools",
    "format",
    "agent",
    "type",
    "server",
    "persist",
    "tag",
];

/// Keys that are left out: a file cannot name itself, and secrets of providers that are reached
/// otherwise go nowhere.
const LEFT_OUT: [&str; 3] = ["endpoint", "access_key", "secret_key"];

/// What an endpoint file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EndpointFile {
    /// What `[endpoints.NAME]` of `config.toml` can say too; its options are the parameters of
    /// requests.
    pub table: EndpointTable,
    /// Settings that are no parameters.
    pub control: Map<String, Value>,
}

/// Reads a file.
pub fn load(path: &Path) -> Result<EndpointFile, ConfigError> {
    let text = files::read_text(path, SIZE_LIMIT).map_err(|e| ConfigError::unread(path, &e))?;
    read(&text, path)
}

/// Reads the text of a file.
pub fn read(text: &str, path: &Path) -> Result<EndpointFile, ConfigError> {
    let wrong = |at, message| ConfigError {
        path: path.to_owned(),
        at,
        message,
        hint: None,
    };
    let map: Option<Map<String, Value>> = serde_saphyr::from_str(text).map_err(|error| {
        let at = error.location().and_then(|at| {
            let line = usize::try_from(at.line()).ok()?;
            Some((line, usize::try_from(at.column()).ok()?))
        });
        let whole = error.without_snippet().to_string();
        wrong(at, whole.lines().next().unwrap_or_default().to_owned())
    })?;
    let mut file = EndpointFile::default();
    let mut default_model = None;
    for (key, value) in map.unwrap_or_default() {
        let misfit = |wanted| wrong(None, format!("`{key}` must be {wanted}"));
        let text = || match &value {
            Value::String(text) => Ok(text.clone()),
            Value::Number(number) => Ok(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                Err(misfit("a text"))
            }
        };
        let seconds = || {
            let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
            number
                .filter(|number| super::clock::seconds(*number).is_some())
                .ok_or_else(|| misfit("a number of seconds above 0"))
        };
        if value.is_null() {
            continue;
        }
        let table = &mut file.table;
        match key.as_str() {
            "backend" => table.backend = Some(text()?),
            "url" => table.url = Some(text()?),
            "key" => table.key = Some(Secret::new(text()?)),
            "model" => table.model = Some(text()?),
            "region" => table.region = Some(text()?),
            "profile" => table.profile = Some(text()?),
            "default_model" => default_model = Some(text()?),
            "ca_file" => table.ca_file = Some(PathBuf::from(text()?)),
            "request_timeout" | "idle_timeout" => table.idle_timeout = Some(seconds()?),
            "connect_timeout" => table.connect_timeout = Some(seconds()?),
            "stream" => {
                table.stream = Some(value.as_bool().ok_or_else(|| misfit("true or false"))?);
            }
            "headers" => {
                let headers = value.as_object().ok_or_else(|| misfit("a map of texts"))?;
                for (name, value) in headers {
                    let value = value.as_str().ok_or_else(|| misfit("a map of texts"))?;
                    table.headers.insert(name.clone(), Secret::new(value));
                }
            }
            name if LEFT_OUT.contains(&name) => {}
            name if CONTROL.contains(&name) => {
                file.control.insert(key, value);
            }
            _ => {
                table.options.insert(key, value);
            }
        }
    }
    if file.table.model.is_none() {
        file.table.model = default_model;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_are_typed_and_the_rest_are_parameters() {
        let text = "backend: openai\nurl: http://localhost:8000/v1\nmodel: toy-7b\nkey: 123\n\
                    temperature: 0.2\nreasoning_effort: low\npersist: false\nendpoint: me\n\
                    request_timeout: 1200\nstream: false\nheaders:\n  x-a: b\nstop: [a]\n";
        let expected = EndpointFile {
            table: EndpointTable {
                backend: Some("openai".into()),
                url: Some("http://localhost:8000/v1".into()),
                model: Some("toy-7b".into()),
                key: Some(Secret::new("123")),
                options: serde_json::from_str(
                    r#"{"temperature": 0.2, "reasoning_effort": "low", "stop": ["a"]}"#,
                )
                .unwrap(),
                headers: [("x-a".into(), Secret::new("b"))].into(),
                stream: Some(false),
                idle_timeout: Some(1200.0),
                ..EndpointTable::default()
            },
            control: serde_json::from_str(r#"{"persist": false}"#).unwrap(),
        };
        assert_eq!(read(text, Path::new("x.yaml")), Ok(expected));
        assert_eq!(read("", Path::new("x.yaml")), Ok(EndpointFile::default()));
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let told = |text| read(text, Path::new("x.yaml")).unwrap_err().to_string();
        assert_eq!(told("url: [a]\n"), "x.yaml: `url` must be a text");
        assert_eq!(
            told("stream: 3\n"),
            "x.yaml: `stream` must be true or false"
        );
        assert_eq!(
            told("request_timeout: -1\n"),
            "x.yaml: `request_timeout` must be a number of seconds above 0"
        );
        assert!(
            told("url: a\nurl: b\n").starts_with("x.yaml:2:1: "),
            "{}",
            told("url: a\nurl: b\n")
        );
        assert!(told("- a\n").starts_with("x.yaml:1:"), "{}", told("- a\n"));
        assert!(
            told("a: 'b\n").starts_with("x.yaml:"),
            "{}",
            told("a: 'b\n")
        );
    }
}
