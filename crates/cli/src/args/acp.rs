//! The options of `tenon acp`.

mod guard;
mod policy;
mod replay;

use std::path::PathBuf;

use super::{ChatArgs, EnvironmentArgs};

pub(crate) use guard::GuardArgs;
pub(crate) use policy::{PolicyCheckArgs, PolicyCommand, PolicyExplainArgs};
pub(crate) use replay::{ReplayArgs, SideChoice};

#[derive(Debug, clap::Subcommand)]
#[command(defer = true)]
pub(crate) enum AcpCommand {
    /// An agent for editors that plans and runs scenarios and calls plugins
    Agent(AcpAgentArgs),
    /// Talk to an agent at a terminal, or ask it once from a script
    Chat(Box<ChatArgs>),
    /// Run an agent behind a proxy that restricts and records what it does
    Guard(Box<GuardArgs>),
    /// Check a policy, and explain its decisions
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Replay a record as the agent or as the client
    Replay(Box<ReplayArgs>),

    /// Check that nothing in a record was changed or cut off
    Verify(VerifyArgs),
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  tenon acp verify session.jsonl
  tenon acp verify --sha256 9f86d081... session.jsonl

This finds changes by someone who did not recompute the hashes of the record. Anyone who can write
the file can do that, and can remove whole sessions from its end: keep the hash that the guard
prints at the end of a session in another place, and give it with --sha256, which can be repeated.

A session without its end is not closed. What there is of it is complete; its guard was killed, as
some editors do with agents, or still runs, or its last lines were cut off.

Exit codes: 0 nothing was changed, and every session has its end; 1 otherwise.";

#[derive(Debug, clap::Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// The record
    #[arg(value_name = "FILE")]
    pub(crate) record: PathBuf,

    /// A hash that the guard has printed at the end of a session; one of the hashes given must be that of the last session
    #[arg(long, value_name = "HASH")]
    pub(crate) sha256: Vec<String>,

    /// Accept sessions without an end, as a guard that was killed leaves them
    #[arg(long)]
    pub(crate) allow_unclosed: bool,

    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const AGENT_EXAMPLES: &str = "\
Examples:
  tenon acp agent
  tenon acp guard --policy policy.hcl -- tenon acp agent --env PGPASSWORD

An editor starts it and talks to it on stdin and stdout. In Zed:
  \"agent_servers\": { \"Tenon\": { \"command\": \"tenon\", \"args\": [\"acp\", \"agent\"] } }

It has no model. It does what its commands say, in the folder of the session:
  /scenarios, /plan FILE, /run FILE, /teardown RECORD, /init, /call METHOD PARAMS -- CMD..., /help

Before it starts a program or writes a file, it asks. In the mode `plan` it does neither.";

#[derive(Debug, clap::Args)]
#[command(after_help = AGENT_EXAMPLES)]
pub(crate) struct AcpAgentArgs {
    /// Folder for sessions [default: tenon/acp in $XDG_STATE_HOME or ~/.local/state]
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,

    /// Keep no sessions
    #[arg(long, conflicts_with = "store")]
    pub(crate) no_store: bool,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,
}
