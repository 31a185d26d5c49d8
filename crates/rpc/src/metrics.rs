//! Metrics: how long calls take, and how much is queued.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::message::Text;
use crate::tap::Direction;

/// Receives measurements of the calls and queues of a connection: [`Options::metrics`](crate::Options::metrics).
///
/// Both functions are called while the connection works and must not block. One value may serve
/// many connections; to tell them apart, give each its own. A connection without metrics reads no
/// clock and allocates nothing for them.
///
/// ```
/// # use std::sync::Arc;
/// use tenon_rpc::{Options, metrics::{FinishedCall, Metrics}};
/// struct Slow;
/// impl Metrics for Slow {
///     fn call_finished(&self, call: &FinishedCall<'_>) {
///         if call.duration.as_secs() > 1 {
///             tracing::info!(method = call.method, outcome = ?call.outcome, "a slow call");
///         }
///     }
/// }
/// let options = Options { metrics: Some(Arc::new(Slow)), ..Options::default() };
/// ```
pub trait Metrics: Send + Sync + 'static {
    /// A call has finished: one from the peer, or one of ours.
    fn call_finished(&self, _call: &FinishedCall<'_>) {}

    /// How much is queued. Called each time the connection becomes idle, and once with zeros when it
    /// ends.
    fn depths(&self, _depths: &Depths) {}
}

/// A call that has finished.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FinishedCall<'a> {
    /// The name of the method, as it was sent: for a call of the peer's this can be any text, so a
    /// program that keeps a counter for each name has to bound their number.
    pub method: &'a str,
    /// [`In`](Direction::In) for a call from the peer, [`Out`](Direction::Out) for one of ours.
    pub direction: Direction,
    /// From reading the request to queueing its answer, or from queueing the request to the answer.
    pub duration: Duration,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It was answered with a result.
    Ok,
    /// It was answered with an error.
    Error,
    /// It was cancelled or dropped before it was answered.
    Dropped,
    /// The connection ended first, or the answer could not be used.
    Lost,
}

/// How much is queued in a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Depths {
    /// Frames that are queued or being written.
    pub queued_frames: usize,
    /// Their bytes.
    pub queued_bytes: usize,
    /// Running handlers. Those that complete immediately are not counted.
    pub running: usize,
    /// Requests and events that wait because too many requests are being handled.
    pub waiting: usize,
    /// Calls of ours that wait for an answer.
    pub pending: usize,
}

/// Measures one call. Dropped without being finished, it reports the call as dropped.
pub(crate) struct Timer(Box<Started>);

struct Started {
    metrics: Arc<dyn Metrics>,
    direction: Direction,
    method: Text,
    at: Instant,
    outcome: Outcome,
}

impl Timer {
    /// `None` without metrics.
    #[inline]
    pub(crate) fn start(
        metrics: &Option<Arc<dyn Metrics>>,
        direction: Direction,
        method: &Text,
    ) -> Option<Timer> {
        let metrics = metrics.as_ref()?;
        Some(Timer::started(metrics.clone(), direction, method.clone()))
    }

    #[cold]
    fn started(metrics: Arc<dyn Metrics>, direction: Direction, method: Text) -> Timer {
        Timer(Box::new(Started {
            metrics,
            direction,
            method,
            at: Instant::now(),
            outcome: Outcome::Dropped,
        }))
    }

    pub(crate) fn finish(mut self, outcome: Outcome) {
        self.0.outcome = outcome;
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let started = &self.0;
        started.metrics.call_finished(&FinishedCall {
            method: &started.method,
            direction: started.direction,
            duration: started.at.elapsed(),
            outcome: started.outcome,
        });
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timer({:?})", self.0.method)
    }
}
