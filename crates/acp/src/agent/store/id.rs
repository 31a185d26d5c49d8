//! The ids of sessions: UUIDs, version 4.

use std::io;

/// A new id.
///
/// # Errors
/// The system has no randomness.
pub(crate) fn new_id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    let mut number = u128::from_be_bytes(bytes);
    // The version and the variant.
    number = number & !(0xf << 76) | (4 << 76);
    number = number & !(0x3 << 62) | (2 << 62);
    let digits = format!("{number:032x}");
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
    Ok(parts.join("-"))
}

/// Whether this is an id as [`new_id`] makes them: nothing else becomes the name of a file.
pub(crate) fn is_id(id: &str) -> bool {
    let is_right = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    };
    id.len() == 36 && id.bytes().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_ids_are_random_uuids() {
        let id = new_id().unwrap();
        assert!(is_id(&id), "{id}");
        assert_eq!(&id[14..15], "4");
        assert!("89ab".contains(&id[19..20]), "{id}");
        assert_ne!(id, new_id().unwrap());
    }

    #[test]
    fn nothing_else_is_an_id() {
        for wrong in [
            "",
            "s",
            "../../../../../../etc/passwd/00000000",
            "0000000000000000000000000000000000ab",
            "ABCDEF00-0000-4000-8000-000000000000",
            "00000000-0000-4000-8000-00000000000\0",
            "00000000-0000-4000-8000-000000000000/",
            "00000000-0000-4000-8000-0000000000é",
        ] {
            assert!(!is_id(wrong), "{wrong:?}");
        }
    }
}
