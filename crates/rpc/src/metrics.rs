//! Where a program counts: how long calls take, and how much waits.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::message::Text;
use crate::tap::Direction;

/// Told about calls and queues of a connection: [`Options::metrics`](crate::Options::metrics).
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
    /// A call is over: one of the peer's, or one of ours.
    fn call_finished(&self, _call: &FinishedCall<'_>) {}

    /// How much waits, each time the connection has done what it can for now, and once more with
    /// zeros when it ends.
    fn depths(&self, _depths: &Depths) {}
}

/// A call that is over.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FinishedCall<'a> {
    /// The name of the method, as it was sent: for a call of the peer's this can be any text, so a
    /// program that keeps a counter for each name has to bound their number.
    pub method: &'a str,
    /// [`In`](Direction::In) for a call of the peer's, [`Out`](Direction::Out) for one of ours.
    pub direction: Direction,
    /// From reading the request to queueing its answer, or from queueing the request to the answer.
    pub duration: Duration,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It was answered with a result.
    Ok,
    /// It was answered with an error.
    Error,
    /// It was cancelled or given up before it was answered.
    Dropped,
    /// The connection ended first, or the answer could not be used.
    Lost,
}

/// How much waits in a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Depths {
    /// Frames that are queued or being written.
    pub queued_frames: usize,
    /// Their bytes.
    pub queued_bytes: usize,
    /// Handlers at work that were not done at once.
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
    /// `None` where nobody measures.
    pub(crate) fn start(
        metrics: &Option<Arc<dyn Metrics>>,
        direction: Direction,
        method: &Text,
    ) -> Option<Timer> {
        let metrics = metrics.clone()?;
        Some(Timer(Box::new(Started {
            metrics,
            direction,
            method: method.clone(),
            at: Instant::now(),
            outcome: Outcome::Dropped,
        })))
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
