//! Timers that are reused. Most calls are answered long before their time is up, and setting a
//! timer up and taking it down costs a tenth of such a call; moving one on costs next to nothing.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_rpc::CallError;
use tokio::time::{Instant, Sleep};

/// How many timers are kept. Further calls at the same time make their own.
const SPARE: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Timers(Mutex<Vec<Pin<Box<Sleep>>>>);

impl Timers {
    fn spare(&self) -> MutexGuard<'_, Vec<Pin<Box<Sleep>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a call at most for `limit`, if there is one. Then the call is dropped, which cancels it.
    pub(super) async fn within<T>(
        &self,
        limit: Option<Duration>,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let Some(limit) = limit else {
            return call.await;
        };
        let Some(end) = Instant::now().checked_add(limit) else {
            return call.await;
        };
        let spare = self.spare().pop();
        let mut timer = match spare {
            Some(mut timer) => {
                timer.as_mut().reset(end);
                timer
            }
            None => Box::pin(tokio::time::sleep_until(end)),
        };
        let outcome = tokio::select! {
            biased;
            outcome = call => outcome,
            () = timer.as_mut() => return Err(CallError::TimedOut(limit)),
        };
        let mut spare = self.spare();
        if spare.len() < SPARE {
            spare.push(timer);
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn after(pause: Duration) -> Result<Duration, CallError> {
        tokio::time::sleep(pause).await;
        Ok(pause)
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_is_used_again_has_the_new_time() {
        let timers = Timers::default();
        let within = async |limit, pause| {
            let limit = Some(Duration::from_secs(limit));
            let started = Instant::now();
            let outcome = timers
                .within(limit, after(Duration::from_secs(pause)))
                .await;
            (outcome.is_ok(), started.elapsed().as_secs())
        };
        // Later than before, earlier than before, and after one that has run out.
        for (limit, pause) in [(30, 1), (60, 2), (5, 3), (5, 9), (100, 50), (2, 3), (9, 8)] {
            let expected = (pause < limit, pause.min(limit));
            assert_eq!(within(limit, pause).await, expected, "{limit} {pause}");
        }
        assert_eq!(timers.spare().len(), 1);
        assert!(
            timers
                .within(None, after(Duration::from_secs(99)))
                .await
                .is_ok()
        );
        let forever = timers.within(Some(Duration::MAX), after(Duration::from_secs(99)));
        assert!(forever.await.is_ok());
    }
}
