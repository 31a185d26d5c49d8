//! `tenon call`: curl for plugins.

mod params;
mod target;

use std::io::IsTerminal;

use tokio::io::{AsyncBufReadExt, BufReader};

use crate::args::CallArgs;
use crate::commands::tap::tap;
use crate::exit::{Code, Failure};
use crate::output::{self, Printer};
use target::Target;

pub(crate) async fn run(args: CallArgs) -> Result<(), Failure> {
    let printer = Printer {
        json: args.json,
        events_are_data: args.watch,
    };
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
    let params = params::read(args.params.as_deref().or(args.data.as_deref()))?;
    let target = Target::reach(args, tap(&args.tap)?, printer).await?;
    let outcome = match &args.method {
        Some(method) if args.event => target.send(method, params).await,
        Some(method) => match target.call(method, params, args).await {
            Ok(result) => printer.result(method, &result),
            Err(failure) => Err(failure),
        },
        None if args.repl => repl(&target, args, printer).await,
        None => Ok(()),
    };
    let outcome = match outcome {
        Ok(()) if args.watch => Err(target.watch().await),
        outcome => outcome,
    };
    // Leaving may take a while, if the other side is stuck: first things first.
    let outcome = match outcome {
        Err(failure) if !failure.message.is_empty() => {
            printer.error(args.method.as_deref(), &failure)?;
            Err(Failure::told(failure.code))
        }
        outcome => outcome,
    };
    let left = target.leave(args, outcome.is_err()).await;
    outcome.and(left)
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
