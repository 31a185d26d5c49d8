//! The ways to run a provider.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use tenon_protocols::orchard::ERROR_NAMES;
use tenon_rpc::{CloseReason, Connection, Dialect, Io, Options};

use super::Provider;
use super::session::Session;
use crate::process;

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
                return process::tell(&usage, ExitCode::from(2));
            }
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => process::tell(&format!("{name}: {problem}\n"), ExitCode::FAILURE),
        }
    }

    /// Serves a host on any [`Io`] until it says goodbye or goes away. Within a tokio runtime.
    ///
    /// # Errors
    /// What the host sent is no stream of messages, or input or output failed.
    pub async fn serve_on(self, io: Io) -> Result<(), CloseReason> {
        let options = Options {
            running: self.schema.max_in_flight.unwrap_or(1).max(1),
            error_names: ERROR_NAMES,
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
            _ => Err(reason),
        }
    }

    fn serve_stdio(self) -> Result<(), String> {
        self.schema.check().map_err(|error| error.to_string())?;
        process::serve_stdio(|io| self.serve_on(io))
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
