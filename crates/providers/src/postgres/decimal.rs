//! PostgreSQL's `numeric` on the wire: groups of four decimal digits.

use std::fmt::Write;

use super::bytes::Reader;

/// The text of a numeric with all its digits, `NaN` or an infinity; `None` if the bytes are none.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader::new(bytes);
    let count = usize::from(reader.u16()?);
    let weight = i32::from(reader.i16()?);
    let sign = reader.u16()?;
    let scale = usize::from(reader.u16()?);
    let mut text = String::new();
    match sign {
        0x0000 => {}
        0x4000 => text.push('-'),
        0xC000 => return Some("NaN".into()),
        0xD000 => return Some("Infinity".into()),
        0xF000 => return Some("-Infinity".into()),
        _ => return None,
    }
    let groups = (0..count)
        .map(|_| reader.u16())
        .collect::<Option<Vec<_>>>()?;
    // The first group stands for its value times 10000 to the power of `weight`; groups of zeros
    // at either end are left out.
    let group = |power: i32| {
        let index = usize::try_from(weight - power).ok();
        index
            .and_then(|index| groups.get(index))
            .copied()
            .unwrap_or(0)
    };
    // Writing to a string does not fail.
    let _written = write!(text, "{}", group(weight.max(0)));
    for power in (0..weight).rev() {
        let _written = write!(text, "{:04}", group(power));
    }
    if scale > 0 {
        text.push('.');
        let end = text.len() + scale;
        let mut power = -1;
        while text.len() < end {
            let _written = write!(text, "{:04}", group(power));
            power -= 1;
        }
        text.truncate(end);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(weight: i16, sign: u16, scale: u16, groups: &[u16]) -> Vec<u8> {
        let count = groups.len() as u16;
        let header = [count, weight as u16, sign, scale];
        let numbers = header.iter().chain(groups);
        numbers.flat_map(|number| number.to_be_bytes()).collect()
    }

    #[test]
    fn all_digits_are_there() {
        for (weight, sign, scale, groups, expected) in [
            (0, 0, 0, &[][..], "0"),
            (0, 0, 2, &[1, 5000], "1.50"),
            (1, 0x4000, 0, &[1], "-10000"),
            (1, 0, 4, &[12, 3456, 7890], "123456.7890"),
            (-1, 0, 4, &[1], "0.0001"),
            (-2, 0, 8, &[1], "0.00000001"),
            (-2, 0, 7, &[120], "0.0000012"),
            (2, 0, 0, &[1, 0, 1], "100000001"),
            (0, 0xC000, 0, &[], "NaN"),
            (0, 0xF000, 0, &[], "-Infinity"),
        ] {
            let bytes = numeric(weight, sign, scale, groups);
            assert_eq!(text(&bytes).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_truncated_numeric_is_an_error() {
        let whole = numeric(0, 0, 0, &[7]);
        for end in 0..whole.len() {
            assert_eq!(text(&whole[..end]), None);
        }
    }
}
