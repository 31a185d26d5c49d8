//! Timestamps as RFC 3339 has them, and durations as Go writes them.

use std::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// A time and how far its clock is from UTC.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    pub(super) local: DateTime,
    pub(super) offset: Offset,
}

impl Moment {
    /// This moment.
    pub(super) fn now() -> Moment {
        let offset = Offset::UTC;
        let local = offset.to_datetime(Timestamp::now());
        Moment { local, offset }
    }

    /// Reads `2006-01-02T15:04:05Z`, with a fraction of a second or an offset such as `-07:00`.
    pub(crate) fn read(text: &str) -> Option<Moment> {
        let (date, rest) = text.split_at_checked(19)?;
        let pattern = b"0000-00-00T00:00:00";
        let fits = |(given, wanted): (u8, &u8)| match wanted {
            b'0' => given.is_ascii_digit(),
            wanted => given == *wanted,
        };
        if !date.bytes().zip(pattern).all(fits) {
            return None;
        }
        let number = |from: usize, to: usize| date[from..to].parse::<i16>().ok();
        let small = |from: usize, to: usize| date[from..to].parse::<i8>().ok();
        let (fraction, zone) = match rest.strip_prefix('.') {
            Some(rest) => {
                let end = rest.find(|character: char| !character.is_ascii_digit())?;
                (Some(&rest[..end]), &rest[end..])
            }
            None => (None, rest),
        };
        let nanoseconds = match fraction {
            Some("") => return None,
            Some(digits) => format!("{digits:0<9}")[..9].parse().ok()?,
            None => 0,
        };
        let local = DateTime::new(
            number(0, 4)?,
            small(5, 7)?,
            small(8, 10)?,
            small(11, 13)?,
            small(14, 16)?,
            small(17, 19)?,
            nanoseconds,
        );
        let offset = read_offset(zone)?;
        Some(Moment {
            local: local.ok()?,
            offset,
        })
    }

    /// The time that many later, or earlier; nothing beyond the years that can be written.
    pub(super) fn later(self, duration: SignedDuration) -> Option<Moment> {
        let local = self.local.checked_add(duration).ok()?;
        (0..=9999)
            .contains(&local.year())
            .then_some(Moment { local, ..self })
    }

    /// The place on the one line of time.
    pub(super) fn instant(self) -> Option<Timestamp> {
        self.offset.to_timestamp(self.local).ok()
    }

    /// As RFC 3339 has it, without fractions of a second.
    pub(crate) fn text(self) -> String {
        let time = self.local.strftime("%Y-%m-%dT%H:%M:%S");
        match self.offset.seconds() {
            0 => format!("{time}Z"),
            _ => format!("{time}{}", self.offset_text(":")),
        }
    }

    /// `+05:30`, with this between hours and minutes.
    pub(super) fn offset_text(self, separator: &str) -> String {
        let seconds = self.offset.seconds();
        let sign = if seconds < 0 { '-' } else { '+' };
        let minutes = seconds.abs() / 60;
        format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
    }
}

fn read_offset(zone: &str) -> Option<Offset> {
    if zone == "Z" {
        return Some(Offset::UTC);
    }
    let bytes = zone.as_bytes();
    let is_digit = |at: usize| bytes[at].is_ascii_digit();
    if bytes.len() != 6 || bytes[3] != b':' || ![1, 2, 4, 5].into_iter().all(is_digit) {
        return None;
    }
    let sign = match bytes[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = (zone[1..3].parse().ok()?, zone[4..].parse().ok()?);
    let is_clock = hours < 24 && minutes < 60;
    let offset = is_clock.then(|| Offset::from_seconds(sign * (hours * 60 + minutes) * 60));
    offset?.ok()
}

/// A length of time as Terraform's functions take it: `1h30m`, `1.5h` or `300ms`. `None` if the text is
/// something else, or a duration below zero.
pub fn parse_duration(text: &str) -> Option<Duration> {
    duration(text).and_then(|duration| duration.try_into().ok())
}

/// Reads `1h30m`, `-1.5h` or `300ms`.
pub(super) fn duration(text: &str) -> Option<SignedDuration> {
    let (is_negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(SignedDuration::ZERO);
    }
    let mut sum: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let is_amount = |character: char| character.is_ascii_digit() || character == '.';
        let (amount, after) = rest.split_at(rest.find(|character| !is_amount(character))?);
        let (unit, after) = after.split_at(after.find(is_amount).unwrap_or(after.len()));
        sum = sum.checked_add(nanoseconds(amount, unit)?)?;
        rest = after;
    }
    let sum = if is_negative { -sum } else { sum };
    // As far as Go's durations reach.
    i64::try_from(sum).ok().map(SignedDuration::from_nanos)
}

fn nanoseconds(amount: &str, unit: &str) -> Option<i128> {
    let unit: i128 = match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let whole: i128 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    // Beyond these digits nothing reaches a nanosecond.
    let fraction = &fraction[..fraction.len().min(18)];
    let scale = 10i128.pow(u32::try_from(fraction.len()).ok()?);
    let fraction: i128 = if fraction.is_empty() {
        0
    } else {
        fraction.parse().ok()?
    };
    whole
        .checked_mul(unit)?
        .checked_add(fraction * unit / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_timestamps_are_read() {
        let wrong = [
            "2018-01-02T03:04:05",
            "2018-01-02t03:04:05Z",
            "2018-02-29T00:00:00Z",
            "2018-01-02T03:04:60Z",
            "2018-01-02T03:04:05.Z",
            "2018-01-02T03:04:05+0100",
            "2018-01-02T03:04:05+24:00",
            "+018-01-02T03:04:05Z",
            "2018-01-02T03:04:05Zé",
            "2018-01-02T03:04:0é",
        ];
        for text in wrong {
            assert!(Moment::read(text).is_none(), "{text}");
        }
        let read = |text| Moment::read(text).map(Moment::text);
        assert_eq!(
            read("2020-02-29T23:59:59.5-03:30").as_deref(),
            Some("2020-02-29T23:59:59-03:30")
        );
        assert_eq!(
            read("2020-02-29T23:59:59+00:00").as_deref(),
            Some("2020-02-29T23:59:59Z")
        );
    }

    #[test]
    fn durations_are_go_s() {
        let seconds = |text| duration(text).map(|time| time.as_secs());
        assert_eq!(seconds("1h1m1s"), Some(3661));
        assert_eq!(seconds("-.5m"), Some(-30));
        assert_eq!(seconds("+1.m"), Some(60));
        for wrong in [
            "",
            "-",
            "1",
            "h",
            ".h",
            "1h 1m",
            "1d",
            "1..5s",
            "999999999999h",
            "1é",
        ] {
            assert!(duration(wrong).is_none(), "{wrong}");
        }
    }
}
