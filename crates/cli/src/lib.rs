//! The `tenon` command: parse, match, one function per subcommand.
//!
//! Results go to stdout, everything else to stderr; the exit codes are in [`exit`].

#![cfg_attr(
    windows,
    allow(dead_code, reason = "subcommands that only Unix has use it")
)]

mod args;
mod commands;
pub mod echo;
pub mod exit;
mod output;
mod platform;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use exit::Failure;

/// Runs the command line and gives its exit code.
pub fn run(given: Vec<OsString>) -> ExitCode {
    let args = match Args::try_parse_from(&given) {
        Ok(args) => args,
        Err(error) => return refuse(&error, &given),
    };
    output::choose_color(args.no_color);
    if let Command::Builtin { name, args } = args.command {
        // A provider creates its own runtime.
        return match tenon_providers::find(&name) {
            Some(provider) => provider.serve_as(args),
            None => output::failure(&Failure::usage(format!(
                "unknown built-in provider `{name}`; there are {}",
                tenon_providers::names().collect::<Vec<_>>().join(", ")
            ))),
        };
    }
    let runtime = tenon_rpc::check_descriptors().and_then(|()| {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            // As much as the main thread has: files are parsed there.
            .thread_stack_size(8 * 1024 * 1024)
            .build()
    });
    let outcome = match runtime {
        Ok(runtime) => {
            let outcome = runtime.block_on(dispatch(args.command));
            // A blocked read of a terminal must not keep us from ending.
            runtime.shutdown_background();
            outcome
        }
        Err(error) => Err(Failure::cannot_start(error)),
    };
    match output::finish(outcome) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output::failure(&failure),
    }
}

/// Shows help, or what is wrong with the command line. The message quotes arguments, and it has
/// colours, so their hidden characters must be escaped before it is made.
fn refuse(error: &clap::Error, given: &[OsString]) -> ExitCode {
    let escaped = { given.iter() }
        .map(|one| OsString::from(tenon_text::line(&one.to_string_lossy()).into_owned()));
    let escaped: Vec<OsString> = escaped.collect();
    if error.exit_code() == 0 || escaped == given {
        return output::usage(error);
    }
    match Args::try_parse_from(escaped) {
        Err(same) if same.kind() == error.kind() => output::usage(&same),
        _ => output::failure(&Failure::usage(error.render())),
    }
}

async fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Init(args) => commands::init::run(&args),
        Command::List(args) => commands::list::run(&args),
        Command::Plan(args) => {
            let is_json = args.json;
            as_events(is_json, interruptible(commands::plan::run(args)).await)
        }
        Command::Run(args) => as_events(args.work.json, commands::run::run(&args).await),
        Command::Teardown(args) => as_events(args.work.json, commands::teardown::run(&args).await),
        Command::Builtin { .. } => Ok(()),
        Command::New(args) => interruptible(commands::new::run(&args)).await,
        #[cfg(unix)]
        Command::Dev(args) => as_events(args.json, commands::dev::run(args).await),
        Command::Call(call) => commands::call::run(call).await,
        Command::Serve(args) => as_events(args.json, commands::serve::run(&args).await),
        Command::Provider(command) => interruptible(commands::provider::run(&command)).await,
        #[cfg(unix)]
        Command::Terraform(args) => commands::terraform::run(&args).await,
        #[cfg(unix)]
        Command::State(command) => commands::state::run(&command).await,
        Command::Acp(command) => commands::acp::run(command).await,
        #[cfg(windows)]
        Command::Elsewhere(words) => Err(elsewhere(&words)),
        Command::Echo(echo) => interruptible(commands::echo::run(echo)).await,
        Command::Completions { shell } => commands::completions::run(shell),
        Command::Version { json } => commands::version::run(json),
        Command::Man { command } => commands::man::run(&command),
    }
}

/// A subcommand that only other systems have, or none.
#[cfg(windows)]
fn elsewhere(words: &[OsString]) -> Failure {
    const UNIX: [&str; 3] = ["dev", "state", "terraform"];
    let word = words
        .first()
        .map(|word| word.to_string_lossy())
        .unwrap_or_default();
    let word = tenon_text::line(&word);
    Failure::usage(match UNIX.contains(&&*word) {
        true => format!("`tenon {word}` is not available on Windows; use WSL"),
        false => format!("unrecognized subcommand '{word}'; `tenon --help` lists the subcommands"),
    })
}

/// With `--json`, failures are events too.
fn as_events(is_json: bool, outcome: Result<(), Failure>) -> Result<(), Failure> {
    match is_json {
        true => outcome.map_err(output::failure_event),
        false => outcome,
    }
}

/// Runs until done or until Ctrl-C, SIGTERM or SIGHUP. Dropping the work ends every plugin it started.
pub(crate) async fn interruptible(
    work: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let mut terminate = platform::terminate().map_err(Failure::cannot_start)?;
    let mut hang_up = commands::signals::HangUp::watch()?;
    tokio::select! {
        outcome = work => outcome,
        _ = tokio::signal::ctrl_c() => Err(Failure::interrupted()),
        _ = terminate.recv() => Err(Failure::interrupted()),
        () = hang_up.received() => Err(Failure::interrupted()),
    }
}
