//! `tenon call`: curl for plugins.

mod answers;
mod batch;
mod conversation;
mod denials;
mod events;
mod line;
mod params;
mod target;
mod values;
mod variables;

use std::sync::Arc;

use tenon_host::Limits;
use tenon_protocols::Protocol;
use tenon_rpc::{Payload, calls::BatchItem};
use tokio::sync::mpsc;

use crate::args::CallArgs;
use crate::commands::input::{self, Input};
use crate::commands::signals::HangUp;
use crate::commands::terminal::Editing;
use crate::exit::{Code, Failure};
use crate::output::{self, Printer};
use crate::platform::{self, Signal};
use answers::{Answers, Question};
use conversation::Conversation;
use denials::Denials;
use target::Target;

pub(crate) async fn run(args: CallArgs) -> Result<(), Failure> {
    let printer = Printer {
        json: args.json,
        events_are_data: args.watch,
        hides_sensitive: args.protocol.is_some_and(Protocol::values_have_schemas)
            && !args.show_sensitive,
    };
    output::choose_masked(&args.tap.mask);
    // While this waits for a FIFO or a terminal, a signal ends the command in the usual way: nothing has
    // been started, and no signal is caught yet.
    let prepared = prepare(&args, printer);
    let work = async {
        match reach_and_call(&args, prepared, printer).await {
            Err(failure) if !failure.message.is_empty() => {
                printer.error(args.method.as_deref(), &failure)?;
                Err(Failure::printed(failure.code))
            }
            outcome => outcome,
        }
    };
    if args.repl && input::is_terminal() {
        // There, Ctrl-C cancels calls; only SIGTERM and SIGHUP end everything.
        let mut terminate = platform::terminate().map_err(Failure::cannot_start)?;
        let mut hang_up = HangUp::watch()?;
        return tokio::select! {
            outcome = work => outcome,
            _ = terminate.recv() => Err(Failure::interrupted()),
            () = hang_up.received() => Err(Failure::interrupted()),
        };
    }
    crate::interruptible(work).await
}

/// What is read before anything is started, so that mistakes in it are reported first.
struct Prepared {
    params: Option<Payload>,
    batch: Option<Vec<BatchItem>>,
    protocol: Option<Protocol>,
    answers: Arc<Answers>,
    questions: Option<mpsc::Receiver<Question>>,
}

fn prepare(args: &CallArgs, printer: Printer) -> Result<Prepared, Failure> {
    let params = params::read(args.params.as_deref().or(args.data.as_deref()))?;
    let batch = batch::read(args)?;
    let protocol = check(args)?;
    let (answers, questions) = Answers::new(args, printer)?;
    Ok(Prepared {
        params,
        batch,
        protocol,
        answers,
        questions,
    })
}

async fn reach_and_call(
    args: &CallArgs,
    prepared: Result<Prepared, Failure>,
    printer: Printer,
) -> Result<(), Failure> {
    let denials = Denials::new(args);
    let outcome = reach_and_call_with(args, prepared?, printer, &denials).await;
    denials.print();
    outcome
}

async fn reach_and_call_with(
    args: &CallArgs,
    prepared: Prepared,
    printer: Printer,
    denials: &Denials,
) -> Result<(), Failure> {
    let Prepared {
        params,
        batch,
        protocol,
        answers,
        questions,
    } = prepared;
    let is_prompt = questions.is_some();
    let mut ctrl_c = ctrl_c(is_prompt)?;
    let (target, begun) = tokio::select! {
        reached = Target::reach(args, &answers, denials) => reached?,
        () = interrupted(&mut ctrl_c) => return Err(Failure::interrupted()),
    };
    let work = async {
        if args.repl || (args.method.is_some() && !args.event) {
            let method = args.method.as_deref();
            target.learn(method, begun.as_ref(), args.timeout.0).await?;
        }
        if let Some(method) = &args.method {
            match args.event {
                true => target.send(method, params).await?,
                false => {
                    call_before(&target, method, args).await?;
                    call(&target, method, params, args, printer).await?;
                }
            }
        } else if args.repl {
            let input = Input::new(editing(args))?;
            Conversation::new(&target, begun, args, printer, &answers)
                .hold(input, questions, ctrl_c)
                .await?;
        } else if let Some(items) = batch {
            batch::call(&target, items, args, printer).await?;
        } else if args.list {
            list(&target, protocol, begun.as_ref(), args).await?;
        }
        match args.watch {
            true => Err(target.watch().await),
            false => Ok(()),
        }
    };
    let outcome = tokio::select! {
        outcome = work => outcome,
        // As `tail -f FILE | head -1` ends.
        () = output::reader_gone(), if args.watch => Ok(()),
    };
    // Leaving may take a while if the other side hangs, so the error is printed first.
    let outcome = match outcome {
        Err(failure) if !failure.message.is_empty() => {
            printer.error(args.method.as_deref(), &failure)?;
            Err(Failure::printed(failure.code))
        }
        outcome => outcome,
    };
    let mut ctrl_c = self::ctrl_c(is_prompt)?;
    tokio::select! {
        left = target.leave(args, outcome.is_err()) => outcome.and(left),
        () = interrupted(&mut ctrl_c) => Err(Failure::interrupted()),
    }
}

/// Checks that the protocol and the target can do what the options ask for.
fn check(args: &CallArgs) -> Result<Option<Protocol>, Failure> {
    let is_confined = args.permissions.permissions().is_some();
    let is_limited = args.limits.limits() != Limits::default();
    if (is_confined || is_limited) && args.plugin.is_empty() {
        return Err(Failure::usage(
            "only a plugin that is started with -- CMD... can be confined or limited",
        ));
    }
    if args.sandbox_report && !is_confined {
        return Err(Failure::usage(
            "--sandbox-report needs a confined plugin\n  hint: add --sandbox or an --allow-... option",
        ));
    }
    let able = |is_able: fn(Protocol) -> bool| {
        let names = Protocol::ALL
            .into_iter()
            .filter(|protocol| is_able(*protocol));
        names.map(Protocol::name).collect::<Vec<_>>().join(", ")
    };
    let shown = args
        .protocol
        .map_or("a dialect without a protocol", Protocol::name);
    let can_list = args.protocol.is_some_and(Protocol::can_list);
    if args.list && !can_list {
        let names = able(Protocol::can_list);
        return Err(Failure::usage(format!(
            "{shown} cannot list what the other side offers\n  hint: --list works with these protocols: {names}; for others see the documentation of the plugin"
        )));
    }
    let has_progress = |protocol: Protocol| protocol.progress_token().is_some();
    if args.progress && !args.protocol.is_some_and(has_progress) {
        let names = able(|protocol| protocol.progress_token().is_some());
        return Err(Failure::usage(format!(
            "{shown} does not support progress\n  hint: --progress works with these protocols: {names}"
        )));
    }
    Ok(args.protocol)
}

/// Makes the call that the protocol wants before this one. Only a plugin that was started for this call needs it.
async fn call_before(target: &Target, method: &str, args: &CallArgs) -> Result<(), Failure> {
    let peer = target.peer();
    let before = args
        .protocol
        .filter(|_| !args.plugin.is_empty())
        .and_then(|protocol| protocol.before(&peer, method));
    let Some(before) = before else {
        return Ok(());
    };
    target.within(args.timeout.0, before).await.map_err(|mut failure| {
        failure.message +=
            "\n  hint: `configure` was called with an empty configuration; to give another one, call it with --repl";
        failure
    })
}

async fn call(
    target: &Target,
    method: &str,
    params: Option<Payload>,
    args: &CallArgs,
    printer: Printer,
) -> Result<(), Failure> {
    let params = params::with_progress(params, args, 1)?;
    let result = target.call(method, params, args.timeout.0).await?;
    printer.result(method, &result)?;
    check_result(method, &result, args)
}

/// Fails if a result says that its call has failed. `--json` prints nothing more about it.
fn check_result(method: &str, result: &Payload, args: &CallArgs) -> Result<(), Failure> {
    let failure = args
        .protocol
        .and_then(|protocol| protocol.failure(method, result));
    match failure {
        None => Ok(()),
        Some(_) if args.json => Err(Failure::printed(Code::Failed)),
        Some(failure) => Err(Failure::new(Code::Failed, failure)),
    }
}

async fn list(
    target: &Target,
    protocol: Option<Protocol>,
    begun: Option<&Payload>,
    args: &CallArgs,
) -> Result<(), Failure> {
    let Some(protocol) = protocol else {
        return Ok(());
    };
    let peer = target.peer();
    let listing = protocol.list(&peer, begun);
    let listing = target.within(args.timeout.0, listing).await?;
    output::listing::print(&listing, args.json)
}

fn editing(args: &CallArgs) -> Editing<'static> {
    let methods = args.protocol.map_or(&[][..], Protocol::methods);
    let names: Vec<&'static str> = methods.iter().chain(&line::COMMANDS).copied().collect();
    let secrets = args.tap.mask.iter().map(|name| name.to_lowercase());
    Editing {
        history: "call_history",
        secrets: secrets.collect(),
        complete: Box::new(move |typed| complete(&names, typed)),
    }
}

/// Only names of methods and commands are known: the first word, behind `!` or `NAME = `.
fn complete(names: &[&str], typed: &str) -> (usize, Vec<String>) {
    let start = typed.rfind([' ', '!']).map_or(0, |blank| blank + 1);
    let before = typed[..start].trim_end();
    let is_method = before.is_empty() || before.ends_with(['=', '!']);
    let found = names
        .iter()
        .filter(|name| is_method && name.starts_with(&typed[start..]));
    (start, found.map(|name| (*name).to_owned()).collect())
}

/// Ctrl-C at a prompt, where it does not end the command by itself.
fn ctrl_c(is_prompt: bool) -> Result<Option<Signal>, Failure> {
    let signal = is_prompt.then(platform::interrupt).transpose();
    signal.map_err(Failure::cannot_start)
}

/// Waits for Ctrl-C at a prompt; elsewhere it never returns.
async fn interrupted(ctrl_c: &mut Option<Signal>) {
    match ctrl_c {
        Some(ctrl_c) => {
            ctrl_c.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// The failure of a cancelled call.
fn cancelled() -> Failure {
    Failure::new(Code::Interrupted, "the call was cancelled")
}
