//! The command line as types.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::world::clock::seconds;
use crate::world::config::is_above_nothing;

/// Runs chat files: a chat file is the program and its own record.
#[derive(Debug, Parser)]
#[command(
    name = "scoutai",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Say nothing on stderr but errors
    #[arg(long, short = 'q', global = true, overrides_with = "quiet")]
    pub(crate) quiet: bool,

    /// Say more on stderr: what is used, what the model thinks, calls in full
    #[arg(long, short = 'v', global = true, overrides_with = "verbose")]
    pub(crate) verbose: bool,
}

/// A time in seconds.
fn time(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| seconds(*number).is_some())
        .ok_or_else(|| "a number of seconds above 0 is wanted".to_owned())
}

/// An amount in US dollars.
fn dollars(text: &str) -> Result<f64, String> {
    text.trim_start_matches('$')
        .parse()
        .ok()
        .filter(|amount| is_above_nothing(*amount))
        .ok_or_else(|| "a number of US dollars above 0 is wanted".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask a model: run a chat file and append what happens, or ask one question
    Ask(Box<AskArguments>),
    /// Print a chat in canonical form; runs nothing
    Print(PrintArguments),
    /// Report everything that is wrong or looks wrong in chat files; runs nothing
    Check(CheckArguments),
    /// Append text from stdin to a chat as one message, escaped: the safe way to paste
    Add(AddArguments),
    /// List the tools that a chat declares
    Tools(ToolsArguments),
    /// Call one tool of a chat, as the model would
    Call(CallArguments),
    /// List, show and test endpoints
    Endpoints(EndpointsArguments),
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[derive(Debug, Args)]
#[command(after_help = "\
The first word is a chat file when it ends in .md, .chat or .txt, holds a `/` and no blank, or is
the only word and names a file. Without a chat file the words are one question, and nothing is
saved. Text on stdin is the prompt; with a PROMPT it goes before it, or where a lone `...` stands
in it.

Exit codes: 0 answered, 1 failed, 2 command line, 3 the chat file is wrong, 4 refused (trust),
5 a limit, 6 the chat is in use, 7 the model refused or was filtered, 130 interrupted.")]
pub(crate) struct AskArguments {
    /// A chat file and the words of a prompt, or just a prompt
    #[arg(value_name = "CHAT | PROMPT")]
    pub(crate) words: Vec<String>,

    /// The chat file, outright; it is made if it is not there
    #[arg(long, short, value_name = "FILE")]
    pub(crate) chat: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) settings: SettingArguments,

    /// System text, added before the prompt
    #[arg(long, short, value_name = "TEXT", help_heading = "What goes in")]
    pub(crate) system: Option<String>,

    /// Add a file, or each file of a glob, before the prompt
    #[arg(
        long = "file",
        short,
        value_name = "FILE",
        num_args = 1,
        help_heading = "What goes in"
    )]
    pub(crate) files: Vec<String>,

    /// Add a picture, by path or URL
    #[arg(
        long = "image",
        value_name = "FILE",
        num_args = 1,
        help_heading = "What goes in"
    )]
    pub(crate) images: Vec<String>,

    /// Add a PDF, by path or URL
    #[arg(
        long = "pdf",
        value_name = "FILE",
        num_args = 1,
        help_heading = "What goes in"
    )]
    pub(crate) pdfs: Vec<String>,

    /// A text with `???` where the prompt goes; without one the prompt follows it
    #[arg(long, value_name = "FILE", help_heading = "What goes in")]
    pub(crate) template: Option<PathBuf>,

    /// Ask anew although the chat ends in an answer
    #[arg(long, help_heading = "How it runs")]
    pub(crate) again: bool,

    /// Wait for the whole answer instead of showing it as it comes
    #[arg(long, help_heading = "How it runs")]
    pub(crate) no_stream: bool,

    /// Write events as JSON lines on stdout instead of the answer
    #[arg(long, help_heading = "How it runs")]
    pub(crate) json: bool,

    /// Stop after N requests
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        allow_negative_numbers = true,
        help_heading = "How it runs"
    )]
    pub(crate) max_rounds: Option<u32>,

    /// Stop when the run has used N tokens
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        allow_negative_numbers = true,
        help_heading = "How it runs"
    )]
    pub(crate) max_run_tokens: Option<u64>,

    /// Stop when the run has cost DOLLARS
    #[arg(
        long,
        value_name = "DOLLARS",
        value_parser = dollars,
        allow_negative_numbers = true,
        help_heading = "How it runs"
    )]
    pub(crate) max_cost: Option<f64>,

    /// Stop after this many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = time,
        allow_negative_numbers = true,
        help_heading = "How it runs"
    )]
    pub(crate) timeout: Option<f64>,

    /// Print the compiled chat and stop; nothing is run, what would be is shown
    #[arg(long, help_heading = "How it runs", conflicts_with = "show_request")]
    pub(crate) dry_run: bool,

    /// Print the request that would be sent and stop
    #[arg(long, help_heading = "How it runs")]
    pub(crate) show_request: bool,

    /// Run calls again that an earlier run left open, whatever they do
    #[arg(long, help_heading = "How it runs")]
    pub(crate) retry_calls: bool,

    /// Run commands again whose output is pinned
    #[arg(long, help_heading = "How it runs")]
    pub(crate) refresh: bool,

    /// Take the replies from this chat file instead of a model
    #[arg(long, value_name = "CHAT", help_heading = "How it runs")]
    pub(crate) replay: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) trust: TrustArguments,
}

/// Flags that stand for settings of a chat.
#[derive(Debug, Args, Default)]
pub(crate) struct SettingArguments {
    /// The model
    #[arg(long, short, value_name = "MODEL", help_heading = "Settings")]
    pub(crate) model: Option<String>,

    /// The endpoint, by name
    #[arg(long, short, value_name = "NAME", help_heading = "Settings")]
    pub(crate) endpoint: Option<String>,

    /// The backend, by name
    #[arg(long, short, value_name = "NAME", help_heading = "Settings")]
    pub(crate) backend: Option<String>,

    /// An option of the request, such as temperature=0.2
    #[arg(
        long = "option",
        short,
        value_name = "KEY=VALUE",
        num_args = 1,
        help_heading = "Settings"
    )]
    pub(crate) options: Vec<String>,

    /// The form of the answer: json, text, a JSON schema or a file that holds one
    #[arg(long, value_name = "FORMAT", help_heading = "Settings")]
    pub(crate) format: Option<String>,

    /// Tools of an MCP server, written as after `mcp:`
    #[arg(long, value_name = "SERVER", num_args = 1, help_heading = "Settings")]
    pub(crate) mcp: Vec<String>,

    /// Tools of a workflow, written as after `tool:`
    #[arg(
        long = "tool",
        short,
        value_name = "TOOL",
        num_args = 1,
        help_heading = "Settings"
    )]
    pub(crate) tools: Vec<String>,

    /// Tools of a knowledge base, written as after `kb:`
    #[arg(long, value_name = "KB", num_args = 1, help_heading = "Settings")]
    pub(crate) kb: Vec<String>,

    /// The agent, by name
    #[arg(long, short, value_name = "NAME", help_heading = "Settings")]
    pub(crate) agent: Option<String>,
}

/// Flags about what a chat may do.
#[derive(Debug, Args, Default)]
pub(crate) struct TrustArguments {
    /// Trust files of others: what they start, connect to and read
    #[arg(long, help_heading = "Trust")]
    pub(crate) trust: bool,

    /// Refuse everything that starts a program
    #[arg(long, help_heading = "Trust")]
    pub(crate) no_exec: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PrintArguments {
    pub(crate) chat: PathBuf,

    /// Print what the model would get, as a chat; commands are not run
    #[arg(long)]
    pub(crate) compiled: bool,

    #[command(flatten)]
    pub(crate) trust: TrustArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Write the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    pub(crate) chat: PathBuf,

    /// Whose text it is
    #[arg(default_value = "user")]
    pub(crate) role: AddRole,
}

/// The roles whose text can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AddRole {
    System,
    Developer,
    User,
    Assistant,
    Skip,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    pub(crate) chat: PathBuf,

    /// Write the definitions as JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) trust: TrustArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    pub(crate) chat: PathBuf,

    /// The name of the tool
    pub(crate) tool: String,

    /// The arguments, a JSON object
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,

    #[command(flatten)]
    pub(crate) trust: TrustArguments,
}

#[derive(Debug, Args)]
pub(crate) struct EndpointsArguments {
    #[command(subcommand)]
    pub(crate) command: EndpointsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EndpointsCommand {
    /// List the endpoints that can be named, and where each stands
    List,
    /// Show what one endpoint comes to; keys are never shown
    Show { name: String },
    /// Try an endpoint: key, reachability, model, an answer, streaming, one round of a tool
    Test {
        /// The endpoint; the default one without a name
        name: Option<String>,

        /// The model to test with
        #[arg(long, short)]
        model: Option<String>,

        /// Write each step as a JSON object on a line
        #[arg(long)]
        json: bool,
    },
}
