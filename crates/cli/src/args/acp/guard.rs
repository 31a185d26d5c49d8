//! The options of `tenon acp guard`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use tenon_acp::guard::{Files, Limits};
use tenon_protocols::acp::Profile;

use crate::args::{EnvironmentArgs, Limit, LimitArgs, PermissionArgs, duration};
use crate::exit::Failure;

const EXAMPLES: &str = "\
Examples:
  Guard an agent; write this command into the settings of the editor in place of the agent's:
    tenon acp guard -- opencode acp

  Allow, ask for and deny tool calls by rules, and keep a record that can be verified:
    tenon acp guard --policy guard.hcl --record session.jsonl -- opencode acp
    tenon acp verify session.jsonl

  Keep a record and a summary of each process in a folder, because an editor starts one for each project:
    tenon acp guard --record ~/records/ --summary ~/records/ -- opencode acp

  Pass the agent its API key, and confine it to its own folders and the network:
    tenon acp guard --env ANTHROPIC_API_KEY --allow-read / --allow-write ~/project,~/.claude,/tmp \\
      --allow-net --allow-run -- claude-agent-acp

  See each decision as it is made:
    tenon acp guard --verbose --policy guard.hcl -- gemini --acp

The guard is an agent to the editor and an editor to the agent. What is valid and allowed passes
byte for byte; everything else is answered with an error. What the agent writes to stderr, the
guard's own notes and a summary at the end go to stderr.

Agents may do things without asking. The policy decides about what they ask for; the options of the
sandbox hold for everything that they do.

Exit codes: 0 the editor has ended the session, 1 the record or the summary could not be finished,
2 wrong usage or an invalid policy, 3 the agent could not be started or ended by itself, 4 one of
the two broke the protocol, 130 ended by a signal.";

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = "tenon acp guard [OPTIONS] -- AGENT...")]
pub(crate) struct GuardArgs {
    /// Rules that allow, ask for and deny tool calls [default: the editor asks for everything]
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// Record every message, decision and refusal as JSON lines with a hash chain; an existing record is
    /// continued. In a folder, which exists or ends with /, each process has a file of its own
    #[arg(long, value_name = "PATH")]
    pub(crate) record: Option<PathBuf>,

    /// Profile: `v1` for today's editors and agents, or `seed` for the strict message specification with
    /// its error codes
    #[arg(long, value_enum, default_value_t = ProfileChoice::V1)]
    pub(crate) profile: ProfileChoice,

    /// Who reads and writes files for the agent: the client, which has unsaved changes, or the guard,
    /// which cannot be tricked by links that change meanwhile
    #[arg(long, value_enum, default_value_t = FilesChoice::Client)]
    pub(crate) files: FilesChoice,

    /// Turn off checks: a list such as sizes,rates
    #[arg(long, value_enum, value_name = "CHECKS", value_delimiter = ',')]
    pub(crate) without: Vec<Check>,

    /// Cancel a turn if nothing happens in it for this long: 90s, 20m, or none
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration)]
    pub(crate) idle_timeout: Limit,

    /// Mask members with this name in the record, besides env, headers, token, password and others
    #[arg(long, value_name = "NAME")]
    pub(crate) mask: Vec<String>,

    /// Print decisions, refusals and dropped messages on stderr as they happen
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Do not print a summary at the end
    #[arg(long)]
    pub(crate) no_summary: bool,

    /// Write the summary to this file as JSON, after each turn and at the end, or to a file of its own in a
    /// folder
    #[arg(long, value_name = "PATH")]
    pub(crate) summary: Option<PathBuf>,

    /// The agent to start
    #[arg(last = true, required = true, value_name = "AGENT")]
    pub(crate) agent: Vec<OsString>,

    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,

    #[command(flatten)]
    pub(crate) permissions: PermissionArgs,

    #[command(flatten)]
    pub(crate) resources: LimitArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ProfileChoice {
    V1,
    Seed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FilesChoice {
    Client,
    Guard,
}

/// A check that can be turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// The sizes of messages
    Sizes,
    /// How often methods are called
    Rates,
    /// How long answers take
    Timeouts,
    /// Files stay in the folders of the session
    Paths,
}

impl GuardArgs {
    /// Refuses options that contradict each other.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let is_unconfined = self.without.contains(&Check::Paths);
        match (self.files, is_unconfined) {
            (FilesChoice::Guard, true) => Err(Failure::usage(
                "--files guard and --without paths: the guard opens only files in the folders of the session\n  \
                 hint: leave out --files guard, so that the client opens the files",
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        let holds = |check| !self.without.contains(&check);
        Limits {
            sizes: holds(Check::Sizes),
            rates: holds(Check::Rates),
            timeouts: holds(Check::Timeouts),
            paths: holds(Check::Paths),
            idle: self.idle_timeout.0,
        }
    }
}

impl From<ProfileChoice> for Profile {
    fn from(choice: ProfileChoice) -> Profile {
        match choice {
            ProfileChoice::V1 => Profile::V1,
            ProfileChoice::Seed => Profile::Seed,
        }
    }
}

impl From<FilesChoice> for Files {
    fn from(choice: FilesChoice) -> Files {
        match choice {
            FilesChoice::Client => Files::Client,
            FilesChoice::Guard => Files::Guard,
        }
    }
}
