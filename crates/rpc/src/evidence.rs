//! What errors quote of a peer that did not keep to the protocol.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::error::{Quote, Redact, RpcError};
use crate::message::{Id, Text};

/// What a peer sent that errors quote, without secrets.
#[derive(Default)]
pub(crate) struct Evidence {
    redact: Option<Redact>,
    stray: Mutex<Option<Quote>>,
    unclaimed: OnceLock<Text>,
    complaint: Mutex<Option<Box<RpcError>>>,
    /// Whether there is a complaint, so that a frame that comes after none takes no lock.
    has_complaint: AtomicBool,
}

impl Evidence {
    pub(crate) fn new(redact: Option<Redact>) -> Evidence {
        Evidence {
            redact,
            ..Evidence::default()
        }
    }

    /// Whether there are secrets to be masked.
    pub(crate) fn is_private(&self) -> bool {
        self.redact.is_some()
    }

    /// The beginning of what the peer sent, without secrets.
    pub(crate) fn quote(&self, bytes: &[u8]) -> Quote {
        self.redacted(Quote::of(bytes))
    }

    pub(crate) fn redacted(&self, quote: Quote) -> Quote {
        match &self.redact {
            Some(redact) => quote.redacted(redact),
            None => quote,
        }
    }

    fn stray_lock(&self) -> MutexGuard<'_, Option<Quote>> {
        self.stray.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the first thing the peer sent that is not a message.
    pub(crate) fn keep_stray(&self, quote: Quote) {
        self.stray_lock().get_or_insert(quote);
    }

    pub(crate) fn stray(&self) -> Option<Quote> {
        self.stray_lock().clone()
    }

    pub(crate) fn forget_stray(&self) {
        *self.stray_lock() = None;
    }

    /// Keeps the first answer that belonged to no call.
    pub(crate) fn keep_unclaimed(&self, id: &Id, error: Option<String>) {
        /// Longer than any text for people.
        const LENGTH: usize = 300;
        let mut error = error.map_or(String::new(), |error| format!(": {error}"));
        if let Some(redact) = &self.redact {
            error = String::from_utf8_lossy(&redact(error.as_bytes(), false)).into_owned();
        }
        match id {
            // The peer could not read a message, and does not say which. If it was a call, its
            // caller waits in vain.
            Id::Null => tracing::warn!(?error, "the peer sent an error without the id of a call"),
            id => tracing::debug!(%id, ?error, "no call waits for this answer"),
        }
        let text = format!("an answer with the id {id}{error}");
        let text: String = text.chars().take(LENGTH).collect();
        let _keeps_the_first = self.unclaimed.set(text.into());
    }

    pub(crate) fn unclaimed(&self) -> Option<&str> {
        self.unclaimed.get().map(Text::as_str)
    }

    fn complaint_lock(&self) -> MutexGuard<'_, Option<Box<RpcError>>> {
        let complaint = self.complaint.lock();
        complaint.unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an error that is about no call in particular, until the peer says something else.
    pub(crate) fn keep_complaint(&self, error: Box<RpcError>) {
        *self.complaint_lock() = Some(error);
        self.has_complaint.store(true, Ordering::Relaxed);
    }

    /// The peer has sent another frame, so the complaint is no longer the last one.
    #[inline]
    pub(crate) fn next_frame(&self) {
        if self.has_complaint.load(Ordering::Relaxed) {
            self.has_complaint.store(false, Ordering::Relaxed);
            *self.complaint_lock() = None;
        }
    }

    pub(crate) fn complaint(&self) -> Option<RpcError> {
        self.complaint_lock().as_deref().cloned()
    }
}
