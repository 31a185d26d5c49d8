//! Attributes that have the right type, but not a right value.

use std::fmt::Display;
use std::time::Duration;

use tenon_plugin::{Code, Failure};

/// What is wrong with an attribute.
pub(crate) fn wrong(name: &str, problem: impl Display) -> Failure {
    Failure::new(format!("{name}: {problem}")).with_code(Code::ValidationFailed)
}

/// A time of more than nothing, given in seconds, which may have a fraction.
pub(crate) fn seconds(name: &str, seconds: f64) -> Result<Duration, Failure> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(wrong(
            name,
            format!("{seconds} is not a number of seconds above 0"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_fine_and_nothing_is_not() {
        assert_eq!(seconds("x", 0.25).unwrap(), Duration::from_millis(250));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let error = format!("{:?}", seconds("timeout_seconds", wrong).unwrap_err());
            assert!(error.starts_with("timeout_seconds: "), "{error}");
        }
    }
}
