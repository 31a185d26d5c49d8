//! `tenon acp guard`: stand between an editor and an agent.

mod places;
mod refusing;
mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenon_acp::guard::{Guard, Note, OnNote, OnSummary, Settings};
use tenon_acp::policy::Policy;
use tenon_acp::quirks::Quirk;
use tenon_acp::record::{Masks, Record};
use tenon_host::{LAST_WORDS, PluginCommand, Process, StopLimits};
use tenon_protocols::acp::Side;
use tenon_rpc::{CloseReason, Io};

use self::places::Names;
use self::report::SummaryFile;
use super::policy_file;
use crate::args::GuardArgs;
use crate::commands::plugin;
use crate::commands::signals::Signals;
use crate::exit::{Code, Failure};
use crate::output;

/// How long an agent has to end when its input has ended.
const STOP: StopLimits = StopLimits {
    asked: Duration::from_secs(3),
    terminated: Duration::from_secs(2),
};
/// The same after a signal: its sender may soon send SIGKILL.
const STOP_BY_SIGNAL: StopLimits = StopLimits {
    asked: Duration::from_millis(500),
    terminated: Duration::from_secs(2),
};
/// The same for an agent that does not end when its input ends.
const STOP_AT_ONCE: StopLimits = StopLimits {
    asked: Duration::ZERO,
    terminated: Duration::from_secs(2),
};

/// How it came to the end.
enum Ended {
    Closed(Side, CloseReason),
    /// The process of the agent has ended, but something holds its output open.
    AgentExited,
    Signal,
}

pub(crate) async fn run(args: &GuardArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let client = Io::stdio().map_err(Failure::cannot_start)?;
    let Prepared {
        process,
        agent,
        settings,
        record,
        summary: summary_file,
    } = match prepare(args) {
        Ok(prepared) => prepared,
        Err(failure) => {
            output::talk_of(&failure);
            let told = refusing::tell(client, args, &failure);
            tokio::select! {
                () = told => {}
                () = signals.interrupt().cancelled() => {}
            }
            return Err(Failure::printed(failure.code));
        }
    };
    let secrets = settings.masks.secrets().clone();
    let guard = Guard::start(client, agent, settings);
    let ended = tokio::select! {
        (side, reason) = guard.closed() => Ended::Closed(side, reason),
        () = exited(&process) => Ended::AgentExited,
        () = signals.interrupt().cancelled() => Ended::Signal,
    };
    let failure = failure(&ended, &process).await;
    let stop = match (&ended, guard.quirks().has(Quirk::StaysAfterInput)) {
        (_, true) => STOP_AT_ONCE,
        (Ended::Signal, false) => STOP_BY_SIGNAL,
        (_, false) => STOP,
    };
    let finished = guard.finish().await;
    process.stop(stop).await;
    let (summary, hash) = finished
        .map_err(|error| Failure::new(Code::Failed, format!("the end of the record: {error}")))?;
    if !args.no_summary {
        let record = record.as_deref().zip(hash.as_deref());
        report::print(&summary, record, &secrets);
    }
    if let Some(file) = &summary_file {
        file.end(&summary, hash.as_deref())?;
    }
    failure.map_or(Ok(()), Err)
}

/// What is there before the guard starts.
struct Prepared {
    process: Process,
    agent: Io,
    settings: Settings,
    /// The file of the record.
    record: Option<PathBuf>,
    summary: Option<Arc<SummaryFile>>,
}

/// Reads the policy, opens the record and the summary, and starts the agent.
fn prepare(args: &GuardArgs) -> Result<Prepared, Failure> {
    args.check()?;
    let policy = match &args.policy {
        Some(path) => policy_file::read(path, false)?.0,
        None => Policy::default(),
    };
    let masks = masks(args)?;
    let command = command(args, &masks)?;
    let login_hint = command.left_out().login_hint();
    let names = Names::new();
    let record = args.record.as_deref();
    let record = record.map(|path| names.record(path, &masks)).transpose()?;
    let record_path = record.as_ref().map(|record| record.path().to_owned());
    if let Some(continues) = record.as_ref().and_then(Record::continues)
        && !continues.closed
    {
        let lines = continues.lines;
        output::talk(format_args!(
            "guard: the record has no end after line {lines}: an earlier guard was killed, or lines were cut off"
        ));
    }
    let summary = match &args.summary {
        Some(path) => {
            let file = SummaryFile::open(names.summary(path)?, masks.secrets().clone())?;
            Some(Arc::new(file))
        }
        None => None,
    };
    let on_summary = summary.clone().map_or_else(OnSummary::default, |file| {
        OnSummary::new(move |summary| file.update(summary))
    });
    let (process, agent) = match Process::spawn(&command) {
        Ok(started) => started,
        Err(error) => {
            // Nothing is missing from this record.
            if let Some(Err(error)) = record.map(Record::finish) {
                output::talk(format_args!("guard: the end of the record: {error}"));
            }
            let mut failure = Failure::from(&error);
            failure.message = failure.message.replacen("the plugin", "the agent", 1);
            return Err(failure);
        }
    };
    let (secrets, is_verbose) = (masks.secrets().clone(), args.verbose);
    let on_note = OnNote::new(move |note| {
        if is_verbose || matches!(note, Note::Unrecorded { .. }) {
            let note = secrets.hide(&note.to_string());
            output::talk(format_args!("guard: {}", output::on_one_line(&note)));
        }
    });
    let settings = Settings {
        profile: args.profile.into(),
        policy,
        record,
        limits: args.limits(),
        files: args.files.into(),
        masks,
        login_hint,
        exit: Some(process.exit()),
        on_note,
        on_summary,
    };
    Ok(Prepared {
        process,
        agent,
        settings,
        record: record_path,
        summary,
    })
}

/// What is secret from the beginning: values of variables that the agent gets.
fn masks(args: &GuardArgs) -> Result<Masks, Failure> {
    let names = args.mask.iter();
    let masks = names.fold(Masks::default(), |masks, name| masks.with_name(name));
    args.environment.learn(masks.secrets())?;
    Ok(masks)
}

fn command(args: &GuardArgs, masks: &Masks) -> Result<PluginCommand, Failure> {
    let (program, arguments) = args
        .agent
        .split_first()
        .ok_or_else(|| Failure::usage("an agent is required: -- AGENT..."))?;
    let GuardArgs {
        environment,
        permissions,
        resources,
        ..
    } = args;
    let command = plugin::command(program, arguments, environment, permissions, resources)?;
    let secrets = masks.secrets().clone();
    Ok(command.on_stderr(move |line| {
        let line = secrets.hide(line);
        output::talk(format_args!("agent: {}", output::on_one_line(&line)));
    }))
}

/// Waits until the agent has ended and had time to say its last words.
async fn exited(process: &Process) {
    process.exited().await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// Why the command fails, unless the client has ended the session.
async fn failure(ended: &Ended, process: &Process) -> Option<Failure> {
    match ended {
        Ended::Signal => Some(Failure::interrupted()),
        Ended::Closed(Side::Client, CloseReason::BrokenStream(error)) => Some(Failure::new(
            Code::BrokenProtocol,
            format!("the client broke the protocol: {error}"),
        )),
        Ended::Closed(Side::Client, _) => None,
        Ended::Closed(Side::Agent, CloseReason::BrokenStream(error)) => Some(Failure::new(
            Code::BrokenProtocol,
            format!(
                "the agent broke the protocol: {error}\n  hint: --record FILE keeps what it sends; report it to its authors"
            ),
        )),
        Ended::Closed(Side::Agent, _) | Ended::AgentExited => {
            let status = process.exited_within(LAST_WORDS).await;
            let how = match status {
                Some(status) => format!("the agent ended by itself with {status}"),
                None => "the agent closed its output".to_owned(),
            };
            let stderr = process.stderr().lines().join("\n");
            let hint = { process.left_out().hint(&stderr) }.or_else(|| {
                let has_failed = status.is_some_and(|status| !status.success());
                has_failed.then(|| process.left_out().general_hint())?
            });
            let hint = hint.map(|hint| format!("\n  hint: {}", output::on_one_line(&hint)));
            Some(Failure::cannot_start(how + &hint.unwrap_or_default()))
        }
    }
}
