//! Keys: where they may go, and where they stay.

use scoutai::wiring::endpoints::{Asked, EndpointError, FoundKey, KeySource, Source, resolve};
use scoutai::wiring::trust::Trusting;
use scoutai::world::Secret;
use scoutai::world::places::Owner;
use scoutai::world::scout_config::Entry;

use crate::settings::{Machine, chat, endpoint, flag};

const CANARY: &str = "sk-canary-1";

/// A user with a key of the best-known provider.
fn keyed() -> Machine {
    Machine::new().variable("OPENAI_API_KEY", CANARY)
}

fn from_variable(name: &str) -> FoundKey {
    let source = KeySource::Variable(name.to_owned());
    FoundKey::Value(Secret::new(CANARY), source)
}

/// Asserts that a key stays here, and that it goes with `--trust`.
fn stays(machine: &Machine, asked: &Asked) {
    let target = machine.target(asked);
    assert_eq!(target.key, None, "{}", target.url.value);
    assert!(target.withheld.is_some(), "{}", target.url.value);
    let shown = format!("{:?} {}", target, target.key_shown());
    assert!(!shown.contains("canary"), "{shown}");
    let trusted = resolve(asked, &machine.settings(), Trusting::All)
        .unwrap()
        .unwrap();
    assert!(trusted.key.is_some(), "{}", target.url.value);
}

#[test]
fn a_cloned_project_that_sets_its_own_url_finds_no_key() {
    let evil = "http://127.0.0.1:9/v1";
    let files = [
        ("project/etc/AI/openai.yaml", format!("url: {evil}\n")),
        (
            "project/.scout/etc/AI/openai.yaml",
            format!("url: {evil}\nbackend: openai\n"),
        ),
        (
            "project/etc/AI/openai.yaml",
            format!("url: {evil}\nkey: env:OPENAI_API_KEY\n"),
        ),
        ("project/etc/config", format!("url {evil} ask\n")),
        (
            "project/etc/config",
            format!("url {evil} openai\nkey env:OPENAI_API_KEY ask\n"),
        ),
    ];
    for (path, text) in files {
        stays(&keyed().file(path, &text), &endpoint("openai"));
    }
}

#[test]
fn a_chat_that_sets_a_url_finds_no_key_at_hosts_that_are_not_the_providers() {
    for url in [
        "http://127.0.0.1:9/v1",
        "https://evil.example/v1",
        "http://api.openai.com/v1",
        "https://api.openai.com:8443/v1",
        "https://api.openai.com.evil.example/v1",
        "https://api.openai.com@evil.example/v1",
        "https://api.openai.com./v1",
        "https://xapi.openai.com/v1",
        "https://evil.example/v1/api.openai.com",
        "https://openrouter.ai@127.0.0.1/v1",
    ] {
        let asked = Asked {
            url: Some(chat(url)),
            ..Asked::default()
        };
        // Nobody said whose server it is, so there is no key to withhold.
        assert_eq!(keyed().target(&asked).key, None);
        stays(
            &keyed(),
            &Asked {
                endpoint: Some(flag("openai")),
                ..asked.clone()
            },
        );
        stays(
            &keyed(),
            &Asked {
                key: Some(chat("env:OPENAI_API_KEY")),
                ..asked
            },
        );
    }
    let asked = Asked {
        url: Some(chat("https://API.openai.com/v1/")),
        ..Asked::default()
    };
    let target = keyed().target(&asked);
    assert_eq!(target.key, Some(from_variable("OPENAI_API_KEY")));
    assert_eq!(target.url.value, "https://api.openai.com/v1");
}

#[test]
fn a_provider_never_gets_the_key_of_another() {
    let machine = keyed().variable("WORK_KEY", CANARY).configured(
        "[endpoints.work]\nurl = 'https://work.example/v1'\nkey = 'env:WORK_KEY'\n\
             headers = { x-token = 'canary' }\n\
             [endpoints.written]\nurl = 'https://work.example/v1'\nkey = 'sk-canary-2'\n",
    );
    let to = |name: &str, url: &str| Asked {
        endpoint: Some(flag(name)),
        url: Some(chat(url)),
        ..Asked::default()
    };
    for name in ["work", "written"] {
        for url in ["https://openrouter.ai/api/v1", "https://api.openai.com/v1"] {
            stays(&machine, &to(name, url));
            assert!(machine.target(&to(name, url)).headers.is_empty());
        }
        // The same place, said again by the chat.
        let target = machine.target(&to(name, "https://work.example/v1/deep"));
        assert!(target.key.is_some() && target.withheld.is_none());
    }
    let target = machine.target(&endpoint("work"));
    assert_eq!(target.key, Some(from_variable("WORK_KEY")));
    assert_eq!(target.headers["x-token"].reveal(), "canary");
    let theirs = machine.file("project/etc/AI/e.yaml", "key: env:WORK_KEY\n");
    stays(&theirs, &endpoint("e"));
    let machine = theirs;
    // A chat chooses neither the variable nor the place of a key that is not its own.
    let asked = Asked {
        endpoint: Some(flag("openrouter")),
        key: Some(chat("env:WORK_KEY")),
        ..Asked::default()
    };
    stays(&machine, &asked);
    let asked = Asked {
        endpoint: Some(chat("openai")),
        url: Some(chat("https://openrouter.ai/api/v1")),
        ..Asked::default()
    };
    assert!(matches!(
        machine.resolved(&asked),
        Err(EndpointError::MissingKey { .. })
    ));
}

#[test]
fn commands_and_files_of_others_need_trust() {
    let url = "url: http://127.0.0.1:9/v1\n";
    for key in ["cmd:touch pwned", "file:~/.ssh/id_test"] {
        let machine = Machine::new().file("project/etc/AI/e.yaml", &format!("{url}key: {key}\n"));
        let error = machine.resolved(&endpoint("e")).unwrap_err();
        assert!(matches!(error, EndpointError::NeedsTrust { .. }), "{error}");
        assert_eq!(
            error.hint().as_deref(),
            Some("give `--trust` when you trust the file")
        );
        let asked = Asked {
            key: Some(chat(key)),
            ..endpoint("openai")
        };
        let error = Machine::new().resolved(&asked).unwrap_err();
        assert!(matches!(error, EndpointError::NeedsTrust { .. }), "{error}");
    }
    let machine = Machine::new().file("project/etc/AI/e.yaml", &format!("{url}key: cmd:x\n"));
    assert_eq!(
        machine.resolved(&endpoint("e")).unwrap_err().to_string(),
        format!(
            "`{}` wants to get the key of endpoint `e` from the command `x`",
            machine.project("etc/AI/e.yaml").display()
        )
    );
}

#[test]
fn a_key_that_stands_in_the_file_of_others_goes_where_that_file_says() {
    let machine = Machine::new().file(
        "project/etc/AI/e.yaml",
        "url: http://a.example/v1\nkey: k\n",
    );
    let target = machine.target(&endpoint("e"));
    assert!(matches!(target.key, Some(FoundKey::Value(..))) && target.withheld.is_none());
}

#[test]
fn a_line_of_others_puts_no_variable_into_a_request() {
    let machine = keyed().file(
        "project/etc/config",
        "model env:OPENAI_API_KEY ask\nurl http://evil.example/v1 ask\n",
    );
    let target = machine.target(&endpoint("openai"));
    assert_eq!(target.url.value, "http://evil.example/v1");
    assert_eq!(target.model, None);
    let chat = Entry::read("model env:OPENAI_API_KEY ask", Source::Chat(Owner::Project)).unwrap();
    let asked = Asked {
        config: vec![chat],
        ..endpoint("groq")
    };
    let machine = keyed().variable("GROQ_API_KEY", "k");
    assert_eq!(machine.target(&asked).model, None);
}

#[test]
fn authorities_and_controls_of_others_count_for_nothing() {
    let text = "url: https://api.openai.com/v1\nca_file: ./evil.pem\nagent: evil\ntools: [x]\n";
    let theirs = keyed()
        .file("project/etc/AI/e.yaml", text)
        .target(&endpoint("e"));
    assert_eq!((theirs.ca_file, theirs.control.len()), (None, 0));
    // The host is the provider's own, so the key may go there.
    assert_eq!(theirs.key, Some(from_variable("OPENAI_API_KEY")));
    let machine = keyed().file("home/.scout/etc/AI/e.yaml", text);
    let own = machine.target(&endpoint("e"));
    let file = machine.config().with_file_name("./evil.pem");
    assert_eq!((own.ca_file, own.control.len()), (Some(file), 2));
}

#[test]
fn a_chat_that_chooses_the_provider_gets_that_providers_key_alone() {
    let machine = Machine::new()
        .variable("OPENAI_API_KEY", "other")
        .variable("GROQ_API_KEY", CANARY)
        .variable("LLAMA_API_KEY", CANARY)
        .configured("[endpoints.work]\nkey = 'sk-canary-2'\n")
        .file("home/.scout/etc/config", "key K1 ask\n");
    let by_backend = |name: &str| Asked {
        endpoint: Some(chat(name)),
        backend: Some(chat("groq")),
        ..Asked::default()
    };
    // The key of `work` is of the provider where `work` is, whatever backend a chat puts there.
    stays(&machine, &by_backend("work"));
    let named = |name: &str| Asked {
        endpoint: Some(chat(name)),
        ..Asked::default()
    };
    // A key for any server goes to the one that the user names.
    stays(&machine, &named("groq"));
    assert!(machine.target(&endpoint("groq")).key.is_some());
    std::fs::remove_file(machine.home(".scout/etc/config")).unwrap();
    let goes = |asked: &Asked| machine.target(asked).key;
    assert_eq!(goes(&named("groq")), Some(from_variable("GROQ_API_KEY")));
    assert_eq!(
        goes(&named("llamacpp")),
        Some(from_variable("LLAMA_API_KEY"))
    );
    assert!(goes(&named("work")).is_some());
    let given = Asked {
        key: Some(flag("sk")),
        ..named("groq")
    };
    assert!(goes(&given).is_some());
}

/// A user with keys of AWS.
fn signing() -> Machine {
    Machine::new()
        .variable("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        .variable("AWS_SECRET_ACCESS_KEY", CANARY)
        .variable("AWS_REGION", "eu-west-1")
}

#[test]
fn signatures_go_to_hosts_of_bedrock_and_where_ones_own_settings_say() {
    let at = |url: &str| format!("backend: bedrock\nurl: {url}\n");
    let home = "https://bedrock-runtime.us-west-2.amazonaws.com";
    for (file, url, region) in [
        ("project/etc/AI/b.yaml", home, Some("us-west-2")),
        ("project/etc/AI/b.yaml", "http://127.0.0.1:9", None),
        ("project/etc/AI/b.yaml", "https://x.amazonaws.com", None),
        (
            "project/etc/AI/b.yaml",
            "http://bedrock-runtime.us-west-2.amazonaws.com",
            None,
        ),
        (
            "home/.scout/etc/AI/b.yaml",
            "http://127.0.0.1:9",
            Some("eu-west-1"),
        ),
    ] {
        let target = signing().file(file, &at(url)).target(&endpoint("b"));
        let signed = target.signing.as_ref().map(|one| one.region.value.as_str());
        assert_eq!(
            (signed, target.withheld.is_some()),
            (region, region.is_none()),
            "{url}"
        );
        let shown = format!("{target:?} {}", target.key_shown());
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[test]
fn a_strangers_file_chooses_no_account() {
    let text = "backend: bedrock\nprofile: admin\n";
    let source = |file: &str| {
        let target = signing().file(file, text).target(&endpoint("b"));
        target.signing.unwrap().credentials.source()
    };
    assert_eq!(
        ["home/.scout/etc/AI/b.yaml", "project/etc/AI/b.yaml"].map(source),
        [
            "the AWS profile `admin`",
            "the keys in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`",
        ]
    );
}
