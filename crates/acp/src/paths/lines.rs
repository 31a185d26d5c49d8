//! Reads lines of a text file, without the rest of it.

use std::io::{BufRead, BufReader, Read};

use super::{FILE_SIZE, PathError};

/// As much of a file is searched for the lines that are asked for.
const SEARCHED: u64 = 1 << 30;

/// A text file, or the lines that are asked for with their ends: from `line` (counted from 1; some agents count from 0), at
/// most `limit` of them.
///
/// # Errors
/// They have more than [`FILE_SIZE`] bytes, are not UTF-8, or are too far from the beginning.
pub(super) fn read(
    file: impl Read,
    line: Option<u32>,
    limit: Option<u32>,
) -> Result<String, PathError> {
    // It may grow while it is read.
    let mut file = BufReader::new(file.take(SEARCHED));
    for _ in 1..line.unwrap_or(1) {
        if file.skip_until(b'\n')? == 0 {
            break;
        }
    }
    let mut text = Vec::new();
    let mut rest = file.by_ref().take(FILE_SIZE + 1);
    match limit {
        None => drop(rest.read_to_end(&mut text)?),
        Some(limit) => {
            for _ in 0..limit {
                if rest.read_until(b'\n', &mut text)? == 0 {
                    break;
                }
            }
        }
    }
    if text.len() as u64 > FILE_SIZE {
        return Err(PathError::TooLarge(FILE_SIZE));
    }
    if file.get_ref().limit() == 0 {
        return Err(PathError::TooLarge(SEARCHED));
    }
    String::from_utf8(text).map_err(|_| PathError::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_1() {
        let read = |line, limit| super::read(&b"a\nb\nc"[..], line, limit).unwrap();
        assert_eq!(read(None, None), "a\nb\nc");
        assert_eq!(read(Some(2), None), "b\nc");
        assert_eq!(read(Some(1), Some(2)), "a\nb\n");
        assert_eq!(read(Some(0), Some(1)), "a\n");
        assert_eq!(read(Some(9), Some(9)), "");
        assert_eq!(read(Some(u32::MAX), None), "");
        assert_eq!(read(None, Some(0)), "");
    }

    /// A log of gigabytes has lines that can be read, and bytes that are not text elsewhere.
    #[test]
    fn a_part_of_a_large_file_is_read() {
        let long = std::io::repeat(b'x').take(2 * FILE_SIZE);
        let file = |ending: &'static [u8]| (&b"first\n\xff\n"[..]).chain(ending);
        assert_eq!(
            read(file(b"").chain(long), None, Some(1)).unwrap(),
            "first\n"
        );
        let long = std::io::repeat(b'x').take(2 * FILE_SIZE);
        let read_last = read(long.chain(&b"\nlast\n"[..]), Some(2), Some(5));
        assert_eq!(read_last.unwrap(), "last\n");
        let long = || std::io::repeat(b'x').take(FILE_SIZE);
        assert_eq!(
            read(long(), Some(1), Some(1)).unwrap().len() as u64,
            FILE_SIZE
        );
        for part in [None, Some(1)] {
            let error = read(long().chain(&b"x"[..]), None, part).unwrap_err();
            assert!(matches!(error, PathError::TooLarge(FILE_SIZE)), "{error}");
        }
        let error = read(file(b""), Some(2), None).unwrap_err();
        assert!(matches!(error, PathError::NotText), "{error}");
    }

    #[test]
    fn a_search_ends() {
        let error = read(std::io::repeat(b'x'), Some(2), Some(1)).unwrap_err();
        assert!(matches!(error, PathError::TooLarge(SEARCHED)), "{error}");
    }
}
