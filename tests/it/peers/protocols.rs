//! The table: what each endpoint of the run can show, and what must come of it.
//!
//! Endpoints whose name begins with `mock-` are played by aimock after `tests/peers/aimock.json`,
//! the others are a real model in llama.cpp's server, those of `aws` behind `MiniStack`.

use super::control::next_fails;
use super::*;

/// One thing to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    /// An answer, streamed and not.
    Plain,
    /// One call after the other, then an answer.
    Rounds,
    /// Text, then two calls in one reply.
    Both,
    /// A call, then text in the same reply.
    CallFirst,
    /// A call of a tool that is not there.
    NoSuchTool,
    /// Thinking, which goes back with the next question where the protocol wants that.
    Thought,
    /// The token limit.
    Length,
    /// A filter of the provider.
    Filter,
    /// A connection that breaks in the middle of the answer.
    Cut,
    /// A request that the server does not take.
    Refused,
    /// A server that is busy once.
    Retry,
    /// An answer of the real model.
    Capital,
    /// A tool round with the real model.
    Sum,
    /// A key that is refused.
    Locked,
}

use Case::{
    Both, CallFirst, Capital, Cut, Filter, Length, Locked, NoSuchTool, Plain, Refused, Retry,
    Rounds, Sum, Thought,
};

/// Every case that aimock can play.
const SCRIPTED: [Case; 11] = [
    Plain, Rounds, Both, CallFirst, NoSuchTool, Thought, Length, Filter, Cut, Refused, Retry,
];

/// The endpoints, with their cases.
fn table() -> Vec<(&'static str, Vec<Case>)> {
    vec![
        ("mock-chat", but(&[])),
        ("mock-openrouter", but(&[])),
        // It ends such a reply as incomplete, or failed, without the reason that OpenAI gives.
        ("mock-responses", but(&[Length, Filter])),
        // These two tell the filter in OpenAI's words.
        ("mock-anthropic", but(&[Filter])),
        ("mock-bedrock", but(&[Filter])),
        ("mock-gemini", but(&[])),
        // It thinks nothing here, and ends every reply with `stop`.
        ("mock-ollama", but(&[Thought, Length, Filter])),
        ("small-responses", vec![Capital]),
        ("small-anthropic", vec![Capital]),
        ("aws", vec![Capital]),
        ("small-tools-responses", vec![Sum]),
        ("small-tools-anthropic", vec![Sum]),
        ("aws-tools", vec![Sum]),
        ("aws-wrong", vec![Locked]),
    ]
}

/// Gives every scripted case but some.
fn but(out: &[Case]) -> Vec<Case> {
    SCRIPTED
        .into_iter()
        .filter(|case| !out.contains(case))
        .collect()
}

/// Gives every endpoint of the table.
pub(super) fn endpoints() -> impl Iterator<Item = &'static str> {
    table().into_iter().map(|(endpoint, _)| endpoint)
}

/// Runs a check for every endpoint of a case, each in a folder of its own.
#[expect(
    clippy::print_stderr,
    reason = "what a failing test printed last says with which endpoint it failed"
)]
fn each(case: Case, check: impl Fn(&Sandbox, &str)) {
    for (endpoint, cases) in table() {
        if !cases.contains(&case) {
            continue;
        }
        eprintln!("{case:?} with {endpoint}");
        check(&Sandbox::new(), endpoint);
    }
}

pub(super) const TOOLS: &str = "mcp: stdio \"mcp-server-everything\" echo get-sum\n";

/// Gives the calls of a run, by name and arguments, and their outputs.
fn calls(asked: &Asked) -> Vec<(String, Value, String)> {
    let calls = asked.text(Role::FunctionCall);
    let calls = calls.iter().map(|call| ToolCall::read(call).unwrap());
    let outputs = asked.outputs();
    let both: Vec<_> = calls.zip(&outputs).collect();
    assert_eq!(both.len(), outputs.len(), "{}", asked.added);
    both.into_iter()
        .map(|(call, output)| {
            assert_eq!(call.id, output.id, "{}", asked.added);
            (
                call.name.0,
                Value::Object(call.arguments),
                output.content.clone(),
            )
        })
        .collect()
}

/// Gives what a run recorded, which has to have ended well.
fn well(asked: &Asked) -> (Vec<Role>, Vec<String>) {
    assert_eq!(asked.exit, 0, "{}\n{}", asked.stderr, asked.added);
    (asked.roles(), asked.text(Role::Assistant))
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_gives_an_answer_streamed_and_not() {
    let greeting = "Grüß dich, 世界 👩‍💻! Here is a \"quote\", a \\ and\na second line.";
    each(Plain, |sandbox, endpoint| {
        let chat = || sandbox.chat(endpoint, "", "Greet me.");
        let streamed = sandbox.ask(&chat(), &["--json"]);
        let pieces = streamed.events("text");
        assert!(pieces.len() > 1, "one piece is no stream: {pieces:?}");
        assert_eq!(pieces.concat().trim(), greeting);
        let whole = sandbox.ask(&chat(), &["--no-stream"]);
        assert_eq!(whole.stdout.trim(), greeting);
        for asked in [streamed, whole] {
            let recorded = (vec![Role::Meta, Role::Assistant], vec![greeting.to_owned()]);
            assert_eq!(well(&asked), recorded);
            assert_eq!(asked.added.lines().last(), Some("user:"));
        }
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_calls_one_tool_after_the_other() {
    each(Rounds, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, TOOLS, "Do it, one after the other.");
        let asked = sandbox.ask(&chat, &[]);
        let round = [Role::Meta, Role::FunctionCall, Role::FunctionCallOutput];
        let roles = [&round[..], &round, &[Role::Meta, Role::Assistant]].concat();
        assert_eq!(
            well(&asked),
            (roles, vec!["Heard, and it is 42.".to_owned()])
        );
        let echo = ("echo", json!({"message": "first"}), "Echo: first");
        let sum = (
            "get-sum",
            json!({"a": 2, "b": 40}),
            "The sum of 2 and 40 is 42.",
        );
        assert_eq!(calls(&asked), [echo, sum].map(owned));
        assert_eq!(asked.stdout, "Heard, and it is 42.\n");
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_calls_two_tools_at_once_and_says_so() {
    each(Both, |sandbox, endpoint| {
        for way in [&[][..], &["--no-stream"]] {
            let chat = sandbox.chat(endpoint, TOOLS, "Now both at once.");
            let asked = sandbox.ask(&chat, way);
            let texts = ["Asking for both.", "Both are done."].map(str::to_owned);
            assert_eq!(well(&asked).1, texts, "{}", asked.added);
            let echo = (
                "echo",
                json!({"message": "user: left \"☕\""}),
                "Echo: user: left \"☕\"",
            );
            let sum = (
                "get-sum",
                json!({"a": 1.5, "b": 2}),
                "The sum of 1.5 and 2 is 3.5.",
            );
            assert_eq!(calls(&asked), [echo, sum].map(owned), "{way:?}");
        }
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_keeps_text_that_comes_with_a_call() {
    each(CallFirst, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, TOOLS, "You may call before you speak.");
        let asked = sandbox.ask(&chat, &[]);
        let texts = ["I have called.", "Now I have spoken."].map(str::to_owned);
        assert_eq!(well(&asked).1, texts, "{}", asked.added);
        let echo = ("echo", json!({"message": "before"}), "Echo: before");
        assert_eq!(calls(&asked), [owned(echo)]);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_hears_that_a_tool_is_not_there() {
    each(NoSuchTool, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, TOOLS, "Use no such tool.");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(well(&asked).1, ["Then without it."], "{}", asked.added);
        let output = "there is no tool `fly`; there are `echo`, `get-sum`";
        assert_eq!(
            calls(&asked),
            [owned(("fly", json!({"to": "the moon"}), output))]
        );
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn thoughts_are_recorded_and_sent_back_where_they_are_wanted() {
    // What the next request holds of the thought: its signature, or its encrypted form.
    let wanted = |endpoint: &str| match endpoint {
        "mock-responses" => Some("\"encrypted_content\":\""),
        "mock-anthropic" => Some("\"signature\":\"c2lnbmVkIGJ5IG5vYm9keQ==\""),
        _ => None,
    };
    each(Thought, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, "", "Please think of a number.");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(well(&asked).1, ["I think of 42."]);
        let thoughts = asked.text(Role::Reasoning);
        assert_eq!(thoughts.len(), 1, "{}", asked.added);
        let thought: Value = serde_json::from_str(&thoughts[0]).unwrap();
        assert_eq!(thought["text"], "Six times seven is a good one. So it is.");
        assert_eq!(asked.stdout, "I think of 42.\n");

        edit(&chat, |text| {
            text.trim_end().to_owned() + "\n\nNow double it.\n"
        });
        let shown = sandbox.ask(&chat, &["--show-request"]);
        let request: Value = serde_json::from_str(&shown.stdout).unwrap();
        match wanted(endpoint) {
            Some(mark) => assert!(request.to_string().contains(mark), "{request}"),
            None => assert!(
                !request.to_string().contains("Six times seven"),
                "{request}"
            ),
        }
        assert_eq!(well(&sandbox.ask(&chat, &[])).1, ["That makes 84."]);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_tells_that_the_limit_cut_the_answer() {
    each(Length, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, "", "Talk without an end.");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(asked.exit, 1, "{}", asked.stderr);
        assert!(
            asked
                .stderr
                .contains("error: the answer was cut at the token limit")
        );
        assert_eq!(
            asked.text(Role::Assistant),
            ["This answer stops in the middle of"]
        );
        assert!(asked.text(Role::Meta)[0].contains(" stop=length "));
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_tells_that_a_filter_took_the_answer() {
    each(Filter, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, "", "Say what nobody may say.");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(asked.exit, 7, "{}", asked.stderr);
        let cause = "error: the provider's content filter stopped the answer";
        assert!(asked.stderr.contains(cause), "{}", asked.stderr);
        assert_eq!(asked.text(Role::Assistant), ["Well,"]);
        assert!(asked.text(Role::Meta)[0].contains(" stop=filter "));
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn no_protocol_takes_a_broken_answer_for_a_whole_one() {
    each(Cut, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, "", "Then break off.");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(asked.exit, 1, "{}", asked.stderr);
        assert!(
            asked
                .stderr
                .contains("error: the connection to `127.0.0.1:"),
            "{}",
            asked.stderr
        );
        let texts = asked.text(Role::Assistant);
        assert_eq!(texts.len(), 1, "{}", asked.added);
        assert!(
            "This answer will never be heard".starts_with(&texts[0][..12]),
            "{texts:?}"
        );
        assert!(asked.text(Role::Meta)[0].contains(" stop=error"));

        // The chat goes on from there.
        let again = sandbox.ask(&chat, &["Greet me."]);
        assert_eq!(again.exit, 0, "{}", again.stderr);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_tells_why_a_request_is_refused() {
    each(Refused, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, "", "This cannot be asked.");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(
            (asked.exit, asked.added.as_str()),
            (1, ""),
            "{}",
            asked.stderr
        );
        let cause = "answers 400 (Bad Request): The parameter `wish` is not known.\n";
        assert!(asked.stderr.contains(cause), "{}", asked.stderr);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn every_protocol_asks_again_where_the_server_is_busy() {
    each(Retry, |sandbox, endpoint| {
        let chat = sandbox.chat(endpoint, "", "Greet me.");
        next_fails(429, "too many at once");
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(well(&asked).0, [Role::Meta, Role::Assistant]);
        let told = "answers 429 (Too Many Requests): too many at once; try 2 in ";
        assert_eq!(asked.stderr.matches(told).count(), 1, "{}", asked.stderr);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_real_model_answers_in_every_protocol() {
    each(Capital, |sandbox, endpoint| {
        for way in [&[][..], &["--no-stream"]] {
            let chat = sandbox.copy("first.md");
            edit(&chat, |text| {
                text.replacen("endpoint: small\n", &format!("endpoint: {endpoint}\n"), 1)
            });
            let asked = sandbox.ask(&chat, way);
            let texts = well(&asked).1;
            assert!(texts[0].contains("Paris"), "{}", asked.added);
            assert!(asked.text(Role::Meta)[0].contains(&format!(" endpoint={endpoint} ")));
            let meta = Meta::read(&asked.text(Role::Meta)[0]);
            assert!(
                meta.count("pt") > Some(0) && meta.count("ct") > Some(0),
                "{meta:?}"
            );
        }
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_real_model_calls_a_tool_in_every_protocol() {
    each(Sum, |sandbox, endpoint| {
        let chat = sandbox.copy("sum.md");
        edit(&chat, |text| {
            text.replacen(
                "endpoint: small-tools\n",
                &format!("endpoint: {endpoint}\n"),
                1,
            )
        });
        let asked = sandbox.ask(&chat, &[]);
        assert_eq!(well(&asked).0, ONE_CALL);
        let (call, output) = asked.only_call();
        assert_eq!(
            (call.name.0.as_str(), Value::Object(call.arguments)),
            ("get-sum", json!({"a": 2, "b": 40}))
        );
        assert_eq!(output.content, "The sum of 2 and 40 is 42.");
        assert!(asked.stdout.contains("42"), "{}", asked.stdout);
    });
}

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_wrong_secret_is_told_and_nothing_of_it_is_shown() {
    each(Locked, |sandbox, endpoint| {
        let asked = sandbox.ask(&sandbox.chat(endpoint, "", "Hello."), &[]);
        let Asked {
            exit,
            stderr,
            added,
            ..
        } = &asked;
        assert_eq!((*exit, added.as_str()), (1, ""), "{stderr}");
        let cause = "answers 403 (Forbidden): The request signature we calculated does not match";
        assert!(stderr.contains(cause), "{stderr}");
        assert!(!stderr.contains("nobodyknows"), "{stderr}");
    });
}

fn owned((name, arguments, output): (&str, Value, &str)) -> (String, Value, String) {
    (name.to_owned(), arguments, output.to_owned())
}
