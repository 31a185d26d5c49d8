//! The least a server can do, with blocking reads and one write per read.
//!
//! - `split`: find the newlines and send the bytes back. This is the limit of the transport. Asked
//!   for events, it sends the same bytes over and over, to the client that asks or to all clients.
//! - `typed`: parse the envelope with raw params, the params into their type, and write an answer.
//! - `raw`: parse the envelope and send the params back as they came.

mod events;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use bench_workload::Echo;
use bench_workload::driver::Fault;
use bench_workload::place::Place;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use events::Everybody;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    params: &'a RawValue,
}

#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: R,
}

/// Appends the answer to a line, if it asks for one.
type Handler = fn(&[u8], &mut Vec<u8>, &Everybody) -> io::Result<()>;

fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let handler: Handler = match words.next().as_deref() {
        Some("split") => split,
        Some("typed") => typed,
        Some("raw") => raw,
        _ => return Err("expected: split, typed or raw".into()),
    };
    match Place::read(words)? {
        Place::Stdio => {
            let (stdin, stdout) = (io::stdin(), io::stdout());
            let ends = (
                stdin.as_fd().try_clone_to_owned()?,
                stdout.as_fd().try_clone_to_owned()?,
            );
            serve(ends.0, ends.1, handler, &Everybody::default())?;
        }
        Place::Socket(path) => {
            let everybody = Arc::<Everybody>::default();
            for stream in UnixListener::bind(path)?.incoming() {
                let stream = stream?;
                everybody.enter(stream.try_clone()?);
                let (reader, everybody) = (stream.try_clone()?, everybody.clone());
                std::thread::spawn(move || {
                    serve(reader.into(), stream.into(), handler, &everybody)
                });
            }
        }
    }
    Ok(())
}

fn serve(
    reader: OwnedFd,
    writer: OwnedFd,
    handler: Handler,
    everybody: &Everybody,
) -> io::Result<()> {
    let (mut reader, mut writer) = (File::from(reader), File::from(writer));
    let mut buffer = vec![0; 64 << 10];
    let (mut held, mut answers) = (0, Vec::new());
    loop {
        if held == buffer.len() {
            buffer.resize(2 * held, 0);
        }
        let count = reader.read(&mut buffer[held..])?;
        if count == 0 {
            return Ok(());
        }
        let end = held + count;
        let mut begin = 0;
        // What was held back has no newline in it.
        for newline in memchr::memchr_iter(b'\n', &buffer[held..end]) {
            let next = held + newline + 1;
            handler(&buffer[begin..next], &mut answers, everybody)?;
            begin = next;
        }
        buffer.copy_within(begin..end, 0);
        held = end - begin;
        if !answers.is_empty() {
            writer.write_all(&answers)?;
            answers.clear();
        }
    }
}

/// Requests and events differ in the byte behind `{"jsonrpc":"2.0","`.
fn split(line: &[u8], answers: &mut Vec<u8>, everybody: &Everybody) -> io::Result<()> {
    if line.get(18) != Some(&b'i') {
        return Ok(());
    }
    // Where the method's name begins, behind an id of eight digits.
    match line.get(41) {
        Some(b's') => answers.extend_from_slice(&events::asked_for(line)?),
        Some(b'b') => everybody.send(&events::asked_for(line)?),
        _ => {}
    }
    answers.extend_from_slice(line);
    Ok(())
}

fn typed(line: &[u8], answers: &mut Vec<u8>, _: &Everybody) -> io::Result<()> {
    let request: Request = serde_json::from_slice(line)?;
    let echo: Echo = serde_json::from_str(request.params.get())?;
    answer(request.id, echo, answers)
}

fn raw(line: &[u8], answers: &mut Vec<u8>, _: &Everybody) -> io::Result<()> {
    let request: Request = serde_json::from_slice(line)?;
    answer(request.id, request.params, answers)
}

fn answer(id: Option<&RawValue>, result: impl Serialize, answers: &mut Vec<u8>) -> io::Result<()> {
    if let Some(id) = id {
        serde_json::to_writer(
            &mut *answers,
            &Response {
                jsonrpc: "2.0",
                id,
                result,
            },
        )?;
        answers.push(b'\n');
    }
    Ok(())
}
