//! Calls that are made again: the column "Retry" of the message specification.

use std::time::Duration;

use serde_json::Value;
use tenon_protocols::acp::{Entry, Failure};
use tenon_rpc::CallError;

/// The first pause, if the client does not say how long it should be. Each is twice as long as the one before.
const FIRST: Duration = Duration::from_millis(100);
/// The longest pause. A turn in which nothing happens for minutes is cancelled by guards.
const LONGEST: Duration = Duration::from_secs(10);
/// The time of all pauses together.
const TOGETHER: Duration = Duration::from_secs(120);
/// How often a call is made again that was not answered in time.
const TIMEOUTS: u32 = 2;

/// Whether a call is made again, and when. Only a call that changes nothing is repeated after a timeout; one that was refused
/// because of its rate was not carried out, whatever it does.
#[derive(Debug)]
pub(super) struct Retries {
    is_retried: bool,
    is_read: bool,
    pause: Duration,
    left: Duration,
    timeouts: u32,
}

impl Retries {
    pub(super) fn of(entry: Option<&Entry>) -> Retries {
        Retries {
            is_retried: entry.is_some_and(|entry| entry.is_retried),
            is_read: entry.is_some_and(|entry| entry.name == "fs/read_text_file"),
            pause: FIRST,
            left: TOGETHER,
            timeouts: TIMEOUTS,
        }
    }

    /// How long to wait before the call is made again; nothing if it has failed for good.
    pub(super) fn pause(&mut self, error: &CallError) -> Option<Duration> {
        if !self.is_retried {
            return None;
        }
        let asked = match error {
            CallError::TimedOut(_) => None,
            CallError::Answered(answer) => match Failure::of(answer, true)? {
                Failure::Timeout => None,
                Failure::RateLimited => {
                    let data: Option<Value> =
                        answer.data.as_ref().and_then(|data| data.decode().ok());
                    let wait = data.and_then(|data| data["retryAfterMs"].as_u64());
                    Some(wait.map_or(Duration::ZERO, Duration::from_millis))
                }
                _ => return None,
            },
            _ => return None,
        };
        if asked.is_none() {
            self.timeouts = { self.is_read }.then_some(self.timeouts)?.checked_sub(1)?;
        }
        let pause = self.pause.max(asked.unwrap_or_default());
        self.pause = (self.pause * 2).min(LONGEST);
        self.left = self.left.checked_sub(pause)?;
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_protocols::acp::{Profile, method};

    use super::*;

    fn refused(data: Value) -> CallError {
        CallError::Answered(Failure::RateLimited.error(Profile::V1, data))
    }

    #[test]
    fn a_pause_is_as_long_as_the_client_says_and_all_have_an_end() {
        let mut retries = Retries::of(method("fs/write_text_file"));
        let said = refused(json!({ "retryAfterMs": 700 }));
        assert_eq!(retries.pause(&said), Some(Duration::from_millis(700)));
        let unsaid = refused(json!({}));
        assert_eq!(retries.pause(&unsaid), Some(FIRST * 2));
        let pauses = std::iter::from_fn(|| retries.pause(&unsaid));
        let together: Duration = pauses.sum();
        assert!(together < TOGETHER, "{together:?}");
        let forever = refused(json!({ "retryAfterMs": u64::MAX }));
        let mut retries = Retries::of(method("fs/read_text_file"));
        assert_eq!(retries.pause(&forever), None);
    }

    #[test]
    fn only_reading_is_repeated_after_a_timeout() {
        let late = CallError::Answered(Failure::Timeout.error(Profile::V1, Value::Null));
        let own = CallError::TimedOut(Duration::from_secs(30));
        for (name, expected) in [
            ("fs/read_text_file", 2),
            ("fs/write_text_file", 0),
            ("terminal/create", 0),
            ("session/request_permission", 0),
        ] {
            for error in [&late, &own] {
                let mut retries = Retries::of(method(name));
                let pauses = std::iter::from_fn(|| retries.pause(error));
                assert_eq!(pauses.count(), expected, "{name}");
            }
        }
        let other = CallError::Answered(Failure::FileNotFound.error(Profile::V1, Value::Null));
        assert_eq!(Retries::of(method("fs/read_text_file")).pause(&other), None);
    }
}
