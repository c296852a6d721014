//! What programs are given and what is left of them.
#![expect(clippy::disallowed_methods, reason = "tests arrange the world by hand")]

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::*;

const LIMITS: ShellLimits = ShellLimits {
    timeout: Duration::from_mins(1),
    max_output: 1000,
};

async fn run(command: &str, limits: ShellLimits, cancel: &CancellationToken) -> ShellOutcome {
    let environment = [("PATH".to_owned(), "/usr/bin:/bin".to_owned())];
    run_shell(command, Path::new("/"), environment, limits, cancel)
        .await
        .unwrap()
}

async fn ran(command: &str) -> ShellOutcome {
    run(command, LIMITS, &CancellationToken::new()).await
}

fn text(text: &str) -> Captured {
    Captured {
        text: text.into(),
        ..Captured::default()
    }
}

#[tokio::test]
async fn both_outputs_and_the_exit_code_come_back() {
    let outcome = ran("pwd; echo bad >&2; cat; exit 3").await;
    let expected = ShellOutcome {
        stdout: text("/\n"),
        stderr: text("bad\n"),
        status: ShellStatus::Exited(3),
    };
    assert_eq!(outcome, expected);
    assert_eq!(ran("kill -9 $$").await.status, ShellStatus::Signalled(9));
}

#[tokio::test]
async fn a_child_sees_only_what_it_may() {
    let whole: Environment = [
        ("PATH", "/usr/bin:/bin"),
        ("LANG", "C"),
        ("OPENAI_API_KEY", "canary1"),
        ("AWS_SECRET_ACCESS_KEY", "canary2"),
        ("DECLARED", "yes"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into_iter()
    .collect();
    let seen = child_environment(&whole, &["DECLARED".into()]);
    let cancel = CancellationToken::new();
    let outcome = run_shell("/usr/bin/env", Path::new("/"), seen, LIMITS, &cancel)
        .await
        .unwrap();
    // The shell itself sets these.
    let own = ["PWD=", "OLDPWD=", "SHLVL=", "_="];
    let mut lines: Vec<_> = outcome.stdout.text.lines().collect();
    lines.retain(|line| !own.iter().any(|start| line.starts_with(start)));
    lines.sort_unstable();
    assert_eq!(lines, ["DECLARED=yes", "LANG=C", "PATH=/usr/bin:/bin"]);
}

#[tokio::test]
async fn output_is_cut_between_characters_and_the_cut_is_told() {
    for shift in 0..3 {
        let limits = ShellLimits {
            max_output: 100,
            ..LIMITS
        };
        let command = format!("printf '%{shift}s'; for i in $(seq 50000); do printf '─'; done");
        let outcome = run(&command, limits, &CancellationToken::new()).await;
        let kept = (100 - shift) / 3;
        let expected = Captured {
            text: " ".repeat(shift) + &"─".repeat(kept),
            left_out: (50000 - kept as u64) * 3,
            undecodable: 0,
        };
        assert_eq!(outcome.stdout, expected);
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_counted() {
    let outcome = ran(r"printf 'a\377b\303'").await;
    let expected = Captured {
        text: "a\u{FFFD}b\u{FFFD}".into(),
        left_out: 0,
        undecodable: 2,
    };
    assert_eq!(outcome.stdout, expected);
}

/// Waits until a process has ended: a signal is delivered when the system gets to it.
async fn ends(pid: &str) {
    let stat = format!("/proc/{}/stat", pid.trim());
    while std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_with_the_shell() {
    let outcome = ran("sleep 1000 & echo $!").await;
    assert_eq!(outcome.status, ShellStatus::Exited(0));
    ends(&outcome.stdout.text).await;
}

#[tokio::test]
async fn who_left_the_group_and_holds_the_output_is_not_waited_for() {
    let outcome = ran("setsid sleep 30 & echo $!").await;
    assert_eq!(outcome.status, ShellStatus::Exited(0));
    let pid = outcome.stdout.text.trim().parse().unwrap();
    signal_group(pid, GroupSignal::Kill);
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let limits = ShellLimits {
        timeout: Duration::from_millis(300),
        ..LIMITS
    };
    let command = "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000";
    let outcome = run(command, limits, &CancellationToken::new()).await;
    assert_eq!(outcome.status, ShellStatus::TimedOut(limits.timeout));
    ends(&outcome.stdout.text).await;
}

#[tokio::test]
async fn cancelling_ends_a_command() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = run("sleep 1000", LIMITS, &cancel).await;
    assert_eq!(outcome.status, ShellStatus::Cancelled);
}
