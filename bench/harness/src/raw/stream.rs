//! Events that the server sends because it was asked to.

use std::io::{self, Read, Write};
use std::time::Instant;

use bench_workload::{Bound, Measured, STREAM, Size};

use super::{Client, ended};
use crate::template::Template;

impl Client {
    /// One call for many events after the other. The first is looked at, the others are counted by
    /// length.
    pub(super) fn stream(&mut self, bound: Bound) -> io::Result<Measured> {
        let template = self.wire.request_events("stream", STREAM.count);
        self.ask(&template)?;
        let sizes = self.events_and_answers(STREAM.count, 1)?;
        let whole = STREAM.count * sizes.event + sizes.answer;
        self.streamed(&template, whole, bound.warm_up())?;
        self.streamed(&template, whole, bound)
    }

    fn streamed(&mut self, template: &Template, whole: u64, bound: Bound) -> io::Result<Measured> {
        let (start, deadline) = (Instant::now(), bound.deadline());
        let mut count = 0;
        while count < bound.calls && Instant::now() < deadline {
            self.ask(template)?;
            self.skip(whole)?;
            count += STREAM.count;
        }
        Ok(Measured::rate(count, start.elapsed()))
    }

    pub(super) fn ask(&mut self, template: &Template) -> io::Result<()> {
        let (frame, _) = self.frame(template);
        self.link.writer.write_all(&frame)
    }

    /// Reads so many bytes, and not one more.
    fn skip(&mut self, mut left: u64) -> io::Result<()> {
        while left > 0 {
            let count = self.read_some()?;
            left = left.checked_sub(count).ok_or_else(more)?;
        }
        Ok(())
    }

    fn read_some(&mut self) -> io::Result<u64> {
        match self.link.reader.read(&mut self.buffer)? {
            0 => Err(ended()),
            count => Ok(count as u64),
        }
    }

    /// Reads so many events and answers, in any order, and nothing else.
    pub(super) fn events_and_answers(&mut self, events: u64, answers: u64) -> io::Result<Sizes> {
        let text = Size::Tiny.text();
        let mut sizes = Sizes::default();
        let (mut seen, mut answered) = (0, 0);
        let (mut bytes, mut begin) = (Vec::new(), 0);
        while seen < events || answered < answers {
            let Some(length) = self
                .wire
                .message_length(&bytes[begin..])
                .map_err(io::Error::other)?
            else {
                let count = self.read_some()? as usize;
                bytes.extend_from_slice(&self.buffer[..count]);
                continue;
            };
            let message = String::from_utf8_lossy(&bytes[begin..begin + length]);
            begin += length;
            // The limit answers with the request itself, so a method alone does not tell.
            let (size, number) = if message.contains("\"note\"") && message.contains(&text) {
                (&mut sizes.event, &mut seen)
            } else if message.contains("\"id\":") && !message.contains("\"error\":") {
                (&mut sizes.answer, &mut answered)
            } else {
                return Err(io::Error::other(format!(
                    "neither event nor answer: {message}"
                )));
            };
            *number += 1;
            if *number > 1 && *size != length as u64 {
                return Err(io::Error::other(format!("of another length: {message}")));
            }
            *size = length as u64;
        }
        match begin == bytes.len() {
            true => Ok(sizes),
            false => Err(more()),
        }
    }
}

/// How long the messages of a kind are, all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    pub(super) event: u64,
    pub(super) answer: u64,
}

fn more() -> io::Error {
    io::Error::other("more came than was asked for")
}
