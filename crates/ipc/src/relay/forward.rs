//! From the clients to the plugin, and from the plugin to the clients.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_host::{Down, Status};
use tenon_rpc::{
    Call, CallError, CloseReason, ErrorCode, Event, EventKind, Format, Payload, Peer, Prepared,
    Reply, Router, RpcError, within,
};

use super::{EventsTo, Hub};
use crate::lane::Offered;
use crate::progress::{Progress, ProgressParams};
use crate::session::{FromClient, Session};

/// What clients ask and tell goes to the plugin.
pub(super) fn to_plugin(hub: Arc<Hub>) -> Router<()> {
    let events = hub.clone();
    Router::new(())
        .fallback(move |call, ()| {
            let hub = hub.clone();
            async move { hub.ask_plugin(call).await }
        })
        .event_fallback(move |_, event| events.tell_plugin(event))
}

/// What the plugin asks and tells goes to clients.
pub(super) fn to_clients(hub: Arc<Hub>) -> Router<()> {
    let events = hub.clone();
    Router::new(())
        .fallback(move |call, ()| {
            let hub = hub.clone();
            async move { hub.ask_client(call).await }
        })
        .event_fallback(move |_, event| events.tell_clients(event))
}

impl Hub {
    async fn ask_plugin(&self, call: Call) -> Reply {
        let session = call.session();
        let _running = self.callers.enter(session.clone(), call.params.as_ref());
        let plugin = self.plugin().await?;
        // What was told before the question comes before it.
        self.lane.passed().await;
        let params = translate(call.params, plugin.format())?;
        let asking = within(self.timeout, plugin.call_raw(call.method, params));
        let outcome = asking.await;
        // And what the plugin told before it answered comes before the answer.
        session.caught_up().await;
        match outcome {
            Ok(result) => answer(result, call.peer.format()),
            Err(CallError::Closed(reason)) => Err(self.told_why(&plugin, reason).await),
            Err(error) => Err(refusal(error, call.peer.format())),
        }
    }

    /// The plugin, if it runs or does so soon.
    async fn plugin(&self) -> Result<Peer, RpcError> {
        let Some(mut status) = self.plugin.get().cloned() else {
            return Err(unavailable("the plugin has not been started", None));
        };
        let is_settled = |status: &Status| match status {
            Status::Running(peer) => !peer.is_closed(),
            Status::Ended(_) => true,
            Status::Starting | Status::Waiting { .. } => false,
        };
        let found = tokio::time::timeout(self.patience, status.wait_for(is_settled)).await;
        let found = found.map(|status| status.map(|status| status.clone()));
        match found {
            Ok(Ok(Status::Running(peer))) => Ok(peer),
            Ok(Ok(Status::Ended(down))) => Err(unavailable(
                "the plugin has ended and is not started again",
                Some(&down),
            )),
            Ok(_) => Err(unavailable("the plugin has been stopped", None)),
            Err(_) => {
                let down = match self.plugin.get().map(|status| status.borrow().clone()) {
                    Some(Status::Waiting { down, .. }) => Some(down),
                    _ => None,
                };
                let problem = format!("the plugin did not start within {:?}", self.patience);
                Err(unavailable(&problem, down.as_ref()))
            }
        }
    }

    /// What a caller is told whose call was lost with the plugin.
    async fn told_why(&self, lost: &Peer, reason: CloseReason) -> RpcError {
        /// The process ends a little later than its output, or has to be killed.
        const MOMENT: Duration = Duration::from_secs(2);
        let down = async {
            let mut status = self.plugin.get().cloned()?;
            let is_down = |status: &Status| match status {
                Status::Waiting { .. } | Status::Ended(_) => true,
                Status::Running(peer) => !peer.is_closed(),
                Status::Starting => false,
            };
            match status.wait_for(is_down).await.ok()?.clone() {
                Status::Waiting { down, .. } | Status::Ended(down) => Some(down),
                Status::Running(_) | Status::Starting => None,
            }
        };
        let down = tokio::time::timeout(MOMENT, down).await.ok().flatten();
        tracing::debug!(%reason, ?lost, "a call was lost with its plugin");
        unavailable("the plugin ended before it answered", down.as_ref())
    }

    fn tell_plugin(&self, event: Event) {
        let status = self.plugin.get().map(|status| status.borrow().clone());
        let Some(Status::Running(plugin)) = status else {
            tracing::debug!(method = %event.method, "an event was lost: the plugin does not run");
            return;
        };
        let event = Arc::new(Prepared::new(event.method, event.params));
        if self.lane.offer(&plugin, &event) != Offered::Taken {
            tracing::debug!("an event was lost: the plugin has ended, or cannot be sent it");
        }
    }

    fn tell_clients(&self, event: Event) {
        let Some(clients) = self.clients.get() else {
            return;
        };
        let Ok(params) = translate(event.params, Format::Json) else {
            tracing::warn!(method = %event.method, "an event of the plugin has no form in JSON");
            return;
        };
        let addressed = match self.events {
            _ if event.method == Progress::NAME => self.addressed(params.as_ref()),
            EventsTo::Everyone => Vec::new(),
            EventsTo::Callers => self.callers.all(),
        };
        if addressed.is_empty() {
            clients.broadcast_raw(event.method, params);
            return;
        }
        let event = Arc::new(Prepared::new(event.method, params));
        for session in addressed {
            session.offer(&event);
        }
    }

    /// Whose progress it is.
    fn addressed(&self, params: Option<&Payload>) -> Vec<Session> {
        let progress = params.and_then(|params| params.decode::<ProgressParams>().ok());
        let callers = progress.map(|progress| self.callers.with_token(&progress.token));
        match (callers, self.events) {
            (Some(callers), _) if !callers.is_empty() => callers,
            (_, EventsTo::Callers) => self.callers.all(),
            (_, EventsTo::Everyone) => Vec::new(),
        }
    }

    /// A plugin that has a question asks whoever has waited longest for it.
    async fn ask_client(&self, call: Call) -> Reply {
        let format = call.peer.format();
        let Some(session) = self.callers.first() else {
            return Err(RpcError::method_not_found(&call.method, format));
        };
        let client = session.peer();
        let params = translate(call.params, client.format())?;
        match client.call_raw(call.method, params).await {
            Ok(result) => answer(result, format),
            Err(error) => Err(refusal(error, format)),
        }
    }
}

/// A result in the format of whoever asked.
fn answer(result: Payload, format: Format) -> Reply {
    let answer = result.to_format(format);
    answer.map_err(|error| RpcError::internal(format!("the answer cannot be passed on: {error}")))
}

/// Params in the format of the other side.
fn translate(params: Option<Payload>, format: Format) -> Result<Option<Payload>, RpcError> {
    let params = params.map(|params| params.to_format(format)).transpose();
    params.map_err(|error| {
        RpcError::invalid_params(format!("Invalid params: they cannot be passed on: {error}"))
    })
}

/// Why a call that was passed on has no result.
fn refusal(error: CallError, format: Format) -> RpcError {
    match error {
        CallError::Answered(mut error) => {
            let data = error.data.take();
            error.data = data.and_then(|data| data.to_format(format).ok());
            error
        }
        CallError::Unsendable(error) => RpcError::invalid_params(error.to_string()),
        CallError::TimedOut(limit) => {
            RpcError::internal(format!("the plugin did not answer within {limit:?}"))
        }
        error => RpcError::internal(error.to_string()),
    }
}

/// The error for a call that the plugin is not there to answer. Only how it ended is said: what it
/// wrote to stderr is for whoever runs it.
fn unavailable(problem: &str, down: Option<&Down>) -> RpcError {
    let error = RpcError::new(ErrorCode::Number(crate::PLUGIN_ENDED), problem);
    let why = match down {
        Some(Down::Exited(status)) => status.to_string(),
        // Without what it began with, which may be a secret.
        Some(Down::Lost(CloseReason::BrokenStream(error))) => error.problem.clone(),
        Some(Down::Lost(_)) => "it closed its stdout".to_owned(),
        Some(Down::Failed(_)) => "it could not be started".to_owned(),
        Some(Down::Stopped) => "it was stopped".to_owned(),
        None => return error,
    };
    match Payload::encode(Format::Json, &json!({ "plugin": why })) {
        Ok(data) => error.with_data(data),
        Err(_) => error,
    }
}
