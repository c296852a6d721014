//! A chat that is begun with one provider and goes on with another.

use super::protocols::{TOOLS, endpoints};
use super::*;

#[test]
#[ignore = "needs the peers: ./.ci/run starts them"]
fn a_chat_goes_on_with_every_other_provider() {
    let sandbox = Sandbox::new();
    let mocks: Vec<&str> = endpoints()
        .filter(|name| name.starts_with("mock-"))
        .collect();
    // The model that is made to call tools can do nothing else, and one key is wrong.
    let deaf = ["small-tools", "aws-tools", "aws-wrong"];
    let others = endpoints().filter(|name| !deaf.iter().any(|one| name.starts_with(one)));
    let all: Vec<&str> = others.chain(["small"]).collect();
    for first in &mocks {
        let begun = begun(&sandbox, first);
        for second in &all {
            let chat = sandbox.write(
                "chat.md",
                &begun.replacen(
                    &format!("endpoint: {first}\n"),
                    &format!("endpoint: {second}\n"),
                    1,
                ),
            );
            let asked = sandbox.ask(&chat, &["And what came before?"]);
            assert_eq!(asked.exit, 0, "{first} to {second}: {}", asked.stderr);
            let texts = asked.text(Role::Assistant);
            assert_eq!(texts.len(), 1, "{first} to {second}: {}", asked.added);
            if mocks.contains(second) {
                assert_eq!(texts, ["All that was said is known."]);
            }
        }
    }
}

/// Gives a chat with a thought and two calls by one provider. It names its tools no longer: a
/// provider has to take calls of tools that it is not offered.
fn begun(sandbox: &Sandbox, endpoint: &str) -> String {
    let chat = sandbox.chat(endpoint, TOOLS, "Please think of a number.");
    for prompt in [None, Some("Now both at once.")] {
        let asked = sandbox.ask(&chat, prompt.as_slice());
        assert_eq!(asked.exit, 0, "{endpoint}: {}", asked.stderr);
    }
    std::fs::read_to_string(&chat)
        .unwrap()
        .replacen(TOOLS, "", 1)
}
