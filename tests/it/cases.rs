//! Runs of the real program, each a folder that anyone can read.
//!
//! `tests/cases/ask/NAME/` holds `chat.md` (and what it names), the replies in `script.md`, and
//! what must come out: `stdout`, `stderr`, `after.md` (the chat afterwards), `status` (0 when it is
//! not there). `args` holds the command line, `ask chat.md --replay script.md` when it is not
//! there; `stdin` what is piped in; `config.toml` are the user's settings; `outside/` is put beside the folder in which the program runs.
//! `UPDATE=1` writes what comes out; the diff is the review.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn asking() {
    check_all("ask");
}

#[test]
fn other_commands() {
    check_all("commands");
}

fn check_all(group: &str) {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases")
        .join(group);
    let mut folders: Vec<PathBuf> = fs::read_dir(&top)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert!(!folders.is_empty());
    let faults: Vec<String> = folders.iter().flat_map(|folder| check(folder)).collect();
    assert!(
        faults.is_empty(),
        "{}\n(`UPDATE=1` writes what came out)",
        faults.join("\n")
    );
}

/// Runs one case and tells what came out otherwise than it should.
fn check(case: &Path) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let work = place.path().join("work");
    copy(case, &work);
    if work.join("outside").is_dir() {
        fs::rename(work.join("outside"), place.path().join("outside")).unwrap();
    }
    let home = place.path().join("home");
    fs::create_dir(&home).unwrap();
    if work.join("config.toml").is_file() {
        let settings = home.join(".config/scoutai");
        fs::create_dir_all(&settings).unwrap();
        fs::rename(work.join("config.toml"), settings.join("config.toml")).unwrap();
    }
    let args = fs::read_to_string(case.join("args"))
        .unwrap_or_else(|_| "ask chat.md --replay script.md".to_owned());
    let mut child = Command::new(env!("CARGO_BIN_EXE_scoutai"))
        .args(shlex::split(args.trim()).unwrap())
        .current_dir(&work)
        .env_clear()
        .env("HOME", &home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    if let Ok(text) = fs::read(case.join("stdin")) {
        // A program that ends before it reads is judged by what it says.
        drop(stdin.write_all(&text));
    }
    drop(stdin);
    let out = child.wait_with_output().unwrap();
    let work_path = fs::canonicalize(&work).unwrap().display().to_string();
    let outside = fs::canonicalize(place.path())
        .unwrap()
        .join("outside")
        .display()
        .to_string();
    let home_path = home.display().to_string();
    let seen = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes)
            .replace(&work_path, "DIR")
            .replace(&outside, "OUTSIDE")
            .replace(&home_path, "HOME");
        steady(&text)
    };
    let status = out
        .status
        .code()
        .map_or_else(|| "killed".to_owned(), |code| code.to_string());
    let after = fs::read(work.join("chat.md")).unwrap_or_default();
    let before = fs::read(case.join("chat.md")).unwrap_or_default();
    let mut faults = Vec::new();
    if after.is_empty() && work.join("chat.md").exists() && !case.join("chat.md").exists() {
        faults.push(format!(
            "{}: an empty chat.md was left behind",
            case.display()
        ));
    }
    if !after.starts_with(&before) {
        faults.push(format!(
            "{}: the old bytes of chat.md are gone",
            case.display()
        ));
    }
    let unchanged = if after == before {
        String::new()
    } else {
        seen(&after)
    };
    for (name, came) in [
        (
            "status",
            if status == "0" {
                String::new()
            } else {
                status + "\n"
            },
        ),
        ("stdout", seen(&out.stdout)),
        ("stderr", seen(&out.stderr)),
        ("after.md", unchanged),
    ] {
        let file = case.join(name);
        let wanted = fs::read_to_string(&file).unwrap_or_default();
        if wanted == came {
            continue;
        }
        if std::env::var_os("UPDATE").is_some() {
            if came.is_empty() {
                fs::remove_file(&file).unwrap();
            } else {
                fs::write(&file, &came).unwrap();
            }
        } else {
            faults.push(format!(
                "{}:\n--- wanted\n{wanted}\n--- came\n{came}",
                file.display()
            ));
        }
    }
    faults
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Gives the text with what differs from run to run replaced: ids, times of day, durations.
pub(crate) fn steady(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = replace_value(line, "inference_id=", "ID");
        line = replace_value(&line, "timestamp=", "TIME");
        line = replace_json(&line, "\"start_timestamp\":\"");
        line = replace_json(&line, "\"timestamp\":\"");
        line = replace_number(&line, "\"seconds\":");
        out.push_str(&replace_seconds(&line));
    }
    out
}

/// Replaces the value of a `key=value` of a meta line.
fn replace_value(line: &str, key: &str, with: &str) -> String {
    let Some(at) = line.find(key).filter(|_| line.starts_with("meta: ")) else {
        return line.to_owned();
    };
    let start = at + key.len();
    let end = line[start..]
        .find([' ', '\n'])
        .map_or(line.len(), |end| start + end);
    format!("{}{with}{}", &line[..start], &line[end..])
}

fn replace_json(line: &str, key: &str) -> String {
    let Some(at) = line.find(key) else {
        return line.to_owned();
    };
    let start = at + key.len();
    let end = line[start..]
        .find('"')
        .map_or(line.len(), |end| start + end);
    format!("{}TIME{}", &line[..start], &line[end..])
}

/// Replaces a number of a JSON line.
fn replace_number(line: &str, key: &str) -> String {
    let Some(at) = line.find(key) else {
        return line.to_owned();
    };
    let start = at + key.len();
    let end = line[start..]
        .find([',', '}'])
        .map_or(line.len(), |end| start + end);
    format!("{}N{}", &line[..start], &line[end..])
}

/// Replaces durations such as `0.1 s`.
fn replace_seconds(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(" s") {
        let (before, after) = rest.split_at(at);
        let digits = before.len()
            - before
                .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
                .len();
        let ends = after[2..]
            .chars()
            .next()
            .is_none_or(|c| !c.is_alphanumeric());
        if digits > 0 && ends {
            out.push_str(&before[..before.len() - digits]);
            out.push_str("N s");
        } else {
            out.push_str(before);
            out.push_str(" s");
        }
        rest = &after[2..];
    }
    out + rest
}
