//! One run at a time has a chat, and a lock ends with its process.

use std::io::{BufRead, BufReader};
use std::sync::mpsc;
use std::time::Duration;

use super::child::{ANSWER, Tools};
use super::stage::{Ending, Stage};

/// Two runs that both had the chat would wait for ever.
const LONGEST: Duration = Duration::from_mins(1);

#[test]
fn of_eight_runs_exactly_one_has_the_chat() {
    let stage = Stage::new(Tools::Waiting);
    let (sender, receiver) = mpsc::channel();
    let mut inputs = Vec::new();
    for _ in 0..8 {
        let mut child = stage.start("none");
        inputs.push(child.stdin.take());
        let sender = sender.clone();
        std::thread::spawn(move || {
            let id = child.id();
            // Nobody else reads it, and a full pipe would hold the run up.
            let output = child.wait_with_output().unwrap();
            sender.send((id, output.status)).unwrap();
        });
    }
    let mut endings: Vec<Ending> = (0..7)
        .map(|_| {
            let (id, status) = receiver.recv_timeout(LONGEST).unwrap();
            stage.ending(id, status)
        })
        .collect();
    assert_eq!(endings, vec![Ending::InUse; 7]);
    drop(inputs);
    let (id, status) = receiver.recv_timeout(LONGEST).unwrap();
    endings.push(stage.ending(id, status));
    assert_eq!(endings[7], Ending::Answered(ANSWER.to_owned()));
    assert_eq!(stage.messages(), Stage::whole(Tools::Repeatable));
}

#[test]
fn the_lock_of_a_killed_run_is_gone() {
    let stage = Stage::new(Tools::Waiting);
    let mut holder = stage.start("none");
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("waiting")));
    assert_eq!(stage.run("none"), Ending::InUse);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert_eq!(stage.run("none"), Ending::Answered(ANSWER.to_owned()));
    assert_eq!(stage.messages(), Stage::whole(Tools::Repeatable));
}
