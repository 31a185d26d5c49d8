//! `tenon call`: curl for plugins.

mod params;
mod target;

use std::io::IsTerminal;
use std::sync::Arc;

use tenon_rpc::{Recorder, Seen, Tap};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::args::CallArgs;
use crate::exit::{Code, Failure};
use crate::output::{self, Printer};
use target::Target;

pub(crate) async fn run(args: CallArgs) -> Result<(), Failure> {
    let printer = Printer { json: args.json };
    match reach_and_call(&args, printer).await {
        Ok(()) => Ok(()),
        Err(failure) if failure.message.is_empty() => Err(failure),
        Err(failure) => {
            printer.error(args.method.as_deref(), &failure)?;
            Err(Failure::told(failure.code))
        }
    }
}

async fn reach_and_call(args: &CallArgs, printer: Printer) -> Result<(), Failure> {
    // What is wrong with the command line should show before anything is started.
    let params = params::read(args.params.as_deref())?;
    let target = Target::reach(args, tap(args)?, printer).await?;
    let outcome = match &args.method {
        Some(method) if args.event => target.send(method, params).await,
        Some(method) => match target.call(method, params, args).await {
            Ok(result) => printer.result(method, &result),
            Err(failure) => Err(failure),
        },
        None => repl(&target, args, printer).await,
    };
    // Leaving may take a while, if the other side is stuck: first things first.
    let outcome = match outcome {
        Err(failure) if !failure.message.is_empty() => {
            printer.error(args.method.as_deref(), &failure)?;
            Err(Failure::told(failure.code))
        }
        outcome => outcome,
    };
    target.leave(args, outcome.is_err()).await;
    outcome
}

/// Reads calls from stdin until it ends. A call that fails does not end it; a connection that
/// does, does.
async fn repl(target: &Target, args: &CallArgs, printer: Printer) -> Result<(), Failure> {
    let mut lines = BufReader::new(stdin()).lines();
    let (mut made, mut failed) = (0, 0);
    loop {
        if std::io::stdin().is_terminal() {
            output::prompt();
        }
        let line = lines.next_line().await;
        let Some(line) = line.map_err(|error| Failure::usage(format!("stdin: {error}")))? else {
            break;
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (method, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        made += 1;
        let outcome = match params::read(text) {
            Ok(params) => target.call(method, params, args).await,
            Err(failure) => Err(failure),
        };
        match outcome {
            Ok(result) => printer.result(method, &result)?,
            Err(failure) => {
                failed += 1;
                printer.error(Some(method), &failure)?;
                if target.peer().is_closed() {
                    return Err(Failure::told(failure.code));
                }
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ if args.json => Err(Failure::told(Code::Failed)),
        _ => Err(Failure::new(
            Code::Failed,
            format!("{failed} of {made} calls failed"),
        )),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "here stdin is a person or a script, not a protocol"
)]
fn stdin() -> tokio::io::Stdin {
    tokio::io::stdin()
}

fn tap(args: &CallArgs) -> Result<Option<Arc<dyn Tap>>, Failure> {
    let to_file = match &args.record {
        Some(path) => {
            let file = private_file(path).map_err(|error| {
                let path = path.display();
                Failure::usage(format!(
                    "the recording could not be written to {path}: {error}"
                ))
            })?;
            Some(Recorder::new(file, &args.mask))
        }
        None => None,
    };
    let to_stderr = args
        .trace
        .then(|| Recorder::new(std::io::sink(), &args.mask));
    if to_file.is_none() && to_stderr.is_none() {
        return Ok(None);
    }
    Ok(Some(Arc::new(move |seen: Seen<'_>| {
        if let Some(recorder) = &to_stderr {
            output::trace(&recorder.record(&seen));
        }
        if let Some(recorder) = &to_file {
            recorder.see(seen);
        }
    })))
}

/// A recording may hold secrets: only its owner may read it.
fn private_file(path: &std::path::Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    // The mode above is for a new file only.
    if file.metadata()?.is_file() {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}
