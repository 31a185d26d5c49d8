//! The ways to run a provider.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use tenon_rpc::{CloseReason, Connection, Dialect, Io, Options};

use super::Provider;
use super::session::Session;

impl<S: Send + Sync + 'static> Provider<S> {
    /// Does what the command line asks for: without arguments, serves the host on stdin and
    /// stdout until it says goodbye or goes away; with `schema`, prints the schema. This is the
    /// whole `main` of a provider.
    pub fn serve(self) -> ExitCode {
        self.serve_as(std::env::args_os().skip(1))
    }

    /// As [`serve`](Provider::serve), with arguments from elsewhere: a program that has several
    /// providers built in. Has to be called outside of any tokio runtime; inside one there is
    /// [`serve_on`](Provider::serve_on).
    pub fn serve_as<A: Into<OsString>>(self, args: impl IntoIterator<Item = A>) -> ExitCode {
        let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
        let name = self.schema.name.clone();
        let done = match &args[..] {
            [] => self.serve_stdio(),
            [only] if only == "schema" => self.print_schema(),
            _ => {
                let usage = format!(
                    "usage: {name}           speak the provider protocol on stdin and stdout\n\
                     \x20      {name} schema    print what the provider offers\n"
                );
                return tell(&usage, ExitCode::from(2));
            }
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => tell(&format!("{name}: {problem}\n"), ExitCode::FAILURE),
        }
    }

    /// Serves a host on any [`Io`] until it says goodbye or goes away. Within a tokio runtime.
    ///
    /// # Errors
    /// What the host sent is no stream of messages, or input or output failed.
    pub async fn serve_on(self, io: Io) -> Result<(), CloseReason> {
        let options = Options {
            running: self.schema.max_in_flight.unwrap_or(1).max(1),
            ..Options::default()
        };
        let session = Session::new(self);
        let router = Arc::new(session.router());
        let connection = Connection::start_with(io, Dialect::Orchard, router, options);
        let reason = tokio::select! {
            reason = connection.closed() => reason,
            () = session.ended() => connection.close().await,
        };
        session.abandon().await;
        match reason {
            CloseReason::PeerClosed | CloseReason::ClosedHere => Ok(()),
            CloseReason::Io(_) | CloseReason::BrokenStream(_) => Err(reason),
        }
    }

    fn serve_stdio(self) -> Result<(), String> {
        self.schema.check().map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("the runtime could not be started: {error}"))?;
        let served = runtime.block_on(async {
            let io = Io::stdio().map_err(|error| format!("stdin and stdout: {error}"))?;
            self.serve_on(io).await.map_err(|reason| reason.to_string())
        });
        // A stdin that is no pipe is read on a thread of its own, which may wait for a line that
        // never comes.
        runtime.shutdown_background();
        served
    }

    fn print_schema(self) -> Result<(), String> {
        self.schema.check().map_err(|error| error.to_string())?;
        let mut text = serde_json::to_vec(&self.schema).map_err(|error| error.to_string())?;
        text.push(b'\n');
        let mut stdout = io::stdout();
        let written = stdout.write_all(&text).and_then(|()| stdout.flush());
        match written {
            // Whoever closed it has read enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| format!("stdout: {error}")),
        }
    }
}

fn tell(text: &str, code: ExitCode) -> ExitCode {
    // Where nobody listens there is nobody to tell.
    let _unheard = io::stderr().write_all(text.as_bytes());
    code
}
