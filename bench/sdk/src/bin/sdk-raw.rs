//! The limit in Rust: reads messages, decodes them, and echoes their params. `sdk-raw lines` or `sdk-raw headers`.

use std::io::{self, Read, Write};

use bench_workload::Echo;
use serde_json::{Value, json};

const HEADERS_END: &[u8] = b"\r\n\r\n";

fn main() -> io::Result<()> {
    let has_headers = std::env::args().nth(1).as_deref() == Some("headers");
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let (mut rest, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let count = stdin.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        rest.extend_from_slice(&buffer[..count]);
        let (mut answers, mut done) = (Vec::new(), 0);
        while let Some((body, end)) = message(&rest[done..], has_headers) {
            answer(&rest[done..][body], has_headers, &mut answers)?;
            done += end;
        }
        rest.drain(..done);
        stdout.write_all(&answers)?;
        stdout.flush()?;
    }
}

/// Where the first message is, and where the next one begins, if it is there in full.
fn message(bytes: &[u8], has_headers: bool) -> Option<(std::ops::Range<usize>, usize)> {
    if !has_headers {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        return Some((0..end, end + 1));
    }
    let places = bytes.windows(HEADERS_END.len());
    let head = { places }
        .position(|place| place == HEADERS_END)
        .map(|end| &bytes[..end])?;
    let length: usize = { std::str::from_utf8(head).ok()? }
        .strip_prefix("Content-Length: ")?
        .parse()
        .ok()?;
    let begin = head.len() + HEADERS_END.len();
    let end = begin + length;
    (end <= bytes.len()).then_some((begin..end, end))
}

fn answer(message: &[u8], has_headers: bool, answers: &mut Vec<u8>) -> io::Result<()> {
    let mut request: Value = serde_json::from_slice(message)?;
    let echo: Echo = serde_json::from_value(request["params"].take())?;
    let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": echo}).to_string();
    match has_headers {
        true => write!(answers, "Content-Length: {}\r\n\r\n{answer}", answer.len()),
        false => writeln!(answers, "{answer}"),
    }
}
