//! `tenon call`: curl for plugins.

use std::future::Future;
use std::io::Read;
use std::sync::Arc;

use tenon_host::{Plugin, PluginCommand, Start};
use tenon_rpc::{
    CallError, Connection, Format, Options, Payload, Peer, Recorder, Router, RpcError, Seen, Tap,
};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::args::CallArgs;
use crate::exit::{Code, Failure};
use crate::output::{self, Printer};

pub(crate) async fn run(args: CallArgs) -> Result<(), Failure> {
    // What is wrong with the command line should show before anything is started.
    let params = read_params(args.params.as_deref())?;
    let printer = Printer { json: args.json };
    let mut options = match args.protocol {
        Some(protocol) => protocol.host_options(),
        None => Start::new(args.dialect).options,
    };
    options.tap = tap(&args)?;
    let target = Target::reach(&args, options, printer).await?;
    let outcome = match &args.method {
        Some(method) if args.event => target.send(method, params).await,
        Some(method) => {
            let result = target.call(method, params, &args).await;
            result.and_then(|result| printer.result(method, &result))
        }
        None => repl(&target, &args, printer).await,
    };
    let outcome = match outcome {
        Err(failure) if args.json && failure.code != Code::Usage => {
            output::data(serde_json::json!({ "error": output::error_value(&failure) }))?;
            Err(Failure::told(failure.code))
        }
        outcome => outcome,
    };
    target.leave(&args).await;
    outcome
}

/// Who is called.
enum Target {
    Plugin(Box<Plugin>),
    Socket(Connection),
}

impl Target {
    async fn reach(args: &CallArgs, options: Options, printer: Printer) -> Result<Target, Failure> {
        let router = Arc::new(observer(printer));
        let dialect = args
            .protocol
            .map_or(args.dialect, |protocol| protocol.dialect());
        let first = |peer: Peer| async move {
            match args.protocol {
                Some(protocol) => protocol.begin(&peer).await.map(drop),
                None => Ok(()),
            }
        };
        if let Some(path) = &args.socket {
            let io = tenon_host::connect(path)
                .await
                .map_err(Failure::cannot_start)?;
            let connection = Connection::start_with(io, dialect, router, options);
            first(connection.peer()).await?;
            return Ok(Target::Socket(connection));
        }
        let (program, arguments) = args
            .plugin
            .split_first()
            .ok_or_else(|| Failure::usage("say what to call: --socket PATH, or -- CMD..."))?;
        let mut command = PluginCommand::new(program).args(arguments);
        if args.verbose {
            command = command.on_stderr(|line| output::talk(format_args!("plugin: {line}")));
        }
        let mut start = Start::new(dialect);
        start.options = options;
        if let Some(protocol) = args.protocol {
            start.limit = protocol.start_limit();
        }
        let (plugin, ()) = Plugin::start(&command, start, router, first).await?;
        Ok(Target::Plugin(Box::new(plugin)))
    }

    fn peer(&self) -> Peer {
        match self {
            Target::Plugin(plugin) => plugin.peer(),
            Target::Socket(connection) => connection.peer(),
        }
    }

    async fn call(
        &self,
        method: &str,
        params: Option<Payload>,
        args: &CallArgs,
    ) -> Result<Payload, Failure> {
        let peer = self.peer();
        let params = encode(params, peer.format())?;
        self.explained(async {
            let call = peer.call_raw(method, params);
            let Some(limit) = args.timeout.0 else {
                return call.await;
            };
            match tokio::time::timeout(limit, call).await {
                Ok(outcome) => outcome,
                Err(_) => Err(CallError::TimedOut(limit)),
            }
        })
        .await
    }

    async fn send(&self, method: &str, params: Option<Payload>) -> Result<(), Failure> {
        let peer = self.peer();
        let params = encode(params, peer.format())?;
        self.explained(peer.send_raw(method, params)).await
    }

    /// A failed call with what the plugin itself says about it.
    async fn explained<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        match self {
            Target::Socket(_) => Ok(call.await?),
            Target::Plugin(plugin) => match plugin.while_alive(call).await {
                Ok(result) => Ok(result),
                Err(error @ CallError::Answered(_)) => Err(error.into()),
                Err(error) => Err(plugin.explain(error).await.into()),
            },
        }
    }

    async fn leave(self, args: &CallArgs) {
        let goodbye = |peer: Peer| async move {
            if let Some(protocol) = args.protocol {
                protocol.end(&peer).await;
            }
        };
        match self {
            Target::Plugin(plugin) => {
                plugin.stop(goodbye).await;
            }
            // A server on a socket serves others too: it is left, not shut down.
            Target::Socket(connection) => {
                connection.close().await;
            }
        }
    }
}

/// Reads calls from stdin until it ends. A call that fails does not end it; a connection that
/// does, does.
async fn repl(target: &Target, args: &CallArgs, printer: Printer) -> Result<(), Failure> {
    let mut lines = BufReader::new(stdin()).lines();
    let mut any_failed = false;
    loop {
        let line = lines.next_line().await.map_err(Failure::usage)?;
        let Some(line) = line else {
            break;
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (method, params) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let params = Some(params.trim()).filter(|params| !params.is_empty());
        let outcome = match read_params(params) {
            Ok(params) => target.call(method, params, args).await,
            Err(failure) => Err(failure),
        };
        match outcome {
            Ok(result) => printer.result(method, &result)?,
            Err(failure) if target.peer().is_closed() => return Err(failure),
            Err(failure) => {
                any_failed = true;
                printer.error(method, &failure)?;
            }
        }
    }
    if any_failed {
        return Err(Failure::new(Code::Failed, "some calls failed"));
    }
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "here stdin is a person or a script, not a protocol"
)]
fn stdin() -> tokio::io::Stdin {
    tokio::io::stdin()
}

/// Shows what the other side sends by itself.
fn observer(printer: Printer) -> Router<()> {
    Router::new(())
        .fallback(move |call, ()| async move {
            printer.received("request", &call.method, call.params.as_ref());
            Err(RpcError::method_not_found(&call.method, call.peer.format()))
        })
        .event_fallback(move |_, event| {
            printer.received("event", &event.method, event.params.as_ref());
        })
}

fn tap(args: &CallArgs) -> Result<Option<Arc<dyn Tap>>, Failure> {
    let to_file = match &args.record {
        Some(path) => {
            let file = private_file(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
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
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

/// The params as JSON: the text itself, `@file`, or `-` for stdin.
fn read_params(argument: Option<&str>) -> Result<Option<Payload>, Failure> {
    let text = match argument {
        None => return Ok(None),
        Some("-") => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| Failure::usage(format!("stdin: {error}")))?;
            text
        }
        Some(text) => match text.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("{path}: {error}")))?,
            None => text.to_owned(),
        },
    };
    let payload = Payload::from_json(text.trim()).map_err(|error| {
        let hint = "params are JSON, such as '{\"name\":\"you\"}' or '[1,2]'";
        Failure::usage(format!("the params are no JSON: {error}\n  hint: {hint}"))
    })?;
    Ok(Some(payload))
}

fn encode(params: Option<Payload>, format: Format) -> Result<Option<Payload>, Failure> {
    params
        .map(|params| params.to_format(format))
        .transpose()
        .map_err(|error| Failure::usage(format!("the params: {error}")))
}
