//! What `-v` tells: what is used, and who said so.

use super::Place;
use crate::fakellm::{FakeLlm, Play};

#[test]
fn what_is_used_is_told_and_no_key_is_shown() {
    let llm = FakeLlm::start(vec![Play::text("Hi!")]);
    let place = Place::asking(&llm).variable("WORK_KEY", "sk-canary-4711-do-not-leak");
    let config = format!(
        "[endpoints.work]\nbackend = \"openai\"\nurl = \"{}\"\nkey = \"env:WORK_KEY\"\noptions = {{ seed = 7 }}\n",
        llm.url
    );
    place.config(&config);
    place.write("chat.md", "endpoint: work\nmodel: tiny-7\nuser: hi\n");
    let ran = place.run(&["-v", "ask", "chat.md", "-o", "temperature=0.2"]);
    let config = place.top.path().join("home/.config/scoutai/config.toml");
    let config = config.display();
    let told: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(
        told[..told.len() - 1],
        [
            format!("settings: `{config}`"),
            format!("endpoint: work (`{config}`)"),
            format!("url: {} (`{config}`)", llm.url),
            "model: tiny-7 (the chat)".to_owned(),
            "key: set (from env WORK_KEY)".to_owned(),
            "option: seed 7".to_owned(),
            "option: temperature 0.2".to_owned(),
        ]
    );
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(0), "Hi!\n"));
}
