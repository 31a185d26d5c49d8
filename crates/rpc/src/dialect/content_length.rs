//! Each frame behind a block of headers, of which `Content-Length` counts.

use std::io::Write;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use super::Limits;
use crate::error::DialectError;

/// No real header block comes near this.
const HEADER_LIMIT: usize = 8 * 1024;

/// Takes the next body. A declared length is only compared, never allocated from.
pub(super) fn cut(buffer: &mut BytesMut, limits: &Limits) -> Result<Option<Bytes>, DialectError> {
    let blanks = buffer
        .iter()
        .take_while(|byte| matches!(byte, b'\r' | b'\n'))
        .count();
    buffer.advance(blanks);
    let headers = read_headers(buffer).map_err(|problem| DialectError::new(problem, buffer))?;
    let Some((body, length)) = headers else {
        return Ok(None);
    };
    if length > limits.frame {
        let problem = format!(
            "a message of {length} bytes is longer than the limit of {} bytes",
            limits.frame
        );
        return Err(DialectError::over_limit(problem, buffer));
    }
    if buffer.len() < body + length {
        return Ok(None);
    }
    buffer.advance(body);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// The length of the headers of the next message, and of the whole message, if known.
pub(super) fn size(buffer: &[u8]) -> Option<(usize, usize)> {
    let (body, length) = read_headers(buffer).ok()??;
    Some((body, body.checked_add(length)?))
}

/// The body of a frame with its headers.
pub(super) fn body(frame: &[u8]) -> Option<&[u8]> {
    const END: &[u8] = b"\r\n\r\n";
    let end = memchr::memmem::find(frame, END)?;
    Some(&frame[end + END.len()..])
}

/// Where the body starts and how long it is, once all headers are there. Each line is judged as
/// soon as it is there, so that errors are found immediately, and in the same way however it arrives.
fn read_headers(buffer: &[u8]) -> Result<Option<(usize, usize)>, String> {
    let window = &buffer[..buffer.len().min(HEADER_LIMIT)];
    let mut length = None;
    let mut at = 0;
    while let Some(end) = memchr::memchr(b'\n', &window[at..]) {
        let line = window[at..at + end]
            .strip_suffix(b"\r")
            .and_then(|line| std::str::from_utf8(line).ok())
            .ok_or("a header must be text that ends with CR LF")?;
        at += end + 1;
        if line.is_empty() {
            let length = length.ok_or("the header has no Content-Length")?;
            return Ok(Some((at, length)));
        }
        let (name, value) = line
            .split_once(':')
            .ok_or("expected a header such as `Content-Length: 42`")?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let parsed = value.parse();
            length = Some(
                parsed
                    .map_err(|_| format!("Content-Length is {value:?}, which is not a number"))?,
            );
        } else if name.eq_ignore_ascii_case("content-type") {
            check_charset(value)?;
        }
    }
    if window.len() == HEADER_LIMIT {
        return Err(format!("headers of more than {HEADER_LIMIT} bytes"));
    }
    Ok(None)
}

fn check_charset(content_type: &str) -> Result<(), String> {
    let charset = content_type
        .split(';')
        .filter_map(|part| part.trim().strip_prefix("charset="))
        .map(|charset| charset.trim_matches('"').to_ascii_lowercase())
        .next();
    match charset.as_deref() {
        None | Some("utf-8" | "utf8") => Ok(()),
        Some(other) => Err(format!("the charset {other:?} is not supported")),
    }
}

/// Puts the header before the body that starts at `start`: the length is known only now.
pub(super) fn finish(start: usize, out: &mut BytesMut) {
    let length = out.len() - start;
    let mut header = [0; 48];
    let mut rest = &mut header[..];
    // Eighteen characters, at most twenty digits and four line-end bytes always fit.
    let _fits = write!(rest, "Content-Length: {length}\r\n\r\n");
    let size = 48 - rest.len();
    out.put_bytes(0, size);
    out.copy_within(start..start + length, start + size);
    out[start..start + size].copy_from_slice(&header[..size]);
}
