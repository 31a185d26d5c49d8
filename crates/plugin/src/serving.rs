//! The ways to run a plugin.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_protocols::orchard::ProviderSchema;
use tenon_rpc::options::Limits;
use tenon_rpc::{CloseReason, Dialect, Io};
use tenon_schema::Offer;

use crate::session::Session;
use crate::{Plugin, denobridge, ipc, mcp, orchard, process, seasonings};

/// The program that calls a plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Host {
    /// A runner of scenarios, which runs actions.
    Orchard,
    /// Terraform or OpenTofu by the provider `denobridge`, which uses the one resource, data source,
    /// ephemeral resource or action that a plugin has, and its functions.
    Denobridge,
    /// Terraform or OpenTofu by a provider that `tenon provider pack` made, which uses functions,
    /// resources, data sources and ephemeral resources; `tenon terraform` and `tenon state serve`.
    Seasonings,
    /// Any program that calls functions and actions by name, such as `tenon call` and clients of
    /// `tenon serve`: JSON-RPC in lines.
    Ipc,
    /// As [`Ipc`](Host::Ipc), with messages behind `Content-Length`, as editors write them.
    IpcHeaders,
    /// An agent, or another client of the Model Context Protocol: functions and actions are its tools.
    Mcp,
}

impl Host {
    /// Detects the host by its first message, which stays in the input. What the plugin offers decides
    /// whether a method is one of denobridge's or the plugin's own.
    ///
    /// # Errors
    /// Input failed.
    pub async fn detect(io: Io, offer: &Offer) -> io::Result<(Host, Io)> {
        const CANDIDATES: [Dialect; 4] = [
            Dialect::Orchard,
            Dialect::JsonRpcLines,
            Dialect::JsonRpcHeaders,
            Dialect::MsgpackRpc,
        ];
        let (dialect, io) = io.detect(&CANDIDATES).await?;
        Ok(match dialect {
            Dialect::Orchard => (Host::Orchard, io),
            Dialect::MsgpackRpc => (Host::Seasonings, io),
            Dialect::JsonRpcHeaders => (Host::IpcHeaders, io),
            Dialect::JsonRpcLines => {
                let (line, io) = io.first_line(Limits::default().frame).await?;
                (Host::of_json_rpc(&line, offer), io)
            }
        })
    }

    /// The host that sends this first line of JSON-RPC.
    fn of_json_rpc(line: &[u8], offer: &Offer) -> Host {
        #[derive(Deserialize)]
        struct First<'a> {
            #[serde(borrow)]
            method: Cow<'a, str>,
            #[serde(borrow, default)]
            params: Option<&'a RawValue>,
        }
        // What is not a request is for the service to refuse.
        let Ok(First { method, params }) = serde_json::from_slice(line) else {
            return Host::Ipc;
        };
        let is_mcp = || {
            let params: Json = params
                .and_then(|params| serde_json::from_str(params.get()).ok())
                .unwrap_or_default();
            params["protocolVersion"].is_string()
        };
        let is_own = offer.functions.contains_key(&*method) || offer.actions.contains_key(&*method);
        match &*method {
            "initialize" if is_mcp() => Host::Mcp,
            // Every host of denobridge begins with it.
            "health" => Host::Denobridge,
            method if !is_own && denobridge::serves(method, offer) => Host::Denobridge,
            _ => Host::Ipc,
        }
    }
}

impl<S: Send + Sync + 'static> Plugin<S> {
    /// The whole `main` of a plugin. Without arguments it serves the [`Host`] on stdin and stdout
    /// until the host ends the conversation or goes away, or SIGTERM or SIGINT ends the plugin; with
    /// the argument `schema` it prints the schema for Orchard.
    pub fn serve(self) -> ExitCode {
        self.serve_as(std::env::args_os().skip(1))
    }

    /// As [`serve`](Plugin::serve), with arguments from elsewhere: a program that has several
    /// plugins built in, or other arguments. Must be called outside of any tokio runtime; inside one,
    /// use [`serve_on`](Plugin::serve_on).
    pub fn serve_as<A: Into<OsString>>(self, args: impl IntoIterator<Item = A>) -> ExitCode {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let name = self.offer.name.clone();
        let done = match &args[..] {
            [] => self.serve_stdio(),
            [only] if only == "schema" => print_schema(&self.offer),
            _ => {
                process::tell(&format!(
                    "usage: {name}           speak to a host on stdin and stdout\n\
                     \x20      {name} schema    print what the plugin offers to scenarios\n"
                ));
                return ExitCode::from(2);
            }
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                process::tell(&format!("{name}: {problem}\n"));
                ExitCode::FAILURE
            }
        }
    }

    /// Serves the host at the other end of an [`Io`], until it ends the conversation or goes away.
    /// Must be called within a tokio runtime.
    ///
    /// # Errors
    /// What the host sent is not a stream of messages, or input or output failed.
    pub async fn serve_on(self, io: Io) -> Result<(), CloseReason> {
        let failed = |error| CloseReason::Io(Arc::new(error));
        let (host, io) = Host::detect(io, &self.offer).await.map_err(failed)?;
        self.serve_host(host, io).await
    }

    /// As [`serve_on`](Plugin::serve_on), without detecting the host.
    ///
    /// # Errors
    /// As for [`serve_on`](Plugin::serve_on).
    pub async fn serve_host(self, host: Host, io: Io) -> Result<(), CloseReason> {
        serve_session(Session::new(self), host, io).await
    }

    fn serve_stdio(self) -> Result<(), String> {
        self.offer.check().map_err(|error| error.to_string())?;
        process::serve_stdio(|io| async move {
            let session = Session::new(self);
            end_on_signals(session.clone())?;
            let detected = tokio::select! {
                detected = Host::detect(io, &session.offer) => detected,
                () = session.ended() => {
                    session.abandon().await;
                    return Ok(());
                }
            };
            let (host, io) = detected.map_err(|error| error.to_string())?;
            if host == Host::Orchard {
                schema(&session.offer)?;
            }
            let served = serve_session(session, host, io).await;
            served.map_err(process::explain)
        })
    }
}

async fn serve_session(session: Arc<Session>, host: Host, io: Io) -> Result<(), CloseReason> {
    match host {
        Host::Orchard => orchard::serve(session, io).await,
        Host::Denobridge => denobridge::serve(session, io).await,
        Host::Seasonings => seasonings::serve(session, io).await,
        Host::Ipc => ipc::serve(session, Dialect::JsonRpcLines, io).await,
        Host::IpcHeaders => ipc::serve(session, Dialect::JsonRpcHeaders, io).await,
        Host::Mcp => mcp::serve(session, io).await,
    }
}

/// The first signal ends the conversation as a goodbye of the host does: what runs is finished and answered, then the
/// author's shutdown is called. The second one ends the process.
fn end_on_signals(session: Arc<Session>) -> Result<(), String> {
    let mut signals =
        process::Signals::catch().map_err(|error| format!("signals cannot be caught: {error}"))?;
    tokio::spawn(async move {
        signals.next().await;
        session.end();
        let code = signals.next().await;
        std::process::exit(code);
    });
    Ok(())
}

/// The schema for Orchard, if it is valid there.
fn schema(offer: &Offer) -> Result<ProviderSchema, String> {
    let schema = ProviderSchema::try_from(offer).map_err(|error| error.to_string())?;
    schema.check().map_err(|error| error.to_string())?;
    Ok(schema)
}

fn print_schema(offer: &Offer) -> Result<(), String> {
    offer.check().map_err(|error| error.to_string())?;
    let mut text = serde_json::to_vec(&schema(offer)?).map_err(|error| error.to_string())?;
    text.push(b'\n');
    let mut stdout = io::stdout();
    let written = stdout.write_all(&text).and_then(|()| stdout.flush());
    match written {
        // The reader has closed it, as `head` does.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| format!("stdout: {error}")),
    }
}
