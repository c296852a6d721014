//! Replies of real servers and of mocks, as they came over the wire.

use serde_json::Value;

use super::{drawn, streamed, wire};
use crate::backends::{ErrorKind, Wire};

macro_rules! recorded {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!(
                "../../../../fixtures/wire/openai_chat/",
                $name,
                ".body"
            ))
            .as_slice(),
        )
    };
}

type Recorded = (&'static str, &'static [u8]);

/// Streams, each with what it amounts to.
const STREAMS: [(Recorded, &str); 23] = [
    (
        recorded!("aimock/tool_s"),
        "get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#call_oslo1 calls 20/11/31/-/-/-",
    ),
    (
        recorded!("aimock/par_s"),
        "\"Looking up both.\" get_weather({\"city\":\"Oslo\"})#call_a get_weather({\"city\":\"Lima\"})#call_b calls 20/17/37/-/-/-",
    ),
    (
        recorded!("aimock/first_s"),
        "get_weather({\"city\":\"Oslo\"})#call_ioAKFuesYVNhPPTT \"Checking the weather for you.\" calls 16/14/30/-/-/-",
    ),
    (
        recorded!("aimock/think_s"),
        "~\"First I multiply six by seven. Then I check it.\" \"The answer is 42.\" end 31/22/53/-/-/-",
    ),
    (
        recorded!("aimock/uni_s"),
        "\"Grüße, 世界 👩\\u{200d}💻 — \\\"quoted\\\" \\\\ back\\nnew line\" end 17/11/28/-/-/-",
    ),
    (
        recorded!("aimock/len_s"),
        "\"This answer stops because of the limit\" length 16/10/26/-/-/-",
    ),
    (
        recorded!("aimock/drop_s"),
        "Cut After(0ns): the reply broke off before its end / \"This str\" error -/-/-/-/-/-",
    ),
    (
        recorded!("aimock/json_s"),
        "\"{\\\"name\\\":\\\"Ada\\\",\\\"age\\\":36}\" end 19/6/25/-/-/-",
    ),
    (
        recorded!("llama-cpp-python/plain_s"),
        "\"I'm here to help with whatever you need. What's on your mind?\" end -/-/-/-/-/-",
    ),
    (
        recorded!("llama-cpp-python/bforced_s"),
        "get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#call__0_get_weather_cmpl-954b72ed-799a-4f05-bad4-eeb6e74f1f87 calls -/-/-/-/-/-",
    ),
    (
        recorded!("llamaserver-gemma270m-strict/tool_required_s"),
        "~\"I should use a tool.\" get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#0 get_weather({\"city\":\"Oslo\",\"unit\":\"fahrenheit\"})#1 get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#2 get_weather(\"{\")#3 Cut length 214/120/334/209/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/plain_s"),
        "\"\\n\\nI'm a bot designed to help with your favorite tasks. What can I help you with today?\" end 56/23/79/55/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/result_s"),
        "\"\\n\\nWhat is the weather in Oslo?\" end 226/10/236/225/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/tool_required_s"),
        "~\"I should use a tool.\" get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#0 calls 199/33/232/198/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/tool_auto_parse_error_s"),
        "Server After(0ns): the server tells an error inside its reply: The model produced output that does not match the expected peg-native format / nothing",
    ),
    (
        recorded!("llamaserver-smollm2-think/think_s"),
        "Empty Never: the model gave an empty answer / ~\"\\n\\nI'm a terse assistant. I can help with whatever you need\" end 34/19/53/33/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-think/maxtok_s"),
        "~\"\\n\\nOnce upon a time, in a land far away, there was a\" \"\\n\\nfox.\\n\\nThe fox was a cunning and cunning one. He had a big, black fox\" length 39/40/79/21/-/-",
    ),
    (
        recorded!("llmock/tool2_s"),
        "get_weather({\"city\":\"Oslo\"})#call_2ddd24c5177840c289c44114 get_weather({\"city\":\"Lima\"})#call_d262ce295dfd48979c3dcc26 calls 20/8/28/-/-/-",
    ),
    (
        recorded!("llmock/badtool_s"),
        "get_weather(\"{\\\"city\\\": \\\"mock-city\\\"\")#call_7b8f059a8db246909057ee4f NotJson(\"EOF while parsing an object at line 1 column 20\") calls 20/5/25/-/-/-",
    ),
    (
        recorded!("llmock/truncate_s"),
        "Cut After(0ns): the reply broke off before its end / \"Simulated answer \" error -/-/-/-/-/-",
    ),
    (
        recorded!("llmock/malformed_s"),
        "Protocol Never: the stream holds an event that is not JSON: EOF while parsing a string at line 1 column 123 / nothing",
    ),
    (
        recorded!("llmock/plain_s"),
        "\"Simulated answer from gpt-5.6-mini for 'You are a terse assistant. Use tools when they help. Say hello.'.\" end 15/26/41/-/-/-",
    ),
    (
        recorded!("llmock/disconnect_s"),
        "Cut After(0ns): the reply broke off before its end / \"Simulated answer \" error -/-/-/-/-/-",
    ),
];

/// Replies in one piece.
const WHOLE: [(Recorded, &str); 16] = [
    (
        recorded!("aimock/over"),
        "Server After(0ns): the server tells an error inside its reply: Overloaded / nothing",
    ),
    (
        recorded!("aimock/rate"),
        "RateLimit After(0ns): the server tells an error inside its reply: Rate limit reached for requests / nothing",
    ),
    (
        recorded!("aimock/think"),
        "~\"First I multiply six by seven. Then I check it.\" \"The answer is 42.\" end 31/22/53/-/-/-",
    ),
    (
        recorded!("aimock/tool"),
        "get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#call_oslo1 calls 20/11/31/-/-/-",
    ),
    (
        recorded!("llama-cpp-python/bforced"),
        "get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#call__0_get_weather_cmpl-db5c9105-6085-453b-948a-d8a953c1c3fc calls 256/16/272/-/-/-",
    ),
    (
        recorded!("llamaserver-gemma270m-strict/tool_required"),
        "~\"I should use a tool.\" get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#0 get_weather({\"city\":\"Oslo\",\"unit\":\"fahrenheit\"})#1 get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#2 get_weather(\"{\")#3 Cut length 214/120/334/0/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/plain"),
        "\"\\n\\nI'm a bot designed to help with your favorite tasks. What can I help you with today?\" end 56/23/79/16/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/schema"),
        "\"{\\n  \\\"name\\\": \\\"Mike\\\",\\n  \\\"age\\\": 25\\n}\" end 59/19/78/21/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/tool_required"),
        "~\"I should use a tool.\" get_weather({\"city\":\"Oslo\",\"unit\":\"celsius\"})#0 calls 199/33/232/198/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-strict/tool_auto_parse_error"),
        "Server After(0ns): the server tells an error inside its reply: The model produced output that does not match the expected peg-native format / nothing",
    ),
    (
        recorded!("llamaserver-smollm2-think/think"),
        "Empty Never: the model gave an empty answer / ~\"\\n\\nI'm a terse assistant. I can help with whatever you need\" end 34/19/53/0/-/-",
    ),
    (
        recorded!("llamaserver-smollm2-think/toolong"),
        "TooLong Never: the chat is too long for the model by 1936 tokens (6032, and 4096 are the most): request (6032 tokens) exceeds the available context size (4096 tokens), try increasing it / nothing",
    ),
    (
        recorded!("llamaserver-smollm2-think/badkey"),
        "Authentication Never: the server tells an error inside its reply: Invalid API Key / nothing",
    ),
    (
        recorded!("llmock/badtool"),
        "get_weather(\"{\\\"city\\\": \\\"mock-city\\\"\")#call_7f6082219f2b4dba938abe70 NotJson(\"EOF while parsing an object at line 1 column 20\") calls 20/5/25/-/-/-",
    ),
    (
        recorded!("llmock/e429"),
        "RateLimit After(0ns): the server tells an error inside its reply: Rate limit exceeded. / nothing",
    ),
    (
        recorded!("llmock/e529"),
        "Server After(0ns): the server tells an error inside its reply: Service overloaded. / nothing",
    ),
];

#[test]
fn recorded_streams_are_read() {
    for ((name, bytes), expected) in STREAMS {
        assert_eq!(drawn(&streamed(&[bytes])), expected, "{name}");
    }
}

#[test]
fn recorded_replies_in_one_piece_are_read() {
    for ((name, bytes), expected) in WHOLE {
        let body: Value = serde_json::from_slice(bytes).unwrap();
        assert_eq!(drawn(&wire().decode(&body)), expected, "{name}");
    }
}

#[test]
fn the_cuts_of_the_network_change_nothing() {
    for ((name, bytes), expected) in STREAMS {
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(drawn(&streamed(&single)), expected, "{name} byte by byte");
        for cut in cuts(bytes) {
            let halves = [&bytes[..cut], &bytes[cut..]];
            assert_eq!(drawn(&streamed(&halves)), expected, "{name} cut at {cut}");
        }
        for seed in 1..8 {
            let pieces = odd_pieces(bytes, seed);
            assert_eq!(drawn(&streamed(&pieces)), expected, "{name} seed {seed}");
        }
    }
}

/// Every place to cut a short stream, and a spread of places in a long one.
fn cuts(bytes: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let step = if bytes.len() < 1400 {
        1
    } else {
        bytes.len() / 90
    };
    (0..bytes.len()).step_by(step)
}

/// Cuts bytes into pieces whose lengths look random, the same ones each time.
fn odd_pieces(bytes: &[u8], seed: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    let mut state = seed;
    while !rest.is_empty() {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        let (piece, more) = rest.split_at((state / 65_536 % 97 + 1).min(rest.len()));
        pieces.push(piece);
        rest = more;
    }
    pieces
}

#[test]
fn a_stream_cut_before_its_proof_is_never_whole() {
    for ((name, bytes), expected) in STREAMS {
        let text = String::from_utf8_lossy(bytes);
        let proof = [
            "\"stop\"",
            "\"length\"",
            "\"tool_calls\"}",
            "\"finish_reason\": \"tool_calls\"",
            "\"finish_reason\":\"tool_calls\"",
        ]
        .iter()
        .filter_map(|sign| text.find(sign))
        .min()
        .unwrap_or(bytes.len());
        for cut in cuts(bytes) {
            let outcome = streamed(&[&bytes[..cut]]);
            if cut <= proof {
                let kind = outcome.map_err(|failure| failure.error.kind);
                assert!(
                    matches!(
                        kind,
                        Err(ErrorKind::Cut | ErrorKind::Server | ErrorKind::Protocol)
                    ),
                    "{name} cut at {cut}: {kind:?}"
                );
            } else if let Ok(reply) = outcome {
                let told = crate::backends::trial::draw(&reply);
                let without_counts = told.rsplit_once(' ').map(|(told, _)| told);
                let whole = expected.rsplit_once(' ').map(|(told, _)| told);
                assert_eq!(without_counts, whole, "{name} cut at {cut}");
            }
        }
    }
}
