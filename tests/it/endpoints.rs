//! Endpoints: what is chosen, and from where.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use scoutai::backends::Protocol;
use scoutai::wiring::endpoints::{
    Asked, BackendKind, EndpointError, Given, LocalServer, Source, Target, find_among, list,
};
use scoutai::wiring::trust::Trusting;
use tokio_util::sync::CancellationToken;

use crate::settings::{Machine, chat, endpoint, flag};

#[test]
fn the_nearer_setting_wins() {
    let mut machine = Machine::new().variable("OPENAI_API_KEY", "k");
    let mut models = vec!["gpt-5-nano"];
    let mut seen = Vec::new();
    let mut look = |machine: &Machine, asked: &Asked| {
        seen.push(machine.target(asked).model.unwrap().value);
    };
    look(&machine, &Asked::default());
    machine = machine.variable("OPENAI_MODEL", "of-env");
    look(&machine, &Asked::default());
    machine = machine.configured("[defaults]\nendpoint = 'openai'\nmodel = 'of-defaults'\n");
    look(&machine, &Asked::default());
    machine = machine.file("home/.scout/etc/config", "model of-scout ask\n");
    look(&machine, &Asked::default());
    machine = machine.file("home/.scout/etc/AI/openai.yaml", "model: of-file\n");
    look(&machine, &Asked::default());
    let asked = Asked {
        model: Some(chat("of-chat")),
        ..Asked::default()
    };
    look(&machine, &asked);
    models.extend(["of-env", "of-defaults", "of-scout", "of-file", "of-chat"]);
    assert_eq!(seen, models);
}

#[test]
fn the_default_model_belongs_to_the_default_endpoint() {
    let machine = Machine::new()
        .variable("OPENAI_API_KEY", "sk-canary-1")
        .variable("GROQ_API_KEY", "k")
        .configured(
            "[defaults]\nendpoint = 'openai'\nmodel = 'mine'\noptions = { seed = 1, top_p = 1 }\n\
                     [endpoints.e]\nurl = 'http://e.example/v1'\noptions = { seed = 2 }\n",
        );
    let model = |asked: &Asked| machine.target(asked).model.map(|model| model.value);
    assert_eq!(model(&Asked::default()).as_deref(), Some("mine"));
    assert_eq!(model(&endpoint("openai")).as_deref(), Some("mine"));
    assert_eq!(model(&endpoint("groq")), None);
    let mut asked = endpoint("e");
    asked.parameters.insert("top_p".into(), 0.5.into());
    let parameters = machine.target(&asked).parameters;
    assert_eq!(
        serde_json::to_string(&parameters).unwrap(),
        r#"{"seed":2,"top_p":0.5}"#
    );
}

#[test]
fn nothing_named_takes_the_first_that_is_set() {
    let name = |machine: Machine| machine.resolved(&Asked::default()).unwrap().map(|t| t.name);
    assert_eq!(name(Machine::new()), None);
    assert_eq!(name(Machine::new().variable("OPENAI_API_KEY", " ")), None);
    let both = || {
        Machine::new()
            .variable("MISTRAL_API_KEY", "k")
            .variable("GROQ_API_KEY", "k")
    };
    assert_eq!(name(both()).as_deref(), Some("groq"));
    assert_eq!(
        name(both().variable("LLM_ENDPOINT", "mistral")).as_deref(),
        Some("mistral")
    );
    let named = both()
        .file("project/etc/config", "endpoint deepseek ask\n")
        .variable("DEEPSEEK_KEY", "k");
    assert_eq!(name(named).as_deref(), Some("deepseek"));
    let machine = Machine::new().variable("OPENAI_BASE_URL", "http://10.0.0.1:4000/v1");
    let target = machine.target(&Asked::default());
    assert_eq!(
        (target.url.value.as_str(), target.key, target.model),
        ("http://10.0.0.1:4000/v1", None, None)
    );
}

#[test]
fn addresses_of_local_servers_are_taken_as_people_write_them() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:11434/api"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000/api"),
        ("http://gpu:11434/", "http://gpu:11434/api"),
        ("https://gpu.example/v1/", "https://gpu.example/v1"),
    ] {
        let machine = Machine::new().variable("OLLAMA_HOST", host);
        assert_eq!(machine.target(&endpoint("ollama")).url.value, url);
    }
    let machine = Machine::new().file(
        "home/.scout/etc/AI/v.yaml",
        "backend: vllm\nurl: http://v:8000\n",
    );
    assert_eq!(machine.target(&endpoint("v")).url.value, "http://v:8000/v1");
}

#[test]
fn mistakes_are_told_with_what_to_do() {
    let told = |machine: Machine, asked: &Asked| {
        let error = machine.resolved(asked).unwrap_err();
        (error.to_string(), error.hint().unwrap_or_default())
    };
    let (message, hint) = told(Machine::new(), &endpoint("opnai"));
    assert_eq!(
        message,
        "there is no endpoint `opnai`, which the command line asks for"
    );
    assert!(
        hint.starts_with("did you mean `openai`? known are: anthropic, "),
        "{hint}"
    );
    assert_eq!(
        told(Machine::new(), &endpoint("openai")),
        (
            "endpoint `openai` needs a key, and `OPENAI_API_KEY` is not set".into(),
            "set `OPENAI_API_KEY`, or add `key` to the endpoint".into()
        )
    );
    let machine =
        Machine::new().configured("[endpoints.e]\nurl = 'http://e/v1'\nkey = 'env:A,B'\n");
    let mend = format!("set `A`, or mend `{}`", machine.config().display());
    assert_eq!(
        told(machine, &endpoint("e")),
        (
            "endpoint `e` needs a key, and `A`, `B` are not set".into(),
            mend
        )
    );
    let backend = |name| Asked {
        backend: Some(chat(name)),
        ..Asked::default()
    };
    assert_eq!(
        told(Machine::new(), &backend("relay")).0,
        "backend `relay`, which the chat asks for, is no part of scoutai"
    );
    assert_eq!(
        told(Machine::new(), &backend("openia")),
        (
            "there is no backend `openia`, which the chat asks for".into(),
            "did you mean `openai`?".into()
        )
    );
    for (url, why) in [
        (
            "localhost:8080",
            "begins with `localhost:`, and `http:` or `https:` is wanted",
        ),
        (
            "file:///etc",
            "begins with `file:`, and `http:` or `https:` is wanted",
        ),
        ("http://", "is none: empty host"),
        ("models", "is none: relative URL without a base"),
        (
            "http://a/v1?key=1",
            "has a `?` or a `#`, and a base url is wanted",
        ),
    ] {
        let asked = Asked {
            url: Some(chat(url)),
            ..endpoint("vllm")
        };
        let message = told(Machine::new(), &asked).0;
        assert_eq!(
            message,
            format!("the url of endpoint `vllm`, from the chat, {why}")
        );
    }
}

#[test]
fn the_list_shows_no_key() {
    let machine = Machine::new().variable("OPENAI_API_KEY", "sk-canary-1")
        .configured("[endpoints.a]\nurl = 'http://a/v1'\nkey = 'sk-canary-2'\n[endpoints.c]\nurl = 'http://c/v1'\nkey = 'cmd:pass'\n")
        .file("project/etc/AI/b.yaml", "url: http://b/v1\nkey: sk-canary-3\nheaders: {x: canary}\n");
    let all = list(&machine.settings());
    assert!(!format!("{all:?}").contains("canary"), "{all:?}");
    let shown = |name: &str| {
        let one = all.iter().find(|one| one.name == name).unwrap();
        one.target
            .as_ref()
            .map_or_else(ToString::to_string, Target::key_shown)
    };
    let config = machine.config().display().to_string();
    assert_eq!(shown("openai"), "set (from env OPENAI_API_KEY)");
    assert_eq!(shown("a"), format!("set (from `{config}`)"));
    assert_eq!(shown("c"), format!("from the command `pass` of `{config}`"));
    assert_eq!(shown("llamacpp"), "none");
    assert_eq!(
        shown("groq"),
        "endpoint `groq` needs a key, and `GROQ_API_KEY` is not set"
    );
}

async fn found(
    machine: &Machine,
    asked: &Asked,
    servers: &[LocalServer],
) -> Result<(String, Option<String>), EndpointError> {
    let cancel = CancellationToken::new();
    let endpoint = find_among(asked, &machine.settings(), Trusting::Own, &cancel, servers).await?;
    let key = endpoint.key.map(|(key, _)| key.reveal().to_owned());
    Ok((endpoint.target.url.value, key))
}

#[tokio::test]
async fn keys_come_from_commands_and_files_and_are_checked() {
    let machine = Machine::new()
        .variable("BAD", "sk canary")
        .file("home/key", "sk-file\r\n")
        .configured(
            "[endpoints.cmd]\nurl = 'http://a/v1'\nkey = 'cmd:echo sk-cmd; echo noise >&2'\n\
             [endpoints.file]\nurl = 'http://a/v1'\nkey = 'file:~/key'\n\
             [endpoints.lost]\nurl = 'http://a/v1'\nkey = 'file:~/none'\n\
             [endpoints.fails]\nurl = 'http://a/v1'\nkey = 'cmd:echo sk-canary; exit 3'\n\
             [endpoints.bad]\nurl = 'http://a/v1'\nkey = 'env:BAD'\n",
        );
    let key = async |name: &str| found(&machine, &endpoint(name), &[]).await;
    let ok = |key: &str| Ok(("http://a/v1".to_owned(), Some(key.to_owned())));
    assert_eq!(key("cmd").await, ok("sk-cmd"));
    assert_eq!(key("file").await, ok("sk-file"));
    let told = async |name: &str| key(name).await.unwrap_err().to_string();
    let lost = machine.home("none").display().to_string();
    assert_eq!(
        told("lost").await,
        format!("the key from the file `{lost}` cannot be had: `{lost}` is not there")
    );
    assert_eq!(
        told("fails").await,
        format!(
            "the key from the command `echo sk-canary; exit 3` of `{}` cannot be had: it ended \
             with exit code 3",
            machine.config().display()
        )
    );
    assert_eq!(
        told("bad").await,
        "the key from env BAD has a blank or a line end inside"
    );
}

/// Answers one request at a port of its own with these bytes.
fn server(answer: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1000];
        let _ = stream.read(&mut request).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
    });
    port
}

#[tokio::test]
async fn a_local_server_that_has_models_is_taken() {
    let web = server("HTTP/1.1 200 OK\r\n\r\n<html>{}</html>");
    let closed = server("HTTP/1.1 401 No\r\n\r\n{\"data\":[]}");
    let models =
        server("HTTP/1.1 200 OK\r\n\r\n{\"object\":\"list\",\"data\":[{\"id\":\"tiny\"}]}");
    let servers = [("llamacpp", web), ("ollama", closed), ("vllm", models)]
        .map(|(provider, port)| LocalServer { provider, port });
    let cancel = CancellationToken::new();
    let settings = Machine::new().settings();
    let asked = Asked::default();
    let endpoint = find_among(&asked, &settings, Trusting::Own, &cancel, &servers)
        .await
        .unwrap();
    let target = endpoint.target;
    assert_eq!(target.url.value, format!("http://127.0.0.1:{models}/v1"));
    assert_eq!(
        (target.name.as_str(), target.model.unwrap().value.as_str()),
        ("vllm", "tiny")
    );
    assert_eq!(
        (target.backend, endpoint.key),
        (BackendKind::Speaks(Protocol::ChatCompletions), None)
    );
}

#[tokio::test]
async fn a_first_run_with_nothing_set_says_what_to_do_in_five_lines() {
    let error = found(&Machine::new(), &Asked::default(), &[])
        .await
        .unwrap_err();
    let hint = error.hint().unwrap();
    assert_eq!(
        error.to_string(),
        "no endpoint is named, no key is set, and no local server answers"
    );
    assert_eq!(hint.lines().count(), 4, "{hint}");
}

#[test]
fn a_script_needs_no_key() {
    let asked = Asked {
        backend: Some(flag("scripted")),
        url: Some(Given::new("script.md".into(), Source::CommandLine)),
        ..Asked::default()
    };
    let target = Machine::new().target(&asked);
    assert_eq!(
        (target.backend, target.url.value.as_str(), target.key),
        (BackendKind::Scripted, "script.md", None)
    );
}

#[test]
fn the_nearer_region_wins_and_is_part_of_the_url() {
    let url = |machine: &Machine, asked: &Asked| machine.target(asked).url.value;
    let profiles = "[default]\nregion = eu-west-1\n[profile work]\nregion = eu-west-2\n";
    let mut machine = Machine::new().file("home/.aws/config", profiles);
    let asked = endpoint("bedrock");
    let mut seen = vec![url(&machine, &asked)];
    machine = machine.variable("AWS_PROFILE", "work");
    seen.push(url(&machine, &asked));
    machine = machine.variable("AWS_DEFAULT_REGION", "eu-west-3");
    seen.push(url(&machine, &asked));
    machine = machine.variable("AWS_REGION", "eu-west-4");
    seen.push(url(&machine, &asked));
    machine =
        machine.configured("[endpoints.bedrock]\nbackend = 'bedrock'\nregion = 'cn-north-1'\n");
    seen.push(url(&machine, &asked));
    let asked = Asked {
        region: Some(chat("eu-west-6")),
        ..asked
    };
    seen.push(url(&machine, &asked));
    let host = "https://bedrock-runtime.";
    let expected = [
        "eu-west-1",
        "eu-west-2",
        "eu-west-3",
        "eu-west-4",
        "cn-north-1",
        "eu-west-6",
    ]
    .map(|region| match region {
        "cn-north-1" => format!("{host}{region}.amazonaws.com.cn"),
        region => format!("{host}{region}.amazonaws.com"),
    });
    assert_eq!(seen, expected);
}

#[test]
fn a_region_that_is_missing_or_would_be_another_host_is_an_error() {
    let told = |machine: Machine| {
        let error = machine.resolved(&endpoint("bedrock")).unwrap_err();
        format!("{error}; {}", error.hint().unwrap_or_default())
    };
    assert_eq!(
        [
            told(Machine::new()),
            told(Machine::new().variable("AWS_REGION", "evil.example/")),
        ],
        [
            "endpoint `bedrock` needs a region of AWS, and none is set; set `AWS_REGION`, or add \
             `region` to the endpoint",
            "the region of endpoint `bedrock`, from env `AWS_REGION`, is not the name of one; \
             write it as `eu-west-1`",
        ]
    );
}
