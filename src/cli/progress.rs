//! What people see while a run runs: the answer on stdout, everything else on stderr.

use std::io::Stderr;
use std::io::Stdout;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::Stream;
use super::terminal::harmless;
use crate::backends::Usage;
use crate::chat::ToolCall;
use crate::run::{Event, Sink, Total};

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Talk {
    /// Only errors.
    Quiet,
    /// What happens.
    Normal,
    /// What happens, and with what.
    Verbose,
}

/// When the text of a reply goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Showing {
    /// As it comes.
    Live,
    /// When it is known to be the answer: a reply that also calls tools may say something before,
    /// and a program that reads stdout wants the answer alone.
    Answer,
}

/// The sink for people.
pub(crate) struct Progress {
    out: Stream<Stdout>,
    err: Stream<Stderr>,
    talk: Talk,
    showing: Showing,
    spinner: ProgressBar,
    /// What went to stdout of the reply that is coming in.
    shown: String,
    /// True when something came since the last text, which makes the next one a text of its own.
    apart: bool,
    /// What has come of the reply and was not shown yet.
    held: String,
    used: Used,
}

/// What the run has used so far.
#[derive(Debug, Default)]
struct Used {
    model: String,
    rounds: u32,
    elapsed: Duration,
    prompt: u64,
    completion: u64,
    /// What the run and the chat have cost, when anything was told.
    cost: Option<(Total, Total)>,
}

impl Progress {
    pub(crate) fn new(talk: Talk, showing: Showing) -> Progress {
        let err = Stream::stderr();
        let spinner = if err.is_terminal() && talk > Talk::Quiet {
            ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10))
        } else {
            ProgressBar::hidden()
        };
        let out = Stream::stdout();
        let showing = if out.is_terminal() {
            Showing::Live
        } else {
            showing
        };
        let (shown, held, used) = (String::new(), String::new(), Used::default());
        Progress {
            out,
            err,
            talk,
            showing,
            spinner,
            shown,
            apart: false,
            held,
            used,
        }
    }

    fn wait_for(&mut self, model: &str, round: u32) {
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        self.spinner.set_style(style);
        let model = harmless(model);
        self.spinner.set_message(if round > 1 {
            format!("{model}, round {round}")
        } else {
            model.into()
        });
        self.spinner.reset();
        self.spinner.enable_steady_tick(Duration::from_millis(120));
    }

    fn stop_waiting(&self) {
        self.spinner.disable_steady_tick();
        self.spinner.finish_and_clear();
    }

    /// Ends the line of a reply that was shown, so that what follows starts its own.
    fn end_text(&mut self) {
        if !self.shown.is_empty() && !self.shown.ends_with('\n') {
            self.out.own("\n");
        }
        self.shown.clear();
    }

    fn say(&mut self, line: &str) {
        if self.talk > Talk::Quiet {
            self.err.line(line);
        }
    }

    fn answer(&mut self, text: &str) {
        self.held.clear();
        // What was shown live is the beginning of the answer, or the answer itself.
        let ended = if let Some(rest) = rest_of(text, &self.shown) {
            self.out.text(rest);
            rest.ends_with('\n') || (rest.is_empty() && self.shown.ends_with('\n'))
        } else {
            self.end_text();
            self.out.text(text);
            text.ends_with('\n')
        };
        if !ended {
            self.out.own("\n");
        }
        self.shown.clear();
    }

    fn summary(&mut self) {
        if self.used.rounds == 0 {
            return;
        }
        let mut parts = vec![self.used.model.clone()];
        if self.used.rounds > 1 {
            parts.push(format!("{} rounds", self.used.rounds));
        }
        if self.used.prompt + self.used.completion > 0 {
            parts.push(format!(
                "{} + {} tokens",
                self.used.prompt, self.used.completion
            ));
        }
        if let Some((run, chat)) = self.used.cost {
            parts.extend(told_costs(run, chat));
        }
        parts.push(seconds(self.used.elapsed));
        let line = format!("[{}]", parts.join(", "));
        self.say(&line);
    }
}

impl Sink for Progress {
    fn tell(&mut self, event: Event) {
        match event {
            Event::Asking { model, round } => {
                self.apart = true;
                self.wait_for(&model, round);
                self.used.model = model;
            }
            Event::Text(text) => {
                if self.showing == Showing::Live {
                    self.stop_waiting();
                    if std::mem::take(&mut self.apart) && !self.shown.trim().is_empty() {
                        self.out.own("\n\n");
                        self.shown.push_str("\n\n");
                    }
                    self.out.text(&text);
                    self.shown.push_str(&text);
                } else {
                    self.held.push_str(&text);
                }
            }
            Event::Reasoning(text) => {
                self.apart = true;
                if self.talk == Talk::Verbose {
                    self.stop_waiting();
                    self.err.text(&text);
                }
            }
            Event::Retrying {
                reason,
                wait,
                attempt,
            } => {
                self.stop_waiting();
                self.end_text();
                self.say(&format!("{reason}; try {attempt} in {}", seconds(wait)));
            }
            Event::Calling { call } => {
                self.stop_waiting();
                self.held.clear();
                self.end_text();
                self.say(&format!("calling {}", told_call(&call, self.talk)));
            }
            Event::Returned {
                call,
                elapsed,
                bytes,
                error,
            } => {
                let failed = if error { ", an error" } else { "" };
                let name = &call.name.0;
                self.say(&format!(
                    "  {name}: {bytes} bytes in {}{failed}",
                    seconds(elapsed)
                ));
            }
            Event::Used {
                usage,
                cost,
                elapsed,
            } => {
                self.stop_waiting();
                let Usage {
                    prompt, completion, ..
                } = usage;
                self.used.cost = Some((cost.run, cost.chat));
                self.used.rounds += 1;
                self.used.elapsed += elapsed;
                self.used.prompt += prompt.unwrap_or(0);
                self.used.completion += completion.unwrap_or(0);
            }
            Event::Warned(warning) => {
                self.stop_waiting();
                self.say(&format!("warning: {warning}"));
            }
            Event::Noted(note) => {
                if self.talk == Talk::Verbose {
                    self.stop_waiting();
                    self.say(&note);
                }
            }
            Event::Answered { text } => {
                self.stop_waiting();
                self.answer(&text);
                self.summary();
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop_waiting();
        // A run that failed: what had come of the answer was paid for, and may stand nowhere else.
        if !self.held.is_empty() {
            let held = std::mem::take(&mut self.held);
            self.out.text(&held);
            self.shown = held;
        }
        self.end_text();
    }
}

/// Gives what of an answer was not shown yet, if what was shown is its beginning. White space counts
/// for nothing: an answer is recorded without that around its texts.
fn rest_of<'a>(answer: &'a str, shown: &str) -> Option<&'a str> {
    if let Some(rest) = answer.strip_prefix(shown) {
        return Some(rest);
    }
    let mut words = shown.split_whitespace();
    let rest = words.try_fold(answer, |rest, word| rest.trim_start().strip_prefix(word))?;
    Some(if rest.trim().is_empty() { "" } else { rest })
}

/// A call on one line: its name and its arguments, cut where nobody asked for more.
fn told_call(call: &ToolCall, talk: Talk) -> String {
    let most = match talk {
        Talk::Quiet | Talk::Normal => 100,
        Talk::Verbose => usize::MAX,
    };
    let arguments = serde_json::Value::Object(call.arguments.clone()).to_string();
    let mut short: String = arguments.chars().take(most).collect();
    if short.len() < arguments.len() {
        short.push_str("...");
    }
    format!("{} {short}", call.name.0)
}

/// What the run has cost, and the chat when it has cost more; nothing of what is not known.
fn told_costs(run: Total, chat: Total) -> Vec<String> {
    let mut told = vec![run.to_string()];
    if chat.known() > run.known() {
        told.push(format!("{chat} for the chat"));
    }
    told.retain(|part| !part.is_empty());
    told
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
