//! Times, written without a library: a calendar is needed for nothing else.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A time in UTC as RFC 3339 has it, rounded down to whole seconds, or to as many decimals as the precision of the
/// format says, at most nine. Times before 1970 and after 9999 become the nearest time within.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let time = tenon_text::Utc(UNIX_EPOCH + Duration::from_micros(1_500_000));
/// assert_eq!(time.to_string(), "1970-01-01T00:00:01Z");
/// assert_eq!(format!("{time:.3}"), "1970-01-01T00:00:01.500Z");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Utc(pub SystemTime);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: u64 = 24 * 60 * 60;
        const LATEST: u64 = 253_402_300_799;
        let since = self.0.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = since.as_secs().min(LATEST);
        let (year, month, day) = date(seconds / DAY);
        let second = seconds % DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        if let Some(digits) = f.precision().filter(|digits| *digits > 0) {
            let nanoseconds = format!("{:09}", since.subsec_nanos());
            write!(f, ".{}", &nanoseconds[..digits.min(9)])?;
        }
        f.write_str("Z")
    }
}

/// The year, month and day that is `days` days after 1 January 1970.
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
    use std::time::Duration;

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
    fn times_are_written_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (u64::MAX / 4, "9999-12-31T23:59:59Z"),
        ] {
            // Not every system has times that late.
            if let Some(time) = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) {
                assert_eq!(Utc(time).to_string(), text);
            }
        }
        let before = UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(Utc(before).to_string(), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn the_precision_is_the_number_of_decimals() {
        let time = Utc(UNIX_EPOCH + Duration::new(1_767_225_599, 42_999));
        assert_eq!(format!("{time}"), "2025-12-31T23:59:59Z");
        assert_eq!(format!("{time:.0}"), "2025-12-31T23:59:59Z");
        assert_eq!(format!("{time:.6}"), "2025-12-31T23:59:59.000042Z");
        assert_eq!(format!("{time:.20}"), "2025-12-31T23:59:59.000042999Z");
    }
}
