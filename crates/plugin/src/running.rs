//! Calls that run, and their cancellation, in the protocols in which not every call may be cancelled.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::{ErrorCode, Id, Payload, Reply, RpcError, options::Cancel};
use tokio::sync::Notify;

/// The calls that the host may cancel: those that change nothing. The others run to their end,
/// because what a call has created by then would be forgotten if it were not answered.
pub(crate) struct Running {
    cancel: Cancel,
    may_be_cancelled: fn(&str) -> bool,
    calls: Mutex<HashMap<Id, Arc<Notify>>>,
}

impl Running {
    /// `cancel` is the event of the protocol, and `may_be_cancelled` knows its methods.
    pub(crate) fn new(cancel: Cancel, may_be_cancelled: fn(&str) -> bool) -> Running {
        Running {
            cancel,
            may_be_cancelled,
            calls: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Arc<Notify>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call. If it is cancelled, its work is dropped.
    pub(crate) async fn run(
        &self,
        method: &str,
        id: Id,
        work: impl Future<Output = Reply>,
    ) -> Reply {
        if !(self.may_be_cancelled)(method) {
            return work.await;
        }
        let cancelled = Arc::new(Notify::new());
        self.lock().insert(id.clone(), cancelled.clone());
        let _entry = Entry { running: self, id };
        tokio::select! {
            biased;
            reply = work => reply,
            () = cancelled.notified() => Err(RpcError::new(ErrorCode::CANCELLED, "the call was cancelled")),
        }
    }

    /// What to do with an event that may cancel a call. A call that is no longer there has been answered.
    pub(crate) fn hear(&self, event: &str, params: Option<&Payload>) {
        if event != self.cancel.method {
            return;
        }
        let id = params.and_then(|params| self.cancel.id(params));
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
