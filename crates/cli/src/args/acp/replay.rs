//! The options of `tenon acp replay`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::{EnvironmentArgs, Limit, LimitArgs, PermissionArgs, duration};

const EXAMPLES: &str = "\
Examples:
  Play the recorded agent for an editor, without a model and without cost:
    tenon acp replay session.jsonl

  Replay the editor's messages to an agent, and report what the agent does differently:
    tenon acp replay session.jsonl --as client -- opencode acp

  Test a client in CI:
    my-client -- tenon acp replay --json session.jsonl

Calls are matched by method, session and order, not by time or id. Ids are new, and the names and
folders of sessions are translated. As the agent, stdin and stdout are the connection and the report
goes to stderr.

A record holds one conversation for each guard that has written to it; --part chooses one.

Exit codes: 0 nothing was different, 1 something was, 2 the record is broken, 3 the agent could not
be started or ended early, 5 the other side did not answer in time.";

#[derive(Debug, clap::Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "tenon acp replay [OPTIONS] FILE\n       tenon acp replay [OPTIONS] FILE --as client -- AGENT...",
)]
pub(crate) struct ReplayArgs {
    /// The record
    #[arg(value_name = "FILE")]
    pub(crate) record: PathBuf,

    /// The side to replay
    #[arg(long = "as", value_enum, value_name = "SIDE", default_value_t = SideChoice::Agent)]
    pub(crate) side: SideChoice,

    /// The conversation to replay, from 1 [default: the last]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) part: Option<u32>,

    /// Replay a record that was changed or cut off
    #[arg(long)]
    pub(crate) force: bool,

    /// Time limit for an answer, and for the client's next message: 30s, 5m, or none
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) timeout: Limit,

    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The agent to start, with --as client
    #[arg(last = true, value_name = "AGENT")]
    pub(crate) agent: Vec<OsString>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    #[command(flatten)]
    pub(crate) resources: LimitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideChoice {
    /// Answer an editor the way the recorded agent did
    Agent,
    /// Send the recorded editor's messages to an agent
    Client,
}
