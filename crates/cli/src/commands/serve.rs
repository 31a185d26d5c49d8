//! `tenon serve`: put a plugin on a local socket, for many clients.

mod reach;

use std::sync::Arc;
use std::time::Duration;

use tenon_host::{PluginCommand, Restart, Start, Status};
use tenon_ipc::{CallHook, EventsTo, Framing, Relay, RelayError, RelaySettings, Settings, Slow};
use tenon_protocols::Protocol;
use tenon_protocols::orchard::ERROR_NAMES;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::Dialect;

use crate::args::{EventsChoice, FramingChoice, ServeArgs, SlowChoice};
use crate::commands::signals::Signals;
use crate::commands::tap::{redact, tap};
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
        // Being told to end is how a server ends.
        None => Ok(()),
        Some(failure) => Err(failure),
    }
}

/// Tells what the plugin does, until it is not started again.
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
    let command = PluginCommand::new(program).args(arguments);
    let command = args.environment.apply(command)?;
    let command = args.permissions.apply(command).limits(args.limits.limits());
    Ok(command
        .on_stderr(|line| output::talk(format_args!("plugin: {}", output::on_one_line(line)))))
}

/// The dialect that the plugin is talked to in.
fn dialect(args: &ServeArgs) -> Dialect {
    args.protocol.map_or(args.dialect, Protocol::dialect)
}

/// How the plugin is talked to.
fn start(args: &ServeArgs) -> Result<Start, Failure> {
    let mut start = Start::new(args.dialect);
    if let Some(protocol) = args.protocol {
        start.dialect = protocol.dialect();
        start.options = protocol.host_options();
        start.limit = protocol.start_limit();
    }
    // Also where a dialect is given instead of a protocol.
    start.options.error_names = ERROR_NAMES;
    start.options.ext_names = EXT_NAMES;
    start.options.limits.frame = start.options.limits.frame.max(args.max_message);
    start.options.tap = tap(&args.tap)?;
    start.options.redact = redact(&args.tap);
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
            let told: CallHook = Arc::new(move |done| reporter.called(&done));
            told
        }),
        on_silence: Some(Arc::new(move |stray| reporter.silent(dialect, stray))),
        ..RelaySettings::default()
    }
}

fn failure(error: RelayError) -> Failure {
    match error {
        RelayError::Plugin(error) => Failure::from(&*error),
        RelayError::Down(_) => Failure::cannot_start(error),
        RelayError::Socket(_) => {
            let problem = error.to_string();
            let hint = match problem.contains("not trusted") {
                true => "\n  hint: --allow-user USER trusts another user",
                false => "",
            };
            Failure::cannot_start(format!("{}{hint}", output::on_one_line(&problem)))
        }
    }
}
