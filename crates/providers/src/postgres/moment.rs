//! Dates and times as PostgreSQL counts them: days and microseconds since 2000-01-01.

use std::fmt::Write;

const MICROSECONDS_A_DAY: i64 = 24 * 60 * 60 * 1_000_000;

/// A date in ISO 8601, `infinity` or `-infinity`. Years before 1 end in ` BC`, as PostgreSQL
/// writes and reads them.
pub(super) fn date(days: i32) -> String {
    match days {
        i32::MAX => "infinity".into(),
        i32::MIN => "-infinity".into(),
        days => {
            let (text, era) = calendar(i64::from(days));
            text + era
        }
    }
}

/// A time of day.
pub(super) fn time(microseconds: i64) -> String {
    let (seconds, fraction) = (microseconds / 1_000_000, microseconds % 1_000_000);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let mut text = format!("{hours:02}:{minutes:02}:{:02}", seconds % 60);
    if fraction != 0 {
        // Writing to a string does not fail.
        let _written = write!(text, ".{fraction:06}");
        text.truncate(text.trim_end_matches('0').len());
    }
    text
}

/// A moment in ISO 8601; `zone` is `Z` for those with a time zone, which come in UTC.
pub(super) fn timestamp(microseconds: i64, zone: &str) -> String {
    match microseconds {
        i64::MAX => "infinity".into(),
        i64::MIN => "-infinity".into(),
        microseconds => {
            let (date, era) = calendar(microseconds.div_euclid(MICROSECONDS_A_DAY));
            let time = time(microseconds.rem_euclid(MICROSECONDS_A_DAY));
            format!("{date}T{time}{zone}{era}")
        }
    }
}

/// Year, month and day of a number of days since 2000-01-01, in the Gregorian calendar for all
/// times; and the era.
fn calendar(days: i64) -> (String, &'static str) {
    /// From 0000-03-01 to 2000-01-01. A year that begins in March has its odd day at its end.
    const DAYS_BEFORE: i64 = 730_425;
    const DAYS_IN_400_YEARS: i64 = 146_097;
    let days = days + DAYS_BEFORE;
    let cycle = days.div_euclid(DAYS_IN_400_YEARS);
    let day = days.rem_euclid(DAYS_IN_400_YEARS);
    // The last day of 4, 100 and 400 years is a leap day, or is left out.
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, months alternate between 31 and 30 days in groups of five: 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = match month < 10 {
        true => (month + 3, 0),
        false => (month - 9, 1),
    };
    match cycle * 400 + year + carry {
        year @ 1.. => (format!("{year:04}-{month:02}-{day:02}"), ""),
        // There is no year 0: 1 BC comes before 1.
        year => (format!("{:04}-{month:02}-{day:02}", 1 - year), " BC"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, text) in [
            (0, "2000-01-01"),
            (-1, "1999-12-31"),
            (59, "2000-02-29"),
            (60, "2000-03-01"),
            (-10_957, "1970-01-01"),
            (9_815, "2026-11-15"),
            (36_583, "2100-02-28"),
            (36_584, "2100-03-01"),
            (-730_119, "0001-01-01"),
            (-730_120, "0001-12-31 BC"),
            (2_921_939, "9999-12-31"),
            (i32::MAX, "infinity"),
            (i32::MIN, "-infinity"),
        ] {
            assert_eq!(date(days), text, "{days}");
        }
    }

    #[test]
    fn moments_before_2000_count_backwards() {
        assert_eq!(timestamp(-1, "Z"), "1999-12-31T23:59:59.999999Z");
        assert_eq!(timestamp(1_500_000, ""), "2000-01-01T00:00:01.5");
        assert_eq!(timestamp(i64::MAX, "Z"), "infinity");
        assert_eq!(time(MICROSECONDS_A_DAY), "24:00:00");
    }
}
