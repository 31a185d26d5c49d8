//! The ways to run a script.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use tenon_protocols::Protocol;
use tenon_protocols::denobridge::{CallFunction, Health, Json, Read};
use tenon_rpc::{
    CloseReason, Connection, EventKind, Format, Io, Method, Options, Payload, Router, RpcError,
    events,
};
use tokio::sync::Notify;

use super::Script;
use super::script::{Handler, functions};
use crate::process;

/// How long calls that still run may take once the host has said goodbye. It waits for none of
/// them.
const GOODBYE_LIMIT: Duration = Duration::from_secs(5);

events! {
    /// Goodbye. Most hosts send it as an event, some as a call.
    Goodbye = "shutdown" (Option<Json>);
}

impl Script {
    /// Serves the host on stdin and stdout until it says goodbye or goes away. This is the whole
    /// `main` of a script. Has to be called outside of any tokio runtime; inside one there is
    /// [`serve_on`](Script::serve_on).
    pub fn serve(self) -> ExitCode {
        match process::serve_stdio(|io| self.serve_on(io)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => process::tell(&format!("{problem}\n"), ExitCode::FAILURE),
        }
    }

    /// Serves a host on any [`Io`] until it says goodbye or goes away. Within a tokio runtime.
    ///
    /// # Errors
    /// What the host sent is no stream of messages, or input or output failed.
    pub async fn serve_on(self, io: Io) -> Result<(), CloseReason> {
        let ended = Arc::new(Notify::new());
        let router = Arc::new(self.router(ended.clone()));
        let dialect = Protocol::Denobridge.dialect();
        let connection = Connection::start_with(io, dialect, router, Options::default());
        let reason = tokio::select! {
            reason = connection.closed() => reason,
            () = ended.notified() => connection.close_within(GOODBYE_LIMIT).await,
        };
        match reason {
            CloseReason::PeerClosed | CloseReason::ClosedHere => Ok(()),
            _ => Err(reason),
        }
    }

    fn router(mut self, ended: Arc<Notify>) -> Router<Arc<Notify>> {
        let health = Health {
            ok: true,
            max_in_flight: self.max_in_flight,
        };
        let mut router = Router::new(ended)
            .on_raw("health", move |_, _| {
                let health = Payload::encode(Format::Json, &health);
                async { health.map_err(|error| RpcError::internal(error.to_string())) }
            })
            .on_raw(Goodbye::NAME, |context, _| async move {
                context.state.notify_one();
                Ok(Payload::new(Format::Json, &b"{}"[..]))
            })
            .on_event(Goodbye, |context, _| context.state.notify_one());
        if !self.functions.is_empty() {
            self.handlers
                .insert(CallFunction::NAME, functions(self.functions));
        }
        if let Some(look) = self.data_source {
            let read = self.handlers.remove(Read::NAME);
            self.handlers.insert(Read::NAME, either(read, look));
        }
        for (name, handle) in self.handlers {
            router = router.on_raw(name, move |context, params| handle(context.peer, params));
        }
        router
    }
}

/// `read` for a script that has a data source, and perhaps a resource: only a resource has an id.
fn either(read: Option<Handler>, look: Handler) -> Handler {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Subject {
        id: Option<IgnoredAny>,
    }
    Box::new(move |peer, params| {
        // Params that are no object are for the data source to refuse.
        let subject = params.as_ref().and_then(|params| params.decode().ok());
        let Subject { id } = subject.unwrap_or_default();
        match (id, &read) {
            (None, _) => look(peer, params),
            (Some(_), Some(read)) => read(peer, params),
            (Some(_), None) => {
                let error = RpcError::method_not_found(Read::NAME, peer.format());
                Box::pin(std::future::ready(Err(error)))
            }
        }
    })
}
