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
    let window = &buffer[..buffer.len().min(HEADER_LIMIT)];
    let Some(header_end) = memchr::memmem::find(window, b"\r\n\r\n") else {
        let first_line = memchr::memchr(b'\n', window).map(|end| &window[..end]);
        let looks_wrong = first_line.is_some_and(|line| !line.contains(&b':'));
        if buffer.len() >= HEADER_LIMIT || looks_wrong {
            return Err(DialectError::new("expected `Content-Length: N`", buffer));
        }
        return Ok(None);
    };
    let length = content_length(&buffer[..header_end])
        .map_err(|problem| DialectError::new(problem, buffer))?;
    if length > limits.frame {
        let problem = format!(
            "a message of {length} bytes is longer than the limit of {} bytes",
            limits.frame
        );
        return Err(DialectError::new(problem, buffer));
    }
    let body = header_end + 4;
    if buffer.len() < body + length {
        return Ok(None);
    }
    buffer.advance(body);
    Ok(Some(buffer.split_to(length).freeze()))
}

fn content_length(headers: &[u8]) -> Result<usize, String> {
    let headers = std::str::from_utf8(headers).map_err(|_| "the header is not ASCII")?;
    let mut length = None;
    for line in headers.split("\r\n") {
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| format!("the header {line:?} has no `:`"))?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let parsed = value
                .parse()
                .map_err(|_| format!("Content-Length is {value:?}, not a number"))?;
            length = Some(parsed);
        } else if name.eq_ignore_ascii_case("content-type") {
            check_charset(value)?;
        }
    }
    length.ok_or_else(|| "the header has no Content-Length".to_owned())
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
