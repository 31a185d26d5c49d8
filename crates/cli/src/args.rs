//! The command line: types and texts only.

mod acp;
mod call;
mod chat;
#[cfg(unix)]
mod dev;
mod environment;
mod limits;
mod new;
mod permissions;
mod provider;
mod scenario;
mod serve;
mod socket;
#[cfg(unix)]
mod state;
#[cfg(unix)]
mod terraform;

use std::ffi::OsString;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use tenon_protocols::Protocol;
use tenon_rpc::Dialect;

pub(crate) use acp::{
    AcpAgentArgs, AcpCommand, GuardArgs, PolicyCheckArgs, PolicyCommand, PolicyExplainArgs,
    ReplayArgs, SideChoice, VerifyArgs,
};
pub(crate) use call::{CallArgs, TcpAddress, repl_help};
pub(crate) use chat::{ChatArgs, chat_help};
#[cfg(unix)]
pub(crate) use dev::DevArgs;
pub(crate) use environment::EnvironmentArgs;
pub(crate) use limits::LimitArgs;
pub(crate) use new::{Choice, Kind, Language, NewArgs};
pub(crate) use permissions::{PermissionArgs, SANDBOX, option};
pub(crate) use provider::{
    ConfigArgs, DocsArgs, InstallArgs, ListPackedArgs, PackArgs, Pins, Program, ProviderCommand,
    RemovePackedArgs, version,
};
pub(crate) use scenario::{
    GraphForm, InitArgs, ListArgs, PlanArgs, RecordKeyArgs, RunArgs, ScenarioArgs, SecretArgs,
    TeardownArgs, VariableArgs, WorkArgs,
};
pub(crate) use serve::{EventsChoice, FramingChoice, ServeArgs, SlowChoice};
pub(crate) use socket::{PlaceArgs, TapArgs, UserArgs};
#[cfg(unix)]
pub(crate) use state::{StateCommand, StateServeArgs};
#[cfg(unix)]
pub(crate) use terraform::TerraformArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the work failed: an action, an assert, an error answer
  2    wrong usage, or an invalid file
  3    a plugin or socket could not be started or reached
  4    the other side violated its protocol
  5    timed out
  130  interrupted";

const ECHO_METHODS: &str = "\
Methods:
  echo       returns its params
  add        returns the sum: [1,2] returns 3
  sleep      answers after a time: {\"ms\":500}
  fail       answers with an error: {\"code\":7,\"message\":\"as asked\"}
  emit       sends `tick` events, then answers: {\"count\":3}
  ticks      returns how many `tick` events it has received
  call_back  calls a method of its caller and returns the answer: {\"method\":\"name\"}
  text       returns a text of the given length: {\"length\":100}
  panic      panics in the handler
  exit       ends the process: {\"code\":1}

Examples:
  tenon call add '[1,2]' -- tenon echo
  tenon echo --socket calc";

/// Run plugins: programs in any language that read stdin and write stdout.
#[derive(Debug, Parser)]
#[command(name = "tenon", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Args {
    /// Print without colours, as the environment variable NO_COLOR does
    #[arg(long, global = true)]
    pub(crate) no_color: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

// The options of a subcommand are described only if they are needed (`defer`): to describe all of them takes as long as the
// rest of a start. A doc comment of a struct of options would then replace that of the subcommand, so they have none.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Write a scenario to start from
    Init(InitArgs),
    /// List the scenarios in files and folders
    List(ListArgs),
    /// Check a scenario and show what it would do, without doing it
    Plan(PlanArgs),
    /// Run a scenario, or resume a run
    Run(RunArgs),
    /// Undo a run
    Teardown(TeardownArgs),
    /// Create a plugin to start from, in Python, TypeScript, Rust or bash
    New(NewArgs),
    #[cfg(unix)]
    /// Check, test and pack a plugin whenever a file is saved
    Dev(DevArgs),
    /// Call a method of a plugin or server, and print the answer
    Call(CallArgs),
    /// Offer a plugin to many clients on a local socket
    Serve(ServeArgs),
    /// Terraform providers: install denobridge, or make one from a plugin
    #[command(
        subcommand,
        after_help = "Examples:\n  tenon provider install --write-config\n  tenon provider pack mytool -- python3 mytool.py"
    )]
    Provider(ProviderCommand),
    #[cfg(unix)]
    /// Run terraform or tofu with the hooks and the storage of tenon.hcl
    Terraform(TerraformArgs),
    #[cfg(unix)]
    /// Keep the state of Terraform in a plugin
    #[command(
        subcommand,
        after_help = "Example:\n  . <(tenon state serve -- python3 store.py)"
    )]
    State(StateCommand),
    /// Coding agents that speak the Agent Client Protocol (ACP)
    #[command(
        subcommand,
        after_help = "Examples:\n  tenon acp guard --policy guard.hcl --record session.jsonl -- opencode acp\n  tenon acp chat -- opencode acp\n  tenon acp verify session.jsonl"
    )]
    Acp(AcpCommand),
    /// Commands that are available on other systems only
    #[cfg(windows)]
    #[command(external_subcommand)]
    Elsewhere(Vec<OsString>),
    /// Run a plugin or server for experiments: echo, add, sleep, emit and more
    #[command(after_help = ECHO_METHODS)]
    Echo(EchoArgs),
    /// Run a built-in provider
    #[command(hide = true)]
    Builtin {
        /// The provider
        name: String,
        /// `schema` to print its schema
        args: Vec<OsString>,
    },
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  tenon completions bash > ~/.local/share/bash-completion/completions/tenon"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the version, and how this program was built
    #[command(after_help = "Example:\n  tenon version --json | jq -r .target")]
    Version {
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the manual page of tenon or of one command
    #[command(
        after_help = "Examples:\n  tenon man call | man -l -\n  tenon man provider pack | man -l -"
    )]
    Man {
        /// The command, with each word of its name
        command: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct EchoArgs {
    /// Dialect of the messages [default: detected from the first bytes]
    #[arg(long, value_parser = dialects())]
    pub(crate) dialect: Option<Dialect>,

    /// Listen on this socket, for many clients, instead of using stdin and stdout
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) socket: Option<String>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// A time limit; `None` means no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limit(pub(crate) Option<Duration>);

fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::name))
        .try_map(|name| name.parse::<Dialect>())
}

fn protocols() -> impl TypedValueParser<Value = Protocol> {
    PossibleValuesParser::new(Protocol::ALL.map(Protocol::name))
        .try_map(|name| name.parse::<Protocol>())
}

fn duration(text: &str) -> Result<Limit, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    match tenon_hcl::parse_duration(text) {
        Some(limit) if !limit.is_zero() => Ok(Limit(Some(limit))),
        Some(_) => Err("a time must be greater than zero".into()),
        None => Err("a time is a number with ms, s, m or h, such as 500ms, 2s or 1h30m".into()),
    }
}

/// A name in a source address. It becomes part of a path.
pub(crate) fn provider_name(text: &str) -> Result<String, String> {
    let is_part = |one: u8| one.is_ascii_lowercase() || one.is_ascii_digit() || one == b'-';
    let is_name = text
        .bytes()
        .next()
        .is_some_and(|one| one.is_ascii_lowercase())
        && text.bytes().all(is_part)
        && !text.ends_with('-');
    match is_name {
        true if is_device(text) => Err(DEVICE.into()),
        true => Ok(text.to_owned()),
        false => {
            Err("a name has small letters, digits and hyphens, and begins with a letter".into())
        }
    }
}

/// Why the name of a device is refused, on every system.
pub(crate) const DEVICE: &str =
    "this name is reserved on Windows, where the plugin could not be used";

/// Whether it is a device in every folder of Windows.
pub(crate) fn is_device(name: &str) -> bool {
    let port = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    ["con", "prn", "aux", "nul"].contains(&name)
        || port.is_some_and(|port| port.len() == 1 && port.bytes().all(|one| one.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn times_have_units() {
        let parsed = |text| duration(text).map(|limit| limit.0.map(|limit| limit.as_millis()));
        assert_eq!(parsed("500ms"), Ok(Some(500)));
        assert_eq!(parsed("1.5s"), Ok(Some(1500)));
        assert_eq!(parsed("2m"), Ok(Some(120_000)));
        assert_eq!(parsed("1m30s"), Ok(Some(90_000)));
        assert_eq!(parsed("none"), Ok(None));
        for wrong in ["", "5", "s", "0s", "-1s", "1d", "infs", "nans"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
