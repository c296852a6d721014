//! The whole program with Bedrock: keys, signatures, streams.

use serde_json::json;

use super::{Place, Ran};
use crate::backends::frames_of;
use crate::fakellm::{FakeLlm, Play, Seen};
use crate::strict::Api;

const EVENTS: &str = r#"messageStart {"role":"assistant"}
contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"A "}}
contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"pear."}}
contentBlockStop {"contentBlockIndex":0}
messageStop {"stopReason":"end_turn"}
metadata {"usage":{"inputTokens":3,"outputTokens":2,"totalTokens":5},"metrics":{"latencyMs":1}}
"#;

fn stream(events: &str) -> Play {
    Play::body(200, "application/vnd.amazon.eventstream", frames_of(events))
}

/// A user whose own settings name the server.
fn place(llm: &FakeLlm, more: &str) -> Place {
    let place = Place::new();
    let url = llm.url.trim_end_matches("/v1");
    place.config(&format!(
        "[defaults]\nendpoint = \"aws\"\n[endpoints.aws]\nbackend = \"bedrock\"\nurl = \"{url}\"\n\
         model = \"amazon.nova-micro-v1:0\"\nregion = \"eu-west-1\"\n{more}"
    ));
    place.write("chat.md", "user: Which fruit?\n");
    place
}

fn with_keys(place: Place) -> Place {
    place
        .variable("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
        .variable("AWS_SECRET_ACCESS_KEY", "secret-canary-1")
        .variable("AWS_SESSION_TOKEN", "token-canary-1")
}

fn failed(ran: &Ran) {
    let errors = ran.stderr.matches("error: ").count();
    assert!(
        ran.exit.is_some_and(|code| code > 0) && errors == 1,
        "{ran:?}"
    );
}

fn authorization(seen: &Seen) -> String {
    let value = seen.header("authorization").unwrap_or_default();
    match value.split_once("Signature=") {
        Some((before, signature)) => {
            assert_eq!(signature.len(), 64, "{signature}");
            before.to_owned()
        }
        None => value.to_owned(),
    }
}

#[test]
fn a_stream_is_asked_for_with_a_signature_and_shown() {
    let llm = FakeLlm::strict_as(vec![stream(EVENTS).in_pieces_of(7)], Api::Bedrock);
    let place = with_keys(place(&llm, ""));
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Some(0), "A pear.\n"),
        "{}",
        ran.stderr
    );
    let seen = llm.only_request();
    assert_eq!(
        seen.line,
        "POST /model/amazon.nova-micro-v1%3A0/converse-stream HTTP/1.1"
    );
    let date = seen.header("x-amz-date").unwrap();
    assert_eq!(
        authorization(&seen),
        format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/{}/eu-west-1/bedrock/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, ",
            &date[..8]
        )
    );
    assert_eq!(seen.header("x-amz-security-token"), Some("token-canary-1"));
    let chat = place.read("chat.md");
    assert!(chat.contains("pt=3 ct=2 tt=5"), "{chat}");
}

#[test]
fn an_api_key_counts_more_than_other_credentials_and_a_profile_more_than_a_key() {
    let whole = json!({"output": {"message": {"role": "assistant", "content": [{"text": "Fig."}]}},
        "stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 1}});
    let mut seen = Vec::new();
    for more in ["", "profile = \"work\"\n"] {
        let llm = FakeLlm::strict_as(vec![Play::json(200, &whole)], Api::Bedrock);
        let place = with_keys(place(&llm, more)).variable("AWS_BEARER_TOKEN_BEDROCK", "key-1234");
        place.write(
            "../home/.aws/credentials",
            "[work]\naws_access_key_id = AKIDWORK\naws_secret_access_key = s\n",
        );
        let ran = place.run(&["ask", "-o", "stream=false", "chat.md"]);
        assert_eq!(ran.stdout, "Fig.\n", "{}", ran.stderr);
        let request = llm.only_request();
        assert!(request.line.contains("/converse "), "{}", request.line);
        let who = authorization(&request);
        seen.push(who.split('/').next().unwrap().to_owned());
    }
    assert_eq!(
        seen,
        ["Bearer key-1234", "AWS4-HMAC-SHA256 Credential=AKIDWORK"]
    );
}

#[test]
fn without_credentials_the_error_says_what_to_set() {
    let llm = FakeLlm::start(vec![]);
    let place = place(&llm, "").variable("AWS_EC2_METADATA_DISABLED", "true");
    let ran = place.run(&["ask", "chat.md"]);
    failed(&ran);
    assert!(
        ran.stderr.contains("there are no AWS credentials")
            && ran.stderr.contains("set `AWS_BEARER_TOKEN_BEDROCK`"),
        "{}",
        ran.stderr
    );
    assert_eq!(llm.requests().len(), 0);
}

#[test]
fn what_a_program_of_a_profile_prints_is_in_no_error() {
    let llm = FakeLlm::start(vec![]);
    for (profile, cause) in [
        ("odd", "external process exited with code exit status: 3"),
        ("gone", "there are no credentials in the AWS profile `gone`"),
    ] {
        let place = place(&llm, &format!("profile = \"{profile}\"\n"));
        place.write(
            "../home/.aws/config",
            "[profile odd]\ncredential_process = sh -c 'echo canary; echo canary >&2; exit 3'\n",
        );
        let ran = place.run(&["ask", "chat.md"]);
        failed(&ran);
        let told = &ran.stderr;
        assert!(told.contains(cause) && !told.contains("canary"), "{told}");
    }
}

#[test]
fn what_was_signed_with_is_in_no_error_although_the_server_repeats_it() {
    let refusal = json!({"message": "The Canonical String should have been \
        x-amz-security-token:token-canary-1 and secret-canary-1"});
    let play =
        Play::json(403, &refusal).header("x-amzn-errortype", "InvalidSignatureException:http://x/");
    let llm = FakeLlm::start(vec![play]);
    let place = with_keys(place(&llm, ""));
    let ran = place.run(&["ask", "-vv", "chat.md"]);
    failed(&ran);
    let told = &ran.stderr;
    assert!(!told.contains("canary"), "{told}");
    for part in ["x-amz-security-token:(key)", "look at the keys in"] {
        assert!(told.contains(part), "no `{part}`: {told}");
    }
}

#[test]
fn an_exception_after_text_is_told_and_the_text_is_kept() {
    let events = "contentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"text\":\"A pea\"}}\n\
                  modelStreamErrorException {\"message\":\"it broke\"}\n";
    let llm = FakeLlm::start(vec![stream(events)]);
    let place = with_keys(place(&llm, ""));
    let ran = place.run(&["ask", "chat.md"]);
    failed(&ran);
    assert!(ran.stderr.contains("it broke"), "{}", ran.stderr);
    let chat = place.read("chat.md");
    assert!(
        chat.contains("A pea") && chat.contains("stop=error"),
        "{chat}"
    );
}

#[test]
fn a_damaged_frame_is_an_error() {
    let mut body = frames_of(EVENTS);
    let place_of_text = body.windows(5).position(|five| five == b"pear.").unwrap();
    body[place_of_text] = b'b';
    let play = Play::body(200, "application/vnd.amazon.eventstream", body);
    let llm = FakeLlm::start(vec![play]);
    let place = with_keys(place(&llm, ""));
    let ran = place.run(&["ask", "chat.md"]);
    failed(&ran);
    assert!(
        ran.stderr.contains("the stream cannot be read"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_request_is_shown_without_a_signature() {
    let llm = FakeLlm::start(vec![]);
    let place = with_keys(place(&llm, ""));
    let ran = place.run(&["ask", "--show-request", "chat.md"]);
    assert!(
        ran.stderr
            .contains("authorization: (signed with the keys in `AWS_ACCESS_KEY_ID`"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert_eq!(llm.requests().len(), 0);
}
