//! Pauses between failed attempts.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The pauses between attempts: each is twice as long as the one before, up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The first pause.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
}

impl Backoff {
    /// The pause before an attempt; the first attempt is number 1.
    pub fn pause(&self, attempt: u32) -> Duration {
        // More would overflow; the limit is reached long before.
        let doubled = 1_u32 << attempt.saturating_sub(1).min(20);
        self.first.saturating_mul(doubled).min(self.longest)
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
        let backoff = Backoff {
            first: Duration::from_millis(100),
            longest: Duration::from_secs(1),
        };
        for (attempt, expected) in [(1, 100), (2, 200), (4, 800), (5, 1000), (4000, 1000)] {
            assert_eq!(backoff.pause(attempt).as_millis(), expected);
            let jittered = backoff.jittered(attempt).as_millis();
            assert!(
                (expected * 3 / 4..=expected).contains(&jittered),
                "{jittered}"
            );
        }
    }
}
