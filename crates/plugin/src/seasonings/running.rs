//! Calls that run, and their cancellation.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_protocols::seasonings::CANCELLED;
use tenon_rpc::{Id, Payload, Reply, RpcError, options::Cancel};
use tokio::sync::Notify;

const CANCEL: Cancel = Cancel {
    method: "$/cancel",
    field: "id",
};

/// The calls that the host may cancel: those that change nothing. The others run to their end,
/// because what a call has created by then would be forgotten if it were not answered.
#[derive(Default)]
pub(super) struct Running(Mutex<HashMap<Id, Arc<Notify>>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call. If it is cancelled, its work is dropped.
    pub(super) async fn run(
        &self,
        method: &str,
        id: Id,
        work: impl Future<Output = Reply>,
    ) -> Reply {
        if !may_be_cancelled(method) {
            return work.await;
        }
        let cancelled = Arc::new(Notify::new());
        self.lock().insert(id.clone(), cancelled.clone());
        let _entry = Entry { running: self, id };
        tokio::select! {
            biased;
            reply = work => reply,
            () = cancelled.notified() => Err(RpcError::new(CANCELLED, "the call was cancelled")),
        }
    }

    /// The host cancels a call. One that is no longer there has been answered.
    pub(super) fn cancel(&self, params: Option<&Payload>) {
        let id = params.and_then(|params| CANCEL.id(params));
        if let Some(cancelled) = id.and_then(|id| self.lock().get(&id).cloned()) {
            cancelled.notify_one();
        }
    }
}

/// A call that is removed when it ends in any way.
struct Entry<'a> {
    running: &'a Running,
    id: Id,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.running.lock().remove(&self.id);
    }
}

fn may_be_cancelled(method: &str) -> bool {
    matches!(
        method,
        "functions/call"
            | "resources/validate"
            | "resources/planChange"
            | "resources/read"
            | "resources/import"
            | "resources/upgrade"
            | "resources/readData"
            | "storage/read"
            | "storage/list"
    ) || method.starts_with("middleware/")
}
