//! Which loader a program names in its header.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// The loader of a dynamic program of 64 bits; `start` is how its file begins.
pub(super) fn interpreter(file: &File, start: &[u8]) -> Option<PathBuf> {
    const MAGIC: &[u8] = b"\x7fELF\x02\x01";
    const INTERPRETER: u32 = 3;
    const LONGEST: usize = 4096;
    if !start.starts_with(MAGIC) {
        return None;
    }
    let table = u64_at(start, 32)?;
    let (size, count) = (u16_at(start, 54)?, u16_at(start, 56)?);
    for number in 0..u64::from(count) {
        let mut header = [0; 56];
        let at = table.checked_add(number * u64::from(size))?;
        file.read_exact_at(&mut header, at).ok()?;
        if u32::from_le_bytes(header[..4].try_into().ok()?) != INTERPRETER {
            continue;
        }
        let length = usize::try_from(u64_at(&header, 32)?).ok()?;
        let mut path = vec![0; length.min(LONGEST)];
        file.read_exact_at(&mut path, u64_at(&header, 8)?).ok()?;
        let path = path.split(|byte| *byte == 0).next()?;
        return Some(OsStr::from_bytes(path).into());
    }
    None
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + 8)?.try_into().ok()?;
    Some(u64::from_le_bytes(bytes))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?.try_into().ok()?;
    Some(u16::from_le_bytes(bytes))
}
