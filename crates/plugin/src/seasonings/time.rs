//! Times as RFC 3339 has them.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time in UTC, in whole seconds. Rounded down: a renewal may come too early, but not too late.
pub(super) fn rfc3339(time: SystemTime) -> String {
    // Before 1970: at once. After 9999 there is no such text.
    const LATEST: u64 = 253_402_300_799;
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs().min(LATEST);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the day that some years have more comes last.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

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
            let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
            if let Some(time) = time {
                assert_eq!(rfc3339(time), text);
            }
        }
        assert_eq!(
            rfc3339(UNIX_EPOCH - Duration::from_secs(1)),
            "1970-01-01T00:00:00Z"
        );
    }
}
