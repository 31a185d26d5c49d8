//! The raw client: one for all servers, and as little work per message as can be.
//!
//! Sequential calls block. A window is a poll loop without blocking that writes everything it may
//! send in one go. Requests are laid out once in a ring and only their ids are stamped; answers are
//! counted by length, with a look at the first and the last byte of each.

mod audience;
mod stream;

pub use audience::Audience;

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use bench_workload::{Bound, Measured, Size, Task};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::link::Link;
use crate::template::{FIRST_ID, Template};
use crate::wire::Wire;

pub struct Client {
    link: Link,
    wire: Wire,
    next_id: u32,
    buffer: Vec<u8>,
}

/// The shape of a right answer.
#[derive(Clone, Copy)]
struct Shape {
    length: usize,
    first: u8,
    last: u8,
}

impl Client {
    /// Exchanges the greeting, where the protocol has one.
    pub fn new(link: Link, wire: Wire) -> io::Result<Self> {
        let mut client = Client {
            link,
            wire,
            next_id: FIRST_ID,
            buffer: vec![0; 256 << 10],
        };
        for step in wire.greeting() {
            client.link.writer.write_all(&step.bytes)?;
            if step.answered {
                client.whole_message()?;
            }
        }
        Ok(client)
    }

    pub fn run(&mut self, task: Task) -> io::Result<Measured> {
        match task {
            Task::Sequential { size, bound } => {
                let shape = self.checked_call(size)?;
                self.sequential(size, shape, bound.warm_up())?;
                self.sequential(size, shape, bound)
            }
            Task::Window {
                size,
                window,
                bound,
            } => {
                let shape = self.checked_call(size)?;
                self.link.set_blocking(false)?;
                let measured = self
                    .window(size, window, shape, bound.warm_up())
                    .and_then(|_| self.window(size, window, shape, bound));
                self.link.set_blocking(true)?;
                measured
            }
            Task::Events { size, bound } => {
                self.events(size, bound.warm_up())?;
                self.events(size, bound)
            }
            Task::Stream { bound } => self.stream(bound),
            Task::Idle { .. } => Err(io::Error::other("idle connections are one client each")),
        }
    }

    /// Exactly this task, without a warm-up and without a first checked call: for counting.
    pub fn run_exactly(&mut self, size: Size, window: usize, calls: u64) -> io::Result<()> {
        let shape = self.checked_call(size)?;
        let bound = Bound::calls(calls);
        if window == 1 {
            self.sequential(size, shape, bound)?;
        } else {
            self.link.set_blocking(false)?;
            self.window(size, window, shape, bound)?;
            self.link.set_blocking(true)?;
        }
        Ok(())
    }

    /// One call whose answer is read and understood.
    fn checked_call(&mut self, size: Size) -> io::Result<Shape> {
        let (frame, id) = self.frame(&self.wire.request(size));
        self.link.writer.write_all(&frame)?;
        let answer = self.whole_message()?;
        self.wire
            .check(&answer, id, size)
            .map_err(|text| io::Error::other(format!("a wrong answer: {text}")))?;
        Ok(Shape {
            length: answer.len(),
            first: answer[0],
            last: answer[answer.len() - 1],
        })
    }

    pub fn one_call(&mut self) -> io::Result<()> {
        self.checked_call(Size::Tiny).map(|_| ())
    }

    fn frame(&mut self, template: &Template) -> (Vec<u8>, u32) {
        let id = self.next_id;
        self.next_id += 1;
        let mut frame = template.bytes().to_vec();
        template.stamp(&mut frame, id);
        (frame, id)
    }

    fn whole_message(&mut self) -> io::Result<Vec<u8>> {
        let mut message = Vec::new();
        loop {
            let count = self.link.reader.read(&mut self.buffer)?;
            if count == 0 {
                return Err(ended());
            }
            message.extend_from_slice(&self.buffer[..count]);
            match self
                .wire
                .message_length(&message)
                .map_err(io::Error::other)?
            {
                Some(length) if length == message.len() => return Ok(message),
                Some(length) => {
                    let extra =
                        String::from_utf8_lossy(&message[length..message.len().min(length + 100)]);
                    return Err(io::Error::other(format!("more than one answer: {extra}")));
                }
                None => {}
            }
        }
    }

    fn sequential(&mut self, size: Size, shape: Shape, bound: Bound) -> io::Result<Measured> {
        let template = self.wire.request(size);
        let mut frame = template.bytes().to_vec();
        let mut samples = Vec::with_capacity(1 << 16);
        let deadline = bound.deadline();
        let mut before = Instant::now();
        let start = before;
        while (samples.len() as u64) < bound.calls && before < deadline {
            template.stamp(&mut frame, self.next_id);
            self.next_id += 1;
            self.link.writer.write_all(&frame)?;
            let mut left = shape.length;
            let mut last = 0;
            while left > 0 {
                let count = self.link.reader.read(&mut self.buffer)?;
                if count == 0 {
                    return Err(ended());
                }
                left = left.checked_sub(count).ok_or_else(misfit)?;
                last = self.buffer[count - 1];
            }
            if last != shape.last {
                return Err(misfit());
            }
            let now = Instant::now();
            samples.push(now - before);
            before = now;
        }
        Ok(Measured::latency(&mut samples, before - start))
    }

    fn window(
        &mut self,
        size: Size,
        window: usize,
        shape: Shape,
        bound: Bound,
    ) -> io::Result<Measured> {
        let template = self.wire.request(size);
        let slot = template.bytes().len();
        let mut ring = template.bytes().repeat(window);
        let (mut sent, mut written, mut received) = (0u64, 0u64, 0u64);
        let (start, deadline) = (Instant::now(), bound.deadline());
        loop {
            let done = received / shape.length as u64;
            if sent < bound.calls && Instant::now() < deadline {
                // A slot is free again once its answer is here, so unwritten ones are never stamped.
                while sent < bound.calls && sent - done < window as u64 {
                    let at = (sent % window as u64) as usize * slot;
                    template.stamp(&mut ring[at..at + slot], self.next_id);
                    self.next_id += 1;
                    sent += 1;
                }
            } else if done == sent {
                return Ok(Measured::rate(done, start.elapsed()));
            }
            let wrote = self.write_ring(&ring, &mut written, sent * slot as u64)?;
            let read = self.count_answers(shape, &mut received)?;
            if !wrote && !read {
                self.wait(written < sent * slot as u64)?;
            }
        }
    }

    /// Writes what the pipe takes, from `written` up to `end`, both counted from the start of time.
    fn write_ring(&mut self, ring: &[u8], written: &mut u64, end: u64) -> io::Result<bool> {
        let mut progress = false;
        while *written < end {
            let from = (*written % ring.len() as u64) as usize;
            let to = ring.len().min(from + (end - *written) as usize);
            match self.link.writer.write(&ring[from..to]) {
                Ok(count) => *written += count as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
            progress = true;
        }
        Ok(progress)
    }

    fn count_answers(&mut self, shape: Shape, received: &mut u64) -> io::Result<bool> {
        let count = match self.link.reader.read(&mut self.buffer) {
            Ok(0) => return Err(ended()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        };
        let chunk = &self.buffer[..count];
        let into = (*received % shape.length as u64) as usize;
        let mut begin = (shape.length - into) % shape.length;
        if begin > 0 && begin <= count && chunk[begin - 1] != shape.last {
            return Err(misfit());
        }
        while begin < count {
            let end = begin + shape.length;
            if chunk[begin] != shape.first || (end <= count && chunk[end - 1] != shape.last) {
                return Err(misfit());
            }
            begin = end;
        }
        *received += count as u64;
        Ok(true)
    }

    fn wait(&self, writable: bool) -> io::Result<()> {
        let patience = Timespec {
            tv_sec: 10,
            tv_nsec: 0,
        };
        let reader = PollFd::new(&self.link.reader, PollFlags::IN);
        let writer = PollFd::new(&self.link.writer, PollFlags::OUT);
        let mut both = [reader, writer];
        let ends = if writable {
            &mut both[..]
        } else {
            &mut both[..1]
        };
        if poll(ends, Some(&patience))? == 0 {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "no answer for 10 s",
            ));
        }
        Ok(())
    }

    /// Events in writes of at least 32 KiB, then a call: its answer says that all have been read.
    pub fn events(&mut self, size: Size, bound: Bound) -> io::Result<Measured> {
        let event = self.wire.event(size);
        let batch = (32 << 10) / event.len() + 1;
        let chunk = event.repeat(batch);
        let (start, deadline) = (Instant::now(), bound.deadline());
        let mut count = 0;
        while count < bound.calls && Instant::now() < deadline {
            self.link.writer.write_all(&chunk)?;
            count += batch as u64;
        }
        self.one_call()?;
        Ok(Measured::rate(count, start.elapsed()))
    }

    /// Closes both ways, which ends a server on pipes.
    pub fn close(self) {
        drop(self.link);
        // Some servers need a moment between the end of input and the end of output.
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn ended() -> io::Error {
    io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the server closed the connection",
    )
}

fn misfit() -> io::Error {
    io::Error::other("an answer differs in length from the first one")
}
