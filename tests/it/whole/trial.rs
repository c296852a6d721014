//! `scoutai endpoints test` against servers of every kind.

use regex::Regex;
use serde_json::{Value, json};

use super::{Place, Ran};
use crate::fakellm::{FakeLlm, Play};

fn list() -> Play {
    Play::json(200, &json!({"data": [{"id": "tiny-7"}, {"id": "big-1"}]}))
}

fn whole(text: &str) -> Play {
    let message = json!({"role": "assistant", "content": text});
    let choice = json!({"index": 0, "message": message, "finish_reason": "stop"});
    Play::json(200, &json!({"model": "tiny-7", "choices": [choice]}))
}

fn call() -> Play {
    Play::calls(&[("c1", "get_word", "{\"day\":\"today\"}")])
}

/// Runs the test; gives what it ended with, and the lines without times.
fn tried(plays: Vec<Play>, arguments: &[&str]) -> (Ran, Vec<String>, FakeLlm) {
    let llm = FakeLlm::start(plays);
    let place = Place::asking(&llm);
    let mut all = vec!["endpoints", "test", "fake"];
    all.extend(arguments);
    let ran = place.run(&all);
    let lines = bare(&ran.stdout, &llm.url);
    (ran, lines, llm)
}

fn bare(stdout: &str, url: &str) -> Vec<String> {
    let time = Regex::new(r"  \(\d+\.\d s\)$").unwrap();
    stdout
        .lines()
        .map(|line| {
            assert!(time.is_match(line), "{line}");
            time.replace(line, "").replace(url, "URL")
        })
        .collect()
}

#[test]
fn every_step_is_told_of_an_endpoint_that_works() {
    let plays = vec![
        list(),
        whole("Ready."),
        Play::text("one two three"),
        call(),
        Play::text("heron"),
    ];
    let (ran, lines, llm) = tried(plays, &[]);
    assert_eq!(
        lines,
        [
            "endpoint    fake at URL",
            "key         not needed",
            "reachable   yes, lists 2 models",
            "model       tiny-7, listed",
            "answer      \"Ready.\"",
            "streaming   in 3 pieces",
            "tool round  called, then \"heron\"",
        ]
    );
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""));
    let seen = llm.requests();
    let lines: Vec<&str> = seen.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(
        lines,
        [
            "GET /v1/models HTTP/1.1",
            "POST /v1/chat/completions HTTP/1.1",
            "POST /v1/chat/completions HTTP/1.1",
            "POST /v1/chat/completions HTTP/1.1",
            "POST /v1/chat/completions HTTP/1.1",
        ]
    );
    let streams: Vec<bool> = seen[1..]
        .iter()
        .map(|seen| seen.json()["stream"] == true)
        .collect();
    assert_eq!(streams, [false, true, true, true]);
    let last = seen[4].json();
    let roles: Vec<&Value> = last["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["role"])
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool"]);
    assert_eq!(last["messages"][2]["content"], "heron");
}

#[test]
fn servers_that_have_less_pass_with_what_they_have() {
    let plays = vec![
        Play::error(404, "not_found", "no such path"),
        whole("Ready."),
        Play::text("one"),
        Play::text("I cannot."),
    ];
    let (ran, lines, llm) = tried(plays, &["-m", "own"]);
    assert_eq!(
        lines[2..],
        [
            "reachable   answers, with no list of models (`URL/models` answers 404 (Not Found): no such path)",
            "model       own, no list",
            "answer      \"Ready.\"",
            "streaming   in one piece",
            "tool round  no call: the model answers in words",
        ]
    );
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(llm.requests()[1].json()["model"], "own");

    let refused = || Play::error(400, "bad", "tools are not known");
    let plays = vec![
        list(),
        whole("Ready."),
        Play::text("one two"),
        refused(),
        refused(),
    ];
    let (ran, lines, llm) = tried(plays, &["-m", "tiny-8"]);
    assert_eq!(
        [&lines[3], &lines[6]],
        [
            "model       tiny-8, not listed; the nearest is tiny-7",
            "tool round  no call: `URL/chat/completions` answers 400 (Bad Request): tools are not known",
        ]
    );
    assert_eq!(ran.exit, Some(0), "{ran:?}");
    let choices: Vec<Value> = llm.requests()[3..]
        .iter()
        .map(|seen| seen.json()["tool_choice"].clone())
        .collect();
    assert_eq!(choices, [json!("required"), Value::Null]);
}

#[test]
fn the_step_that_fails_says_why_and_later_ones_are_skipped() {
    let failing = |plays: Vec<Play>, step: usize| {
        let (ran, lines, llm) = tried(plays, &[]);
        assert_eq!((ran.exit, lines.len()), (Some(1), 7), "{ran:?}");
        let skipped = |line: &String| line.split_at(12).1 == "skipped";
        assert!(!lines[..=step].iter().any(skipped), "{lines:?}");
        assert!(lines[step + 1..].iter().all(skipped), "{lines:?}");
        (lines[step].clone(), ran.stderr.replace(&llm.url, "URL"))
    };
    let broken = || Play::error(500, "server_error", "broken").header("x-should-retry", "false");
    assert_eq!(
        failing(vec![broken()], 2).0,
        "reachable   failed: `URL/models` answers 500 (Internal Server Error): broken"
    );
    let (line, stderr) = failing(
        vec![list(), Play::error(401, "invalid_api_key", "who are you")],
        4,
    );
    assert_eq!(
        (line.as_str(), stderr.as_str()),
        (
            "answer      failed: `URL/chat/completions` answers 401 (Unauthorized): who are you",
            "error: `URL/chat/completions` answers 401 (Unauthorized): who are you\n  hint: this server wants a key: set one for the endpoint\n"
        )
    );
    let cut = Play::text("one two three").broken_after(2);
    let (line, _) = failing(vec![list(), whole("Ready."), cut], 5);
    assert!(line.starts_with("streaming   failed: "), "{line}");
    let plays = vec![list(), whole("R"), Play::text("a b"), call(), broken()];
    let (line, _) = failing(plays, 6);
    assert_eq!(
        line,
        "tool round  failed: `URL/chat/completions` answers 500 (Internal Server Error): broken"
    );
}

#[test]
fn nothing_is_asked_where_the_endpoint_the_key_or_the_model_is_missing() {
    let llm = FakeLlm::start(vec![list()]);
    let place = Place::new();
    place.config(&format!(
        "[endpoints.bare]\nurl = \"{0}\"\n[endpoints.keyed]\nurl = \"{0}\"\nmodel = \"m\"\nkey = \"env:NONE\"\n",
        llm.url
    ));
    let told = |name: &str| {
        let ran = place.run(&["endpoints", "test", name]);
        assert_eq!(ran.exit, Some(1), "{ran:?}");
        bare(&ran.stdout, &llm.url)[..4].join("\n")
    };
    assert_eq!(
        told("nowhere"),
        "endpoint    failed: there is no endpoint `nowhere`, which the command line asks for\n\
         key         skipped\nreachable   skipped\nmodel       skipped"
    );
    assert_eq!(
        told("keyed"),
        "endpoint    keyed\n\
         key         failed: endpoint `keyed` needs a key, and `NONE` is not set\n\
         reachable   skipped\nmodel       skipped"
    );
    assert_eq!(llm.requests().len(), 0);
    assert_eq!(
        told("bare"),
        "endpoint    bare at URL\nkey         not needed\nreachable   yes, lists 2 models\n\
         model       failed: no model is named for the endpoint `bare`"
    );
}

#[test]
fn programs_get_an_object_for_each_step_and_nobody_the_key() {
    let key = "sk-canary-4711-do-not-leak";
    let echo = || Play::error(400, "bad", &format!("bad key {key}"));
    let llm = FakeLlm::start(vec![echo(), echo()]);
    let place = Place::new().variable("WORK_KEY", key);
    place.config(&format!(
        "[endpoints.work]\nurl = \"{}\"\nmodel = \"m\"\nkey = \"env:WORK_KEY\"\nstream = false\n",
        llm.url
    ));
    let ran = place.run(&["endpoints", "test", "work", "--json"]);
    assert!(!format!("{ran:?}").contains("canary"), "{ran:?}");
    assert_eq!(ran.exit, Some(1));
    let told: Vec<String> = ran
        .stdout
        .lines()
        .map(|line| {
            let one: Value = serde_json::from_str(line).unwrap();
            assert!(one["seconds"].is_f64(), "{one}");
            let text = |key: &str| one[key].as_str().unwrap_or("-").replace(&llm.url, "URL");
            [text("step"), text("result"), text("told")].join(" | ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "endpoint | passed | work at URL",
            "key | passed | set (from env WORK_KEY)",
            "reachable | passed | answers, with no list of models (`URL/models` answers 400 (Bad Request): bad key (key))",
            "model | passed | m, no list",
            "answer | failed | `URL/chat/completions` answers 400 (Bad Request): bad key (key)",
            "streaming | skipped | ",
            "tool round | skipped | ",
        ]
    );
    for seen in llm.requests() {
        let bearer = format!("Bearer {key}");
        assert_eq!(seen.header("authorization"), Some(bearer.as_str()));
    }
}

#[test]
fn each_protocol_is_asked_for_its_own_list() {
    for (backend, base, line, model) in [
        (
            "responses",
            "/v1",
            "GET /v1/models HTTP/1.1",
            "tiny-7, listed",
        ),
        (
            "anthropic",
            "/v1",
            "GET /v1/models?limit=1000 HTTP/1.1",
            "tiny-7, listed",
        ),
        (
            "gemini",
            "/v1",
            "GET /v1/models?pageSize=1000 HTTP/1.1",
            "gem, listed",
        ),
        ("ollama", "/api", "GET /api/tags HTTP/1.1", "small, listed"),
    ] {
        let list = match backend {
            "gemini" => Play::json(200, &json!({"models": [{"name": "models/gem"}]})),
            "ollama" => Play::json(200, &json!({"models": [{"name": "small:latest"}]})),
            _ => list(),
        };
        let llm = FakeLlm::start(vec![list]);
        let place = Place::new();
        place.config(&format!(
            "[endpoints.e]\nbackend = \"{backend}\"\nurl = \"{}\"\nkey = \"k-canary-1\"\n",
            llm.url.replace("/v1", base)
        ));
        let name = model.split(',').next().unwrap();
        let ran = place.run(&["endpoints", "test", "e", "-m", name]);
        assert!(ran.stdout.contains(model), "{backend}: {ran:?}");
        let seen = &llm.requests()[0];
        assert_eq!(seen.line, line);
        let header = match backend {
            "anthropic" => ("x-api-key", "k-canary-1"),
            "gemini" => ("x-goog-api-key", "k-canary-1"),
            _ => ("authorization", "Bearer k-canary-1"),
        };
        assert_eq!(seen.header(header.0), Some(header.1), "{backend}");
        let version = (backend == "anthropic").then_some("2023-06-01");
        assert_eq!(seen.header("anthropic-version"), version);
    }
}
