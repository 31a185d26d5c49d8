//! The time limit and the retries of an action.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenon_hcl::{Diagnostic, Expression, parse_duration};
use tenon_rpc::Backoff;
use tenon_values::{Type, Value, convert};

use crate::planning::evaluation::{Evaluation, Here};
use crate::reading::model::{Action, Retry};

/// The values of an action's `timeout`, `retry` and `idempotent`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) timeout: Option<Duration>,
    pub(crate) attempts: u32,
    pub(crate) delay: Duration,
    pub(crate) backoff: f64,
    pub(crate) max_delay: Duration,
    /// Only errors with these codes are worth another try.
    pub(crate) on: Option<Vec<String>>,
    /// Running it again changes nothing more, so it may be repeated when its outcome is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) idempotent: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            timeout: None,
            attempts: 1,
            delay: Duration::from_secs(1),
            backoff: 2.0,
            max_delay: Duration::from_secs(60),
            on: None,
            idempotent: false,
        }
    }
}

impl Settings {
    pub(crate) fn is_default(&self) -> bool {
        *self == Settings::default()
    }

    /// Those of an action. What is not known yet has its default.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub(crate) fn of(
        action: &Action,
        evaluation: &Evaluation<'_>,
        here: Here<'_>,
    ) -> Result<Settings, Vec<Diagnostic>> {
        let mut reader = Reader {
            evaluation,
            here,
            problems: Vec::new(),
        };
        let mut settings = Settings::default();
        if let Some(timeout) = &action.timeout {
            settings.timeout = reader.duration(timeout);
        }
        if let Some(retry) = &action.retry {
            reader.retry(retry, &mut settings);
        }
        if let Some(idempotent) = &action.idempotent {
            let value = reader.value(idempotent, &Type::Bool);
            settings.idempotent = value.and_then(|value| value.as_bool()).unwrap_or_default();
        }
        match reader.problems.is_empty() {
            true => Ok(settings),
            false => Err(reader.problems),
        }
    }

    /// How long to wait after `failed` failed attempts.
    pub(crate) fn delay_after(&self, failed: u32) -> Duration {
        let backoff = Backoff {
            first: self.delay,
            factor: self.backoff,
            longest: self.max_delay,
        };
        backoff.pause(failed)
    }
}

struct Reader<'a, 'g> {
    evaluation: &'a Evaluation<'g>,
    here: Here<'a>,
    problems: Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn retry(&mut self, retry: &Retry, settings: &mut Settings) {
        const ATTEMPTS: std::ops::RangeInclusive<f64> = 1.0..=1000.0;
        const BACKOFF: std::ops::RangeInclusive<f64> = 1.0..=100.0;
        match self.number(&retry.attempts, ATTEMPTS, "`attempts`") {
            Some(attempts) if attempts.fract() == 0.0 => settings.attempts = attempts as u32,
            Some(_) => {
                let diagnostic = Diagnostic::error("`attempts` must be a whole number")
                    .at(retry.attempts.place());
                self.problems.push(diagnostic);
            }
            None => {}
        }
        if let Some(backoff) = &retry.backoff
            && let Some(backoff) = self.number(backoff, BACKOFF, "`backoff`")
        {
            settings.backoff = backoff;
        }
        if let Some(delay) = retry.delay.as_ref().and_then(|delay| self.duration(delay)) {
            settings.delay = delay;
        }
        if let Some(delay) = retry
            .max_delay
            .as_ref()
            .and_then(|delay| self.duration(delay))
        {
            settings.max_delay = delay;
        }
        if let Some(on) = &retry.on {
            let codes = self.value(on, &Type::list(Type::String));
            let codes = codes.as_ref().and_then(Value::elements);
            settings.on = codes.map(|codes| {
                let code = |code: &Value| code.as_str().map(str::to_owned);
                codes.iter().filter_map(code).collect()
            });
        }
    }

    /// A known value of a type, without its marks: the settings of an action are not treated as secrets.
    fn value(&mut self, expression: &Expression, ty: &Type) -> Option<Value> {
        match self.evaluation.value_as(ty, expression, self.here) {
            Ok(value) => {
                let (value, _) = value.unmark_deep();
                (value.is_wholly_known() && !value.is_null()).then_some(value)
            }
            Err(errors) => {
                self.problems.extend(errors);
                None
            }
        }
    }

    fn number(
        &mut self,
        expression: &Expression,
        range: std::ops::RangeInclusive<f64>,
        what: &str,
    ) -> Option<f64> {
        let value = self.value(expression, &Type::Number)?;
        let number = value.as_number()?.to_f64();
        if range.contains(&number) {
            return Some(number);
        }
        let (least, most) = (range.start(), range.end());
        let diagnostic = Diagnostic::error(format!("{what} must be between {least} and {most}"))
            .at(expression.place());
        self.problems.push(diagnostic);
        None
    }

    fn duration(&mut self, expression: &Expression) -> Option<Duration> {
        let value = self.value(expression, &Type::Dynamic)?;
        let duration = match value.ty() {
            Type::Number => value
                .as_number()
                .and_then(|seconds| Duration::try_from_secs_f64(seconds.to_f64()).ok()),
            _ => convert::convert(&value, &Type::String)
                .ok()
                .and_then(|text| parse_duration(text.as_str()?.trim())),
        };
        if duration.is_none() {
            let diagnostic = Diagnostic::error("this is not a duration")
                .at(expression.place())
                .help("write a number of seconds, or \"90s\", \"1m30s\", \"500ms\"");
            self.problems.push(diagnostic);
        }
        duration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let cases = [
            ("90s", Some(90_000)),
            ("1m30s", Some(90_000)),
            ("500ms", Some(500)),
            ("1.5h", Some(5_400_000)),
            ("0s", Some(0)),
            ("", None),
            ("5", None),
            ("s", None),
            ("5 s", None),
            ("1d", None),
            ("-1s", None),
            ("1e99h", None),
            ("99999999999999999999h", None),
        ];
        for (text, milliseconds) in cases {
            let expected = milliseconds.map(Duration::from_millis);
            assert_eq!(parse_duration(text), expected, "{text}");
        }
    }

    #[test]
    fn waits_longer_each_time_up_to_a_limit() {
        let settings = Settings {
            delay: Duration::from_millis(100),
            max_delay: Duration::from_millis(350),
            ..Settings::default()
        };
        let delays = [1, 2, 3, 1000].map(|failed| settings.delay_after(failed).as_millis());
        assert_eq!(delays, [100, 200, 350, 350]);
    }
}
