//! `tenon serve`: put a plugin on a local socket, for many clients.

mod reach;

use std::sync::Arc;
use std::time::Duration;

use tenon_host::{PluginCommand, Restart, Start, Status};
use tenon_ipc::{CallHook, EventsTo, Framing, Relay, RelayError, RelaySettings, Settings, Slow};
use tenon_protocols::Protocol;
use tenon_rpc::Dialect;

use crate::args::{EventsChoice, FramingChoice, ServeArgs, SlowChoice};
use crate::commands::plugin;
use crate::commands::signals::Signals;
use crate::exit::Failure;
use crate::output::{self, serve::Reporter};

pub(crate) async fn run(args: &ServeArgs) -> Result<(), Failure> {
    let signals = Signals::watch()?;
    let reporter = Reporter {
        json: args.json,
        verbose: args.verbose,
    };
    tenon_host::raise_descriptor_limit();
    let command = command(args)?;
    let shown = command.to_string();
    let path = args.place.path(&args.socket)?;
    let relay = Relay::start_at(
        path,
        command,
        start(args)?,
        args.protocol,
        settings(args, reporter),
    );
    let relay = signals
        .interruptible(async { relay.await.map_err(failure) })
        .await?;
    if !tenon_ipc::has_room_for_clients() {
        relay.stop(Duration::ZERO).await;
        return Err(Failure::cannot_start(
            "the limit of open files is too low to accept a client; raise it with `ulimit -n 1024`",
        ));
    }
    reporter.listening(relay.path(), &shown);
    for obstacle in reach::obstacles(relay.path(), args.mode, &args.users.users()) {
        reporter.warning(&obstacle);
    }
    let ended = tokio::select! {
        ended = watch(&relay, dialect(args), reporter) => Some(ended),
        () = signals.interrupt().cancelled() => None,
    };
    if ended.is_none() {
        reporter.stopping(relay.clients().count());
    }
    let budget = args.stop_within.0.unwrap_or(Duration::MAX);
    let stopped = relay.stop(budget).await;
    reporter.stopped(stopped.cut_off);
    match ended {
        // A signal is the normal end of a server.
        None => Ok(()),
        Some(failure) => Err(failure),
    }
}

/// Prints what the plugin does, until it ends and is not started again.
async fn watch(relay: &Relay, dialect: Dialect, reporter: Reporter) -> Failure {
    let mut status = relay.status();
    status.mark_unchanged();
    loop {
        let now = match status.changed().await {
            Ok(()) => status.borrow_and_update().clone(),
            Err(_) => return Failure::cannot_start("the plugin has ended"),
        };
        if let Status::Ended(down) = &now {
            return Failure::cannot_start(format!(
                "the plugin: {down}\n  hint: without --no-restart it would be started again"
            ));
        }
        reporter.plugin(dialect, &now);
    }
}

fn command(args: &ServeArgs) -> Result<PluginCommand, Failure> {
    let (program, arguments) = args
        .plugin
        .split_first()
        .ok_or_else(|| Failure::usage("a plugin is required: -- CMD..."))?;
    let ServeArgs {
        environment,
        permissions,
        limits,
        ..
    } = args;
    let command = plugin::command(program, arguments, environment, permissions, limits)?;
    Ok(plugin::with_stderr(command))
}

/// The dialect of the plugin.
fn dialect(args: &ServeArgs) -> Dialect {
    args.protocol.map_or(args.dialect, Protocol::dialect)
}

/// The connection to the plugin.
fn start(args: &ServeArgs) -> Result<Start, Failure> {
    let mut start = plugin::start(args.dialect, args.protocol, &args.tap, None)?;
    start.options.limits.frame = start.options.limits.frame.max(args.max_message);
    Ok(start)
}

fn settings(args: &ServeArgs, reporter: Reporter) -> RelaySettings {
    let dialect = dialect(args);
    let defaults = Settings::default();
    let mut server = Settings {
        framing: match args.framing {
            FramingChoice::Detect => Framing::Detect,
            FramingChoice::Lines => Framing::Lines,
            FramingChoice::Headers => Framing::Headers,
        },
        mode: args.mode,
        users: args.users.users(),
        connections: args.max_clients.unwrap_or(defaults.connections),
        in_order: args.in_order,
        slow: match args.slow {
            SlowChoice::DropOldest => Slow::DropOldest,
            SlowChoice::Disconnect => Slow::Disconnect,
        },
        requests_per_second: args.requests_per_second,
        bytes_per_second: args.bytes_per_second,
        on_connect: Some(Arc::new(move |session| reporter.connected(session))),
        on_disconnect: Some(Arc::new(move |session, reason| {
            reporter.disconnected(session, reason);
        })),
        on_refuse: Some(Arc::new(move |credentials, problem| {
            reporter.refused(credentials, problem);
        })),
        ..defaults
    };
    server.options.limits.frame = args.max_message;
    RelaySettings {
        server,
        events: match args.events {
            EventsChoice::Everyone => EventsTo::Everyone,
            EventsChoice::Callers => EventsTo::Callers,
        },
        restart: match args.no_restart {
            true => Restart::Never,
            false => Restart::default(),
        },
        timeout: args.timeout.0,
        question_timeout: args.question_timeout.0,
        on_call: (args.verbose || args.json).then(|| {
            let hook: CallHook = Arc::new(move |done| reporter.called(&done));
            hook
        }),
        on_silence: Some(Arc::new(move |stray| reporter.silent(dialect, stray))),
        ..RelaySettings::default()
    }
}

fn failure(error: RelayError) -> Failure {
    match error {
        RelayError::Plugin(error) => Failure::from(&*error),
        RelayError::Socket(_) => {
            let problem = error.to_string();
            let hint = match problem.contains("not trusted") {
                true => "\n  hint: --allow-user USER trusts another user",
                false => "",
            };
            Failure::cannot_start(format!("{}{hint}", output::on_one_line(&problem)))
        }
        error => Failure::cannot_start(error),
    }
}
