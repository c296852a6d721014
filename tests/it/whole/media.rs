//! Pictures and documents: those in `data:` URLs, and those that tools gave in an earlier run.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::Place;
use crate::fakellm::{FakeLlm, Play};

/// The first bytes of a picture, and their base64.
const PNG: (&[u8], &str) = (b"\x89PNG\r\n\x1a\n", "iVBORw0KGgo=");

fn call(id: &str, output: &str) -> String {
    format!(
        "function_call: {{\"name\":\"look\",\"arguments\":{{}},\"id\":\"{id}\"}}\n\
         function_call_output: {{\"name\":\"look\",\"content\":\"seen {id}\",\"id\":\"{id}\",\"media\":[\"{output}\"]}}\n"
    )
}

fn keep(place: &Place, name: &str, bytes: &[u8]) {
    let path = place.work().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A place whose user asks Gemini, which takes pictures in outputs.
fn place(llm: &FakeLlm) -> Place {
    let place = Place::new().variable("TEST_KEY", "canary");
    place.config(&format!(
        "[defaults]\nendpoint = \"fake\"\n[endpoints.fake]\nbackend = \"gemini\"\nurl = \"{}\"\n\
         model = \"gemini-3-pro\"\nkey = \"env:TEST_KEY\"\n",
        llm.url
    ));
    place
}

fn play(part: &Value) -> Play {
    Play::events(&[json!({"candidates": [{
        "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]})])
}

fn says(text: &str) -> Play {
    play(&json!({"text": text}))
}

fn contents(request: &Value) -> Vec<String> {
    let contents = request["contents"].as_array().unwrap();
    contents.iter().map(Value::to_string).collect()
}

#[test]
fn what_a_tool_showed_is_shown_again_in_the_next_run() {
    let llm = FakeLlm::start(vec![
        play(
            &json!({"functionCall": {"id": "c1", "name": "photo", "args": {}}, "thoughtSignature": "S"}),
        ),
        says("A dot."),
        says("Still a dot."),
        says("A dot by any name."),
    ]);
    let place = place(&llm);
    let chat = format!("{}user: q\n", Place::server());
    place.write("real/chat.md", &chat);
    symlink("real/chat.md", place.work().join("link.md")).unwrap();
    let first = place.run(&["ask", "link.md"]);
    assert_eq!(first.stdout, "A dot.\n", "{first:?}");
    let second = place.run(&["ask", "real/chat.md", "And now?"]);
    assert_eq!(second.stdout, "Still a dot.\n", "{second:?}");
    // The folder goes along when people rename a chat.
    let moved = |from: &str, to: &str| {
        fs::rename(place.work().join(from), place.work().join(to)).unwrap();
    };
    moved("real/chat.md", "other.md");
    moved("real/chat.md.files", "other.md.files");
    let third = place.run(&["ask", "other.md", "And here?"]);
    assert_eq!(third.stdout, "A dot by any name.\n", "{third:?}");
    assert!(!third.stderr.contains("warning"), "{third:?}");

    let requests: Vec<Vec<String>> = llm
        .requests()
        .iter()
        .map(|request| contents(&request.json()))
        .collect();
    let shown = &requests[1];
    assert!(shown.concat().contains(PNG.1), "{shown:?}");
    assert_eq!(requests[2][..shown.len()], shown[..]);
    assert_eq!(requests[3][..shown.len()], shown[..]);
}

#[test]
fn only_the_folder_of_the_chat_is_read_and_what_is_lost_is_told() {
    let llm = FakeLlm::start(vec![says("Fine.")]);
    let place = place(&llm);
    keep(&place, "secret.png", PNG.0);
    keep(&place, "chat.md.files/sound.wav", b"RIFF");
    fs::create_dir(place.work().join("chat.md.files/folder.pdf")).unwrap();
    symlink("../secret.png", place.work().join("chat.md.files/link.png")).unwrap();
    let names = [
        "chat.md.files/gone.png",
        "chat.md.files/link.png",
        "chat.md.files/folder.pdf",
        "chat.md.files/sound.wav",
        "chat.md.files/../secret.png",
        "secret.png",
    ];
    let calls: String = names
        .iter()
        .enumerate()
        .map(|(at, name)| call(&at.to_string(), name))
        .collect();
    place.write("chat.md", &format!("user: q\n{calls}user: So?\n"));

    let quiet = [
        place.run(&["print", "--compiled", "chat.md"]),
        place.run(&["check", "chat.md"]),
        place.run(&["ask", "chat.md", "--dry-run"]),
    ];
    for ran in quiet {
        assert!(
            ran.exit == Some(0) && !ran.stderr.contains("not shown"),
            "{ran:?}"
        );
    }

    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(ran.stdout, "Fine.\n", "{ran:?}");
    let body = llm.only_request().json();
    assert!(!body.to_string().contains(PNG.1), "{body}");
    let outputs: Vec<&str> = body["contents"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|content| content["parts"].as_array().unwrap())
        .filter_map(|part| part["functionResponse"]["response"]["output"].as_str())
        .collect();
    assert_eq!(
        outputs,
        [
            "seen 0\n\n(image chat.md.files/gone.png is no longer there)",
            "seen 1\n\n(image chat.md.files/link.png cannot be read)",
            "seen 2\n\n(PDF chat.md.files/folder.pdf cannot be read)",
            "seen 3",
            "seen 4\n\n(image chat.md.files/../secret.png cannot be read)",
            "seen 5\n\n(image secret.png cannot be read)",
        ]
    );
    assert_eq!(ran.stderr.matches("is not shown to the model").count(), 5);
    assert!(
        ran.stderr
            .contains("`chat.md.files/gone.png` is not shown to the model: it is no longer there"),
        "{ran:?}"
    );
}

#[test]
fn a_file_that_is_not_trusted_shows_only_what_lies_beside_it() {
    for (link, shown) in [(false, true), (true, false)] {
        let llm = FakeLlm::start(vec![says("Fine.")]);
        let place = place(&llm);
        keep(&place, "../private/a.png", PNG.0);
        let theirs = place.work().join("../theirs");
        fs::create_dir(&theirs).unwrap();
        if link {
            symlink("../private", theirs.join("x.md.files")).unwrap();
        } else {
            keep(&place, "../theirs/x.md.files/a.png", PNG.0);
        }
        place.write(
            "../theirs/x.md",
            &format!("user: q\n{}", call("1", "x.md.files/a.png")),
        );
        place.write("chat.md", "import: ../theirs/x.md\nuser: So?\n");
        let ran = place.run(&["ask", "chat.md"]);
        assert_eq!(ran.stdout, "Fine.\n", "{ran:?}");
        let body = llm.only_request().json().to_string();
        assert_eq!(body.contains(PNG.1), shown, "{body}\n{ran:?}");
    }
}

#[test]
fn a_picture_in_the_chat_itself_is_sent_by_what_it_is() {
    let llm = FakeLlm::start(vec![says("Fine.")]);
    let place = place(&llm);
    place.write(
        "chat.md",
        &format!("user: q\nimage: data:image/jpeg;base64,{}\n", PNG.1),
    );
    let ran = place.run(&["ask", "chat.md"]);
    assert_eq!(ran.stdout, "Fine.\n", "{ran:?}");
    let body = llm.only_request().json().to_string();
    let part = json!({"inlineData": {"mimeType": "image/png", "data": PNG.1}});
    assert!(body.contains(&part.to_string()), "{body}");
}
