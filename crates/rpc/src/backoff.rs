//! Pauses between failed attempts.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The pauses between attempts: each is twice as long as the one before, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// By how much each pause is longer than the one before; at least 1.
    pub factor: f64,
    /// The longest pause.
    pub longest: Duration,
}

impl Backoff {
    /// Pauses that double.
    pub const fn doubling(first: Duration, longest: Duration) -> Backoff {
        Backoff {
            first,
            factor: 2.0,
            longest,
        }
    }

    /// The pause before an attempt; the first attempt is number 1.
    pub fn pause(&self, attempt: u32) -> Duration {
        let exponent = attempt.saturating_sub(1).min(1000) as i32;
        let seconds = self.first.as_secs_f64() * self.factor.powi(exponent);
        if self.first.is_zero() {
            return self.first;
        }
        // Fails if it is more than there is; the limit is reached long before.
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(self.longest)
            .min(self.longest)
    }

    /// The same, up to a quarter shorter at random, so that many clients do not reconnect at the same
    /// moment.
    pub fn jittered(&self, attempt: u32) -> Duration {
        let pause = self.pause(attempt);
        let random = RandomState::new().build_hasher().finish() % 256;
        pause - pause.mul_f64(random as f64 / 1024.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let backoff = Backoff::doubling(Duration::from_millis(100), Duration::from_secs(1));
        for (attempt, expected) in [(1, 100), (2, 200), (4, 800), (5, 1000), (4000, 1000)] {
            assert_eq!(backoff.pause(attempt).as_millis(), expected);
            let jittered = backoff.jittered(attempt).as_millis();
            assert!(
                (expected * 3 / 4..=expected).contains(&jittered),
                "{jittered}"
            );
        }
    }

    #[test]
    fn pauses_grow_by_the_factor() {
        let mut backoff = Backoff::doubling(Duration::from_millis(100), Duration::from_secs(1));
        for (factor, expected) in [
            (1.0, [100; 3]),
            (1.5, [100, 150, 225]),
            (3.0, [100, 300, 900]),
        ] {
            backoff.factor = factor;
            assert_eq!(
                [1, 2, 3].map(|one| backoff.pause(one).as_millis()),
                expected
            );
        }
        backoff.factor = 100.0;
        assert_eq!(backoff.pause(u32::MAX), backoff.longest);
        backoff.first = Duration::ZERO;
        assert_eq!(backoff.pause(u32::MAX), Duration::ZERO);
    }
}
