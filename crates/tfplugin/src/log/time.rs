//! The time of a line, written without a library: a calendar is loaded for nothing else here.

use std::fmt::{self, Display};
use std::time::{SystemTime, UNIX_EPOCH};

/// A moment in UTC, to the microsecond.
pub(super) struct Timestamp {
    seconds: u64,
    microseconds: u32,
}

/// This moment.
pub(super) fn now() -> Timestamp {
    // A clock that stands before 1970 is wrong, and a wrong time in a log does no harm.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp {
        seconds: since.as_secs(),
        microseconds: since.subsec_micros(),
    }
}

impl Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: u64 = 24 * 60 * 60;
        let (year, month, day) = date(self.seconds / DAY);
        let second = self.seconds % DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}Z",
            self.microseconds
        )
    }
}

/// Year, month and day of the day that is so many days after 1 January 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Years begin with March here, so that the day that is sometimes missing is the last one, and
    // are counted in periods of 400, after which the calendar repeats itself.
    const DAYS_FROM_MARCH_OF_YEAR_0: u64 = 719_468;
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let days = days + DAYS_FROM_MARCH_OF_YEAR_0;
    let period = days / DAYS_OF_400_YEARS;
    let day = days % DAYS_OF_400_YEARS;
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days, and so have the next five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (period * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), (1970, 1, 1));
        assert_eq!(date(59), (1970, 3, 1));
        assert_eq!(date(11_016), (2000, 2, 29));
        assert_eq!(date(11_017), (2000, 3, 1));
        assert_eq!(date(20_454), (2026, 1, 1));
        assert_eq!(date(47_540), (2100, 2, 28));
        assert_eq!(date(47_541), (2100, 3, 1));
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = date(0);
        for days in 1..200_000 {
            let (year, month, day) = date(days);
            let is_next = match day {
                1 if month == 1 => before == (year - 1, 12, 31),
                1 => before.0 == year && before.1 == month - 1 && before.2 >= 28,
                _ => before == (year, month, day - 1),
            };
            assert!(is_next, "{before:?} before {:?}", (year, month, day));
            before = (year, month, day);
        }
    }

    #[test]
    fn a_moment_is_written_to_the_microsecond() {
        let moment = Timestamp {
            seconds: 1_767_225_599,
            microseconds: 42,
        };
        assert_eq!(moment.to_string(), "2025-12-31T23:59:59.000042Z");
    }
}
