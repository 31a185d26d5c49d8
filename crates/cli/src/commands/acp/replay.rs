//! `tenon acp replay`: play one side of a recorded conversation.

use std::fs::File;
use std::time::Duration;

use serde_json::json;
use tenon_acp::record::{self, Item, ReadError};
use tenon_acp::replay::{self, Report, Script};
use tenon_host::{PluginCommand, Process, StopLimits};
use tenon_protocols::Secrets;
use tenon_rpc::{CloseReason, Io};

use crate::args::{ReplayArgs, SideChoice};
use crate::commands::plugin;
use crate::commands::signals::Signals;
use crate::exit::{Code, Failure};
use crate::output;

pub(crate) async fn run(args: &ReplayArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let script = script(args)?;
    match args.side {
        SideChoice::Agent if !args.agent.is_empty() => Err(Failure::usage(
            "an agent is started only with --as client\n  hint: --as client -- AGENT...",
        )),
        SideChoice::Agent => signals.interruptible(play_agent(args, script)).await,
        SideChoice::Client => signals.interruptible(play_client(args, script)).await,
    }
}

/// The conversation that is played.
fn script(args: &ReplayArgs) -> Result<Script, Failure> {
    let name = tenon_text::path(&args.record);
    let unreadable = |error: std::io::Error| Failure::usage(format!("{name}: {error}"));
    let entries = record::read(File::open(&args.record).map_err(unreadable)?);
    let items: Result<Vec<Item>, ReadError> = match args.force {
        true => entries.unchecked().collect(),
        false => entries.collect(),
    };
    let items = items.map_err(|error| match error {
        ReadError::File(error) => unreadable(error),
        _ => Failure::usage(format!(
            "{name}: {error}\n  hint: --force replays it anyway"
        )),
    })?;
    let mut scripts = Script::of(items);
    let count = scripts.len();
    let part = args.part.map_or(count, |part| part as usize);
    match part.checked_sub(1).filter(|part| *part < count) {
        Some(part) if !scripts[part].is_paired() => Err(Failure::usage(format!(
            "{name} does not say which calls its answers belong to: it was written by an older version of Tenon\n  \
             hint: record the conversation again"
        ))),
        Some(part) => Ok(scripts.swap_remove(part)),
        None => Err(Failure::usage(format!(
            "{name} has {count} conversations, so there is none with the number {part}"
        ))),
    }
}

async fn play_agent(args: &ReplayArgs, script: Script) -> Result<(), Failure> {
    let secrets = secrets(args)?;
    let io = Io::stdio().map_err(Failure::cannot_start)?;
    let limit = args.timeout.0.unwrap_or(Duration::MAX);
    let (report, reason) = replay::play_agent(io, script, limit).await;
    // stdout belongs to the editor.
    match args.json {
        true => output::talk(secrets.hide(&json!({ "report": report }).to_string())),
        false => output::talk(secrets.hide(&text(&report))),
    }
    match reason {
        Ok(CloseReason::BrokenStream(error)) => Err(Failure::new(
            Code::BrokenProtocol,
            format!("the client broke the protocol: {error}"),
        )),
        Err(_) => Err(Failure::new(
            Code::TimedOut,
            format!(
                "no message from the client for {limit:?}\n  hint: --timeout none waits for it forever"
            ),
        )),
        _ => verdict(&report),
    }
}

async fn play_client(args: &ReplayArgs, script: Script) -> Result<(), Failure> {
    let secrets = secrets(args)?;
    let command = command(args, &secrets)?;
    let (process, io) = Process::spawn(&command).map_err(|error| {
        let mut failure = Failure::from(&error);
        failure.message = failure.message.replacen("the plugin", "the agent", 1);
        failure
    })?;
    let limit = args.timeout.0.unwrap_or(Duration::MAX);
    let (report, outcome) = replay::play_client(io, script, limit).await;
    process.stop(StopLimits::default()).await;
    match args.json {
        // An answer of today may have secrets that the record does not have.
        true => output::json_data(secrets.hide(&json!(report).to_string()))?,
        false => output::data(secrets.hide(&text(&report)))?,
    }
    outcome.map_err(Failure::from)?;
    verdict(&report)
}

/// What is secret in the variables that the agent gets.
fn secrets(args: &ReplayArgs) -> Result<Secrets, Failure> {
    let secrets = Secrets::default();
    args.environment.learn(&secrets)?;
    Ok(secrets)
}

fn command(args: &ReplayArgs, secrets: &Secrets) -> Result<PluginCommand, Failure> {
    let (program, arguments) = args
        .agent
        .split_first()
        .ok_or_else(|| Failure::usage("--as client needs an agent: -- AGENT..."))?;
    let ReplayArgs {
        environment,
        permissions,
        resources,
        ..
    } = args;
    let command = plugin::command(program, arguments, environment, permissions, resources)?;
    let secrets = secrets.clone();
    Ok(command.on_stderr(move |line| {
        let line = secrets.hide(line);
        output::talk(format_args!("agent: {}", output::on_one_line(&line)));
    }))
}

fn text(report: &Report) -> String {
    let Report {
        played,
        left,
        differences,
    } = report;
    let mut text = format!(
        "{played} played, {left} left, {} differences",
        differences.len()
    );
    for difference in differences {
        text += &format!("\n  {}", output::on_one_line(&difference.to_string()));
    }
    text
}

fn verdict(report: &Report) -> Result<(), Failure> {
    match report.differences.is_empty() && report.left == 0 {
        true => Ok(()),
        false => Err(Failure::printed(Code::Failed)),
    }
}
