//! One frame on each line.

use bytes::{BufMut, Bytes, BytesMut};

use super::Limits;
use crate::error::DialectError;

/// Takes the next line that is not blank. A carriage return before the newline is removed.
pub(super) fn cut(
    buffer: &mut BytesMut,
    scanned: &mut usize,
    limits: &Limits,
) -> Result<Option<Bytes>, DialectError> {
    loop {
        let Some(found) = memchr::memchr(b'\n', &buffer[*scanned..]) else {
            if buffer.len() > limits.frame {
                return Err(too_long(buffer, limits));
            }
            *scanned = buffer.len();
            return Ok(None);
        };
        let end = *scanned + found;
        *scanned = 0;
        if end > limits.frame {
            return Err(too_long(buffer, limits));
        }
        let mut line = buffer.split_to(end + 1).freeze();
        line.truncate(line.trim_ascii_end().len());
        if !line.is_empty() {
            return Ok(Some(line));
        }
    }
}

fn too_long(buffer: &BytesMut, limits: &Limits) -> DialectError {
    let problem = format!(
        "a line is longer than the limit of {} bytes for one message",
        limits.frame
    );
    DialectError::over_limit(problem, buffer)
}

/// Ends the line that starts at `start`. A newline inside it can only be blank between JSON
/// tokens, so it becomes a space.
pub(super) fn finish(start: usize, out: &mut BytesMut) {
    let line = &mut out[start..];
    let mut from = 0;
    while let Some(found) = memchr::memchr2(b'\n', b'\r', &line[from..]) {
        line[from + found] = b' ';
        from += found + 1;
    }
    out.put_u8(b'\n');
}
