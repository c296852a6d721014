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

#[test]
fn a_password_in_a_url_is_not_shown() {
    let llm = FakeLlm::start(vec![Play::error(401, "invalid_api_key", "no")]);
    let place = Place::new();
    let url = llm.url.replace("http://", "http://me:canary@");
    place.config(&format!(
        "[endpoints.work]\nbackend = \"openai\"\nurl = \"{url}\"\nmodel = \"m\"\n"
    ));
    for arguments in [
        vec!["-v", "-v", "ask", "-e", "work", "hi"],
        vec!["ask", "-e", "work", "hi", "--show-request"],
        vec!["endpoints", "list"],
        vec!["endpoints", "show", "work"],
    ] {
        let ran = place.run(&arguments);
        assert!(!format!("{ran:?}").contains("canary"), "{ran:?}");
        let told = ran.stdout + &ran.stderr;
        assert!(told.contains(&llm.url), "{arguments:?}: {told}");
    }
    assert_eq!(llm.requests().len(), 1);
}

#[test]
fn a_command_that_gives_no_key_is_named_with_what_to_do() {
    let place = Place::new();
    place.config(
        "[endpoints.work]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nkey = \"cmd:exit 4\"\n",
    );
    let ran = place.run(&["ask", "-e", "work", "hi"]);
    let config = place.top.path().join("home/.config/scoutai/config.toml");
    assert_eq!(
        (ran.exit, ran.stderr),
        (
            Some(1),
            format!(
                "error: the key from the command `exit 4` of `{}` cannot be had: it ended with \
                 exit code 4\n  hint: run `exit 4` in a shell: it has to print the key and end \
                 with 0\n",
                config.display()
            )
        )
    );
}
