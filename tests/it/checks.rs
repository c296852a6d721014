//! The laws of the format as checks of one case each, and cases made of bytes. Both the property
//! tests and the fuzz targets use them, so this file stands on the public face of `scoutai` alone.

use std::path::Path;
use std::sync::Arc;

use scoutai::chat::{
    AppendRefused, Chat, LineEnd, Message, Origin, Role, Severity, appendix, last_segment, lint,
    normal, parse, position, print,
};

/// What chats are made of: each special piece, and what almost is one.
const PIECES: [&str; 128] = [
    "\n",
    "\n",
    "\n",
    "\n",
    "\n",
    "\n",
    "\n",
    "\n\n",
    "\n\n",
    "\r\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "  ",
    "\\",
    "\\\\",
    "a",
    "b c",
    "é",
    "👩‍🚀",
    "\u{feff}",
    "\u{a0}",
    "\u{2028}",
    "\u{b}",
    "x: 1",
    "user:",
    "user: ",
    "user: a",
    "\nuser:\n",
    "\nuser:\n\n",
    "system:\n",
    "system: s",
    "assistant:\n",
    "\nassistant:\n\n",
    "developer: d",
    "\nsystem:\n\n",
    "User:",
    "user:x",
    " user: a",
    "note: x",
    "file:",
    "file: a.txt",
    "\nfile:\n",
    "file:\n\na\nb\n\n",
    "skip:",
    "skip: s",
    "\nskip:\n\n",
    "clear:",
    "clear: true",
    "option: a 1",
    "option:\n",
    "model: m",
    "import: i",
    "cmd: ls",
    "\ncmd:\n",
    "tool: T",
    "meta: pt=1",
    "meta: inference_id=1",
    "\nmeta: inference_id=2 pt=3\n",
    "meta: inference_id=\n",
    "meta: r=\"a inference_id=1\"\n",
    "meta: r=\"a\n",
    "inference_id=",
    "meta:\n",
    "meta:\n\ninference_id=1\n",
    "function_call: {}",
    "function_call_output: {\"a\":\"</p>\"}",
    "reasoning: {}",
    "\n```\n",
    "```",
    "```\n",
    "````",
    "````\n",
    "`",
    "``",
    "`````",
    "\n```ruby\n",
    "``` x`y\n",
    "  ```\n",
    "```  \n",
    "~~~",
    "~~~\n",
    "\n~~~\n",
    "~~~~\n",
    "~~~ `a`\n",
    "\t~~~",
    "\n[[\n",
    "\n]]\n",
    "[[",
    "]]",
    "[[ ",
    "[[x]]",
    " ]]",
    "\nsh:-- ls {{{\n",
    "\nsh:-- ls }}}\n",
    "sh:-- }}}\n",
    ":-- a \"<>&\" {{{\n",
    ":-- a }}}\n",
    "x:-- ",
    "{{{",
    "}}}",
    " {{{ {{{\n",
    "sh:-- </p> {{{\n",
    "<p>",
    "</p>",
    "\n<p>\n",
    "\n</p>\n",
    "<p a=\"1\">",
    "<p a='>'>\n",
    "<p/>",
    "<p />",
    "<br>\n",
    "<p",
    ">",
    "/>",
    "<a.b:c-d>\n",
    "</a.b:c-d>\n",
    "<p><p>\n",
    "</p></p>\n",
    "<cmd_output cmd=\"ls\">\n",
    "</cmd_output>\n",
    "---",
    "---\n",
    "#!/bin/x\n",
    "# h\n",
    "\\user: a\n",
    "\\```\n",
];

/// Makes a text of bytes: a piece for each.
pub(crate) fn text(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| PIECES[usize::from(*byte) % PIECES.len()])
        .collect()
}

/// Makes a file of bytes: any text, or (by the first byte) a chat as it is written with some pieces
/// behind it, since most texts of many pieces are unclear somewhere.
pub(crate) fn file(bytes: &[u8]) -> String {
    match bytes {
        [choice, rest @ ..] if choice % 4 > 0 => {
            let (chat, tail) = rest.split_at(rest.len() - rest.len().min(usize::from(choice % 8)));
            print(&messages(chat)) + &text(tail)
        }
        [_, rest @ ..] => text(rest),
        [] => String::new(),
    }
}

/// Makes messages in normal form of bytes: a role, a length, and that many pieces, again and
/// again.
pub(crate) fn messages(bytes: &[u8]) -> Vec<Message> {
    let roles: Vec<Role> = Role::all().collect();
    let mut messages = Vec::new();
    let mut rest = bytes;
    while let [role, length, after @ ..] = rest {
        let (piece, after) = after.split_at(usize::from(length % 24).min(after.len()));
        rest = after;
        // The four roles of the conversation are half of all.
        let role = if *role < 128 {
            roles[usize::from(role % 4)]
        } else {
            roles[usize::from(*role) % roles.len()]
        };
        let content = normal(&text(piece));
        let value = |line: &str| {
            line.trim_start_matches([' ', '\t'])
                .trim_end_matches([' ', '\t', '\r'])
                .to_owned()
        };
        let message = [
            content.clone(),
            content.lines().next().map(value).unwrap_or_default(),
        ]
        .into_iter()
        .map(|content| Message::new(role, content))
        .find(Message::is_normal);
        messages.extend(message);
    }
    messages
}

/// P1: what was written is read again, exactly, and written the same way again.
pub(crate) fn exact(messages: &[Message]) {
    let text = print(messages);
    let chat = read(&text);
    assert_eq!(chat.diagnostics, [], "{text:?}");
    assert_eq!(chat.messages, messages, "{text:?}");
    assert_eq!(print(&chat.messages), text);
    assert_eq!(appendix("", messages, LineEnd::Lf), Ok(text));
}

/// P2: what is appended changes nothing before it, and is read as it was meant.
pub(crate) fn append_only(old: &str, messages: &[Message], line_end: LineEnd) {
    let before = read(old);
    let failed = !before.diagnostics.is_empty();
    let from = last_segment(old);
    let new = match appendix(old, messages, line_end) {
        Ok(new) => new,
        Err(AppendRefused::Unclear { .. }) => {
            assert!(failed, "{old:?}");
            return;
        }
        Err(AppendRefused::WouldClose { opener }) => {
            assert!(old[opener.start..opener.end].starts_with('<'), "{old:?}");
            assert!(!starts_a_record(messages), "{old:?}");
            return;
        }
        Err(AppendRefused::ReadsDifferently) => {
            // Only a block between `---` can be completed by a text.
            assert!(
                old.contains("---") && !starts_a_record(messages),
                "{old:?} {messages:?}"
            );
            return;
        }
    };
    assert!(!failed, "{old:?}");
    assert_eq!(
        appendix(&old[from..], messages, line_end),
        Ok(new.clone()),
        "{old:?}"
    );
    let after = read(&(old.to_owned() + &new));
    let wanted: Vec<Message> = before.messages.iter().chain(messages).cloned().collect();
    assert_eq!(after.messages, wanted, "{old:?} + {new:?}");
    assert_eq!(after.diagnostics, [], "{old:?} + {new:?}");
    if line_end == LineEnd::CrLf {
        assert_eq!(new.matches('\n').count(), new.matches("\r\n").count());
    }
}

/// Appending one by one writes what appending all at once writes.
pub(crate) fn in_pieces(old: &str, messages: &[Message]) {
    let Ok(whole) = appendix(old, messages, LineEnd::Lf) else {
        return;
    };
    let mut grown = old.to_owned();
    for message in messages {
        match appendix(&grown, std::slice::from_ref(message), LineEnd::Lf) {
            Ok(new) => grown += &new,
            Err(refused) => panic!("{refused}: {grown:?} + {message:?}"),
        }
    }
    assert_eq!(grown, old.to_owned() + &whole);
    // A place to type is taken by the next question.
    let place = Message::new(Role::User, "");
    if let Ok(place) = appendix(&grown, &[place], LineEnd::Lf) {
        let question = Message::new(Role::User, "what?");
        let with_place = grown.clone() + &place;
        let inside = appendix(&with_place, std::slice::from_ref(&question), LineEnd::Lf);
        let direct = appendix(&grown, &[question], LineEnd::Lf);
        assert_eq!(
            inside.map(|inside| with_place.clone() + &inside),
            direct.map(|direct| grown.clone() + &direct)
        );
    }
}

/// P3: a text stays the text of its message, whatever it looks like and wherever it is written.
pub(crate) fn only_text(old: &str, role: Role, text: &str) {
    let message = Message::new(role, text);
    let lines = if role.is_conversation() {
        vec![Message::new(role, normal(text))]
    } else {
        read(&print(std::slice::from_ref(&message))).messages
    };
    let wanted: Vec<Message> = lines
        .into_iter()
        .filter(|message| !(role.is_conversation() && message.content.is_empty()))
        .collect();
    assert!(
        wanted.iter().all(|message| message.role == role),
        "{wanted:?}"
    );
    assert_eq!(
        read(&print(std::slice::from_ref(&message))).messages,
        wanted
    );
    let before = read(old);
    let Ok(new) = appendix(old, &[message], LineEnd::Lf) else {
        return;
    };
    let after = read(&(old.to_owned() + &new));
    let roles = |messages: &[Message]| messages.iter().map(|one| one.role).collect::<Vec<_>>();
    assert_eq!(
        roles(&after.messages),
        [roles(&before.messages), roles(&wanted)].concat(),
        "{old:?} + {new:?}"
    );
}

/// Any text can be read: what is found lies in it, is in normal form, and can be written.
pub(crate) fn sound(text: &str) {
    let chat = read(text);
    let path = path();
    let findings = chat
        .diagnostics
        .iter()
        .chain(&lint(text, &path))
        .cloned()
        .collect::<Vec<_>>();
    let places = findings
        .iter()
        .flat_map(|one| std::iter::once(&one.at).chain(one.also.iter().map(|(at, _)| at)))
        .chain(chat.messages.iter().map(|message| &message.origin));
    for place in places {
        let Origin::File { span, .. } = place else {
            panic!("a place without a file in {text:?}");
        };
        assert!(
            span.start <= span.end && span.end <= text.len(),
            "{span:?} {text:?}"
        );
        assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        assert!(position(text, span.start) <= position(text, span.end));
    }
    for message in &chat.messages {
        assert!(message.is_normal(), "{message:?} in {text:?}");
    }
    assert!(
        chat.diagnostics
            .iter()
            .all(|one| one.severity == Severity::Error)
    );
    exact(&chat.messages);
}

fn starts_a_record(messages: &[Message]) -> bool {
    messages.first().is_some_and(|first| {
        first.role == Role::Meta
            && !first.content.contains('\n')
            && scoutai::chat::Meta::read(&first.content).is_mark()
    })
}

fn read(text: &str) -> Chat {
    parse(text, &path())
}

fn path() -> Arc<Path> {
    Arc::from(Path::new("chat.md"))
}
