//! What can be typed. Only types live here.

mod call;
mod environment;
mod limits;
mod permissions;
mod provider;
mod scenario;
mod serve;
mod socket;

use std::ffi::OsString;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use tenon_protocols::Protocol;
use tenon_rpc::Dialect;

pub(crate) use call::{CallArgs, TcpAddress, repl_help};
pub(crate) use environment::EnvironmentArgs;
pub(crate) use limits::LimitArgs;
pub(crate) use permissions::{PermissionArgs, SANDBOX, option};
pub(crate) use provider::{InstallArgs, Program, ProviderCommand};
pub(crate) use scenario::{
    GraphForm, InitArgs, ListArgs, PlanArgs, RecordKeyArgs, RunArgs, SecretArgs, TeardownArgs,
    VariableArgs, WorkArgs,
};
pub(crate) use serve::{EventsChoice, FramingChoice, ServeArgs, SlowChoice};
pub(crate) use socket::{PlaceArgs, TapArgs, UserArgs};

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the work failed: an action, an assert, an error answer
  2    wrong usage, or an invalid file
  3    a plugin or socket could not be started or reached
  4    the other side broke its protocol
  5    timed out
  130  interrupted";

const ECHO_METHODS: &str = "\
Methods:
  echo       answers with its params
  add        [1,2] is 3
  sleep      {\"ms\":500} answers after that time
  fail       {\"code\":7,\"message\":\"as asked\"} answers with that error
  emit       {\"count\":3} sends as many `tick` events, then answers
  ticks      how many `tick` events came
  call_back  {\"method\":\"name\"} calls its caller, and answers with that answer
  text       {\"length\":100} is a text of that length
  panic      fails by a panic
  exit       {\"code\":1} ends the process

Examples:
  tenon call add '[1,2]' -- tenon echo
  tenon echo --socket calc";

/// Runs plugins in other processes, in any language that can read stdin and write stdout.
#[derive(Debug, Parser)]
#[command(name = "tenon", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Args {
    /// Show nothing in colour; NO_COLOR does the same
    #[arg(long, global = true)]
    pub(crate) no_color: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a scenario to begin with
    Init(InitArgs),
    /// Show the scenarios there are
    List(ListArgs),
    /// Check a scenario and show what it would do, without doing it
    Plan(PlanArgs),
    /// Run a scenario
    Run(RunArgs),
    /// Undo what a run did
    Teardown(TeardownArgs),
    /// Call a method of a plugin or of a server on a local socket, and print its answer
    Call(CallArgs),
    /// Put a plugin on a local socket, for many clients
    Serve(ServeArgs),
    /// Providers for Terraform and OpenTofu whose resources are scripts
    #[command(subcommand)]
    Provider(ProviderCommand),
    /// Be a plugin or a server to try things with: echo, add, sleep, emit and more
    #[command(after_help = ECHO_METHODS)]
    Echo(EchoArgs),
    /// Be one of the providers that come with Tenon
    #[command(hide = true)]
    Builtin {
        /// Which one
        name: String,
        /// `schema`, or nothing
        args: Vec<OsString>,
    },
    /// Print a script that completes commands in your shell
    #[command(
        after_help = "Example:\n  tenon completions bash > ~/.local/share/bash-completion/completions/tenon"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or that of one command
    #[command(after_help = "Example:\n  tenon man call | man -l -")]
    Man {
        /// The command
        command: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct EchoArgs {
    /// How messages are written; found out from the first bytes if not given
    #[arg(long, value_parser = dialects())]
    pub(crate) dialect: Option<Dialect>,

    /// Listen on this socket for many clients instead of talking on stdin and stdout
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) socket: Option<String>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// How long to wait; `None` is forever.
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
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = text.split_at(digits.len());
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("a time is a number with ms, s, m or h, such as 500ms or 2s".into()),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| format!("{number:?} is no number"))?;
    match Duration::try_from_secs_f64(number * seconds) {
        Ok(limit) if !limit.is_zero() => Ok(Limit(Some(limit))),
        _ => Err("a time has to be more than nothing, and not endless".into()),
    }
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
        assert_eq!(parsed("none"), Ok(None));
        for wrong in ["", "5", "s", "0s", "-1s", "1d", "infs", "nans"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }
}
