//! The target of calls: a plugin that is started, or a server on a socket or on TCP.

use std::future::Future;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::{Plugin, Problem, StopLimits};
use tenon_rpc::{CallError, Connection, Io, Payload, Peer, calls::within};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::answers::Answers;
use super::denials::Denials;
use super::params;
use super::values::Values;
use crate::args::{CallArgs, TcpAddress};
use crate::commands::plugin;
use crate::exit::{Code, Failure};
use crate::output;

pub(crate) struct Target {
    side: Side,
    /// How values are written and read, in a protocol whose values have schemas.
    values: Option<Arc<Values>>,
}

enum Side {
    Plugin(Box<Plugin>),
    Server(Connection),
}

impl Target {
    /// Starts the plugin or connects to the server, and makes the protocol's first call, whose
    /// answer is returned.
    pub(crate) async fn reach(
        args: &CallArgs,
        answers: &Arc<Answers>,
        denials: &Denials,
    ) -> Result<(Target, Option<Payload>), Failure> {
        let router = Arc::new(answers.router());
        let client = answers.client();
        let values = Values::new(args);
        let show = { values.as_ref() }.map(|values| values.show(args.show_sensitive));
        let mut start = plugin::start(args.dialect, args.protocol, &args.tap, show)?;
        if let Some(max_message) = args.max_message {
            start.options.limits.frame = max_message;
        }
        start.limit = start.limit.min(args.timeout.0.unwrap_or(start.limit));
        let first = |peer: Peer| async move {
            match args.protocol {
                Some(protocol) => protocol.begin_as(&peer, &client).await,
                None => Ok(None),
            }
        };
        let io = match (&args.socket, &args.tcp) {
            (Some(name), _) => Some(connect(name, args).await?),
            (None, Some(address)) => Some(connect_tcp(address, start.limit).await?),
            (None, None) => None,
        };
        if let Some(io) = io {
            let connection = Connection::start_with(io, start.dialect, router, start.options);
            let begun = within(Some(start.limit), first(connection.peer())).await;
            let begun = begun.map_err(|error| first_call_failed(error.into(), args))?;
            let side = Side::Server(connection);
            return Ok((Target { side, values }, begun));
        }
        let CallArgs {
            environment,
            permissions,
            limits,
            ..
        } = args;
        let (program, arguments) = args.plugin.split_first().ok_or_else(|| {
            Failure::usage("a target is required: --socket NAME, --tcp HOST:PORT, or -- CMD...")
        })?;
        let command = plugin::command(program, arguments, environment, permissions, limits)?;
        let mut command = denials.of(command);
        if args.verbose {
            command = plugin::with_stderr(command);
        }
        let started = Plugin::start(&command, start, router, first).await;
        let (plugin, begun) = started.map_err(|error| match &error.problem {
            Problem::CannotStart(_) => error.into(),
            _ => first_call_failed(error.into(), args),
        })?;
        let side = Side::Plugin(Box::new(plugin));
        Ok((Target { side, values }, begun))
    }

    /// Asks for the schemas that the values of this method have, or of all methods.
    pub(crate) async fn learn(
        &self,
        method: Option<&str>,
        begun: Option<&Payload>,
        limit: Option<Duration>,
    ) -> Result<(), Failure> {
        match &self.values {
            Some(values) => {
                let peer = self.peer();
                self.within(limit, values.learn(method, &peer, begun)).await
            }
            None => Ok(()),
        }
    }

    pub(crate) fn peer(&self) -> Peer {
        match &self.side {
            Side::Plugin(plugin) => plugin.peer(),
            Side::Server(connection) => connection.peer(),
        }
    }

    pub(crate) async fn call(
        &self,
        method: &str,
        params: Option<Payload>,
        limit: Option<Duration>,
    ) -> Result<Payload, Failure> {
        let peer = self.peer();
        let Some(values) = &self.values else {
            let params = params::encode(params, peer.format())?;
            return self.within(limit, peer.call_raw(method, params)).await;
        };
        let sent = values.params(method, params, &peer)?;
        let call = peer.call_raw(method, sent.clone());
        let result = self.within(limit, call).await?;
        values.result(method, sent.as_ref(), &result)
    }

    /// Waits for a call, or for several, and explains a failure.
    pub(crate) async fn within<T>(
        &self,
        limit: Option<Duration>,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        let mut outcome = self.explained(within(limit, call)).await;
        if let Err(failure) = &mut outcome
            && failure.code == Code::TimedOut
        {
            let hint = "--timeout changes the limit, --trace shows every frame";
            failure.message += &format!("\n  hint: {hint}");
            // The connection's task sends the cancellation, and `--trace` shows it before the error.
            tokio::task::yield_now().await;
        }
        outcome
    }

    /// Like [`within`](Target::within), for one of several calls that share a time limit and the
    /// end of it.
    pub(crate) async fn until<T>(
        &self,
        end: Option<(Instant, Duration)>,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        let Some((end, limit)) = end else {
            return self.within(None, call).await;
        };
        let call = async {
            let outcome = tokio::time::timeout_at(end, call).await;
            outcome.unwrap_or(Err(CallError::TimedOut(limit)))
        };
        self.within(None, call).await
    }

    /// The failure of a call that the caller stopped waiting for.
    pub(crate) async fn timed_out(&self, limit: Duration) -> Failure {
        let timed_out = std::future::ready(Err::<(), _>(CallError::TimedOut(limit)));
        let outcome = self.within(None, timed_out).await;
        outcome.err().unwrap_or_else(Failure::interrupted)
    }

    pub(crate) async fn send(&self, method: &str, params: Option<Payload>) -> Result<(), Failure> {
        let peer = self.peer();
        let params = params::encode(params, peer.format())?;
        self.explained(peer.send_raw(method, params)).await
    }

    /// Waits until the other side ends. Its events are printed as they arrive.
    pub(crate) async fn watch(&self) -> Failure {
        match &self.side {
            Side::Server(connection) => {
                let reason = connection.closed().await;
                let code = Failure::from(CallError::Closed(reason.clone())).code;
                let complaint = complaint(&connection.peer());
                Failure::new(
                    code,
                    format!("the connection to the server ended: {reason}{complaint}"),
                )
            }
            Side::Plugin(plugin) => {
                let never = std::future::pending::<Result<(), CallError>>();
                match plugin.while_alive(never).await {
                    Ok(()) => Failure::interrupted(),
                    Err(error) => plugin.explain(error).await.into(),
                }
            }
        }
    }

    /// The outcome of a call; a failure quotes what the plugin wrote.
    async fn explained<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, Failure> {
        match &self.side {
            Side::Server(connection) => match call.await {
                Ok(result) => Ok(result),
                Err(error) => Err(refused(connection, error).await),
            },
            Side::Plugin(plugin) => match plugin.while_alive(call).await {
                Ok(result) => Ok(result),
                Err(error @ CallError::Answered(_)) => Err(error.into()),
                Err(error) => Err(plugin.explain(error).await.into()),
            },
        }
    }

    /// Ends the plugin, or leaves the server, which serves others too. One that has failed already
    /// gets little time.
    ///
    /// # Errors
    /// A server that was sent an event, which is not answered, did not let us in.
    pub(crate) async fn leave(self, args: &CallArgs, has_failed: bool) -> Result<(), Failure> {
        const MOMENT: Duration = Duration::from_millis(500);
        let goodbye = |peer: Peer| async move {
            if let Some(protocol) = args.protocol {
                protocol.end(&peer).await;
            }
        };
        match self.side {
            Side::Plugin(plugin) if has_failed => {
                let limits = StopLimits {
                    asked: MOMENT,
                    terminated: MOMENT,
                };
                plugin.stop_within(limits).stop(goodbye).await;
            }
            Side::Plugin(plugin) => {
                plugin.stop(goodbye).await;
            }
            Side::Server(connection) if args.event && !has_failed => {
                let peer = connection.peer();
                connection.finish_within(MOMENT).await;
                let complaint = complaint(&peer);
                if !complaint.is_empty() {
                    let problem = format!("the event was not accepted{complaint}");
                    return Err(Failure::cannot_start(problem));
                }
            }
            Side::Server(connection) => {
                connection.close_within(MOMENT).await;
            }
        }
        Ok(())
    }
}

/// The first call of the protocol failed, which must not look like a failure of the call that was
/// asked for: neither its message nor, under `--json`, its code.
fn first_call_failed(mut failure: Failure, args: &CallArgs) -> Failure {
    let protocol = args.protocol;
    if let Some((protocol, method)) = protocol.and_then(|p| Some((p, p.first_call()?))) {
        let message = &failure.message;
        failure.message = format!("the first call of {protocol}, `{method}`: {message}");
        failure.answered = None;
    }
    failure
}

/// The failure of a call to a server. An error with the id null is an answer, unless the server then closes
/// the connection: it did not accept this client.
async fn refused(server: &Connection, mut error: CallError) -> Failure {
    /// A server closes the connection right after such an error.
    const MOMENT: Duration = Duration::from_millis(500);
    let peer = server.peer();
    if matches!(error, CallError::Answered(_))
        && peer.complaint().is_some()
        && let Ok(reason) = tokio::time::timeout(MOMENT, server.closed()).await
    {
        error = CallError::Closed(reason);
    }
    let is_unanswered = matches!(error, CallError::TimedOut(_) | CallError::Closed(_));
    let mut failure = Failure::from(error);
    if is_unanswered {
        failure.message += &complaint(&peer);
    }
    failure
}

/// An error of a server that belongs to no call: it accepts no more clients, or it could not read a
/// message, whose caller then waits in vain.
fn complaint(server: &Peer) -> String {
    let complaint = server.complaint();
    complaint.map_or(String::new(), |error| format!("\n  it said: {error}"))
}

/// Connects to a server. A file in this folder that has the name of the socket is most likely what
/// was meant.
async fn connect(name: &str, args: &CallArgs) -> Result<Io, Failure> {
    let connected = tenon_ipc::connect_to(name, &args.users.users()).await;
    connected.map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::NotFound if !name.contains('/') && Path::new(name).exists() => {
                format!("\n  hint: --socket ./{name} is the one in this folder")
            }
            ErrorKind::PermissionDenied if error.to_string().contains("not trusted") => {
                "\n  hint: --allow-user USER trusts another user".to_owned()
            }
            _ => String::new(),
        };
        // The name of the socket is in it.
        let problem = error.to_string();
        Failure::cannot_start(format!("{}{hint}", output::on_one_line(&problem)))
    })
}

/// Connects over TCP.
async fn connect_tcp(address: &TcpAddress, limit: Duration) -> Result<Io, Failure> {
    let TcpAddress { host, port } = address;
    let connecting = TcpStream::connect((host.as_str(), *port));
    let stream = match tokio::time::timeout(limit, connecting).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            let hint = match error.kind() {
                ErrorKind::ConnectionRefused => "\n  hint: does a server listen on that port?",
                _ => "",
            };
            return Err(Failure::cannot_start(format!(
                "could not connect to {host}:{port}: {error}{hint}"
            )));
        }
        Err(_) => {
            return Err(Failure::new(
                Code::TimedOut,
                format!("could not connect to {host}:{port} within {limit:?}"),
            ));
        }
    };
    // Calls are small, and each is waited for.
    stream.set_nodelay(true).map_err(Failure::cannot_start)?;
    let (reader, writer) = stream.into_split();
    Ok(Io::new(reader, writer))
}
