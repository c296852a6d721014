//! The command line: the only room that prints. Uses every room.
//!
//! Always true here: stdout carries what was asked for and nothing else; text of others does
//! nothing to a terminal; every way out has its exit code.

mod args;
mod exit;

mod ask;

mod add;
mod check;
mod described;
mod endpoints;
mod print;
mod tools;

mod session;

mod events;
mod failure;
mod output;
mod progress;
mod report;
mod stdin;
mod terminal;

use std::process::ExitCode;

use clap::Parser;
use tokio_util::sync::CancellationToken;

use args::{Arguments, Command};
use exit::Exit;
use failure::Failure;
use session::Session;

/// Runs the command line and gives its exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            let failure = Failure::new(Exit::Failed, format!("cannot start: {error}"));
            return ExitCode::from(failure.tell().code());
        }
    };
    let cancel = CancellationToken::new();
    let at_once = CancellationToken::new();
    let exit = runtime.block_on(async {
        // A task of its own, since a command may be at work on this one.
        let signals = tokio::spawn(signals(cancel.clone(), at_once.clone()));
        let exit = tokio::select! {
            ended = dispatch(arguments, &cancel) => ended.unwrap_or_else(|failure| {
                failure.after(&cancel).tell()
            }),
            // The command is dropped as it stands, and every program that it started with it.
            () = at_once.cancelled() => Exit::Interrupted,
        };
        signals.abort();
        exit
    });
    // A read of stdin that nobody ends must not hold the program up.
    runtime.shutdown_background();
    ExitCode::from(exit.code())
}

async fn dispatch(arguments: Arguments, cancel: &CancellationToken) -> Result<Exit, Failure> {
    let session = Session::open(&arguments, cancel)?;
    match arguments.command {
        Command::Ask(ask) => ask::ask(*ask, &session).await,
        Command::Print(print) => print::print(&print, &session).await,
        Command::Check(check) => check::check(&check, &session).await,
        Command::Add(add) => add::add(&add, &session).await,
        Command::Tools(tools) => tools::list(&tools, &session).await,
        Command::Call(call) => tools::call(&call, &session).await,
        Command::Endpoints(endpoints) => endpoints::endpoints(endpoints.command, &session).await,
    }
}

/// Tells what is wrong with the command line, or the help that was asked for.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        output::Stream::stderr().own(&text);
        ExitCode::from(Exit::Usage.code())
    } else {
        output::Stream::stdout().own(&text);
        ExitCode::SUCCESS
    }
}

/// Turns signals into an orderly end. A second Ctrl-C drops what is at work, with the programs that
/// it started, and a third ends a program that does not even get there.
async fn signals(cancel: CancellationToken, at_once: CancellationToken) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (
        signal(SignalKind::interrupt()),
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        return;
    };
    loop {
        tokio::select! {
            _ = interrupt.recv() => {
                if at_once.is_cancelled() {
                    leave_at_once();
                }
                if cancel.is_cancelled() {
                    at_once.cancel();
                }
            }
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        cancel.cancel();
    }
}

#[expect(
    clippy::exit,
    reason = "the user asked three times, and what was whole is recorded"
)]
fn leave_at_once() {
    std::process::exit(i32::from(Exit::Interrupted.code()));
}
