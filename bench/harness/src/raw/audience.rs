//! Many raw clients of one server, to whom it sends the same events.
//!
//! They do as little as possible: one after the other reads until it has the bytes of a burst. The next
//! burst is asked for before the last one has arrived, so that the server does not wait.
//! Two bursts are fewer events than a server may drop because a client reads too slowly.

use std::io::{self, Read};
use std::path::Path;
use std::time::Instant;

use bench_workload::{Bound, Measured};

use super::stream::Sizes;
use super::{Client, ended};
use crate::link;
use crate::template::Template;
use crate::wire::Wire;

/// Events of a burst.
const BURST: u64 = 128;

/// Bursts that are on the way at the same time.
const AHEAD: u64 = 2;

pub struct Audience {
    /// The first of them asks, and is answered as well.
    members: Vec<Member>,
    template: Template,
    sizes: Sizes,
    /// One for all: a hundred of them would not fit into the caches.
    buffer: Vec<u8>,
}

struct Member {
    client: Client,
    received: u64,
}

impl Audience {
    /// Connects so many clients; a call of each makes sure that the server knows them all.
    pub fn gather(path: &Path, wire: Wire, count: usize) -> io::Result<Audience> {
        let mut members = Vec::with_capacity(count);
        for _ in 0..count {
            let mut client = Client::new(link::connect(path)?, wire)?;
            client.one_call()?;
            members.push(Member {
                client,
                received: 0,
            });
        }
        let mut audience = Audience {
            members,
            template: wire.request_events("broadcast", BURST),
            sizes: Sizes::default(),
            buffer: vec![0; 256 << 10],
        };
        audience.look()?;
        Ok(audience)
    }

    /// One burst that everybody reads and understands.
    fn look(&mut self) -> io::Result<()> {
        for index in 0..self.members.len() {
            let (client, is_first) = (&mut self.members[index].client, index == 0);
            if is_first {
                client.ask(&self.template)?;
            }
            let sizes = client.events_and_answers(BURST, u64::from(is_first))?;
            if is_first {
                self.sizes = sizes;
            } else if sizes.event != self.sizes.event {
                return Err(io::Error::other("not everybody is sent the same"));
            }
            client.buffer = Vec::new();
        }
        Ok(())
    }

    /// Bursts until the bound is reached; counts the events that arrived.
    pub fn run(&mut self, bound: Bound) -> io::Result<Measured> {
        self.bursts(bound.warm_up())?;
        self.bursts(bound)
    }

    fn bursts(&mut self, bound: Bound) -> io::Result<Measured> {
        let each = BURST * self.members.len() as u64;
        let (start, deadline) = (Instant::now(), bound.deadline());
        let (mut asked, mut read) = (0, 0);
        for member in &mut self.members {
            member.received = 0;
        }
        let wants_more = |asked| asked * each < bound.calls && Instant::now() < deadline;
        while read < asked || wants_more(asked) {
            while asked - read < AHEAD && wants_more(asked) {
                self.members[0].client.ask(&self.template)?;
                asked += 1;
            }
            if read < asked {
                read += 1;
                self.read_up_to(read)?;
            }
        }
        let elapsed = start.elapsed();
        let is_exact = |(index, member): (usize, &Member)| member.received == self.due(index, read);
        match self.members.iter().enumerate().all(is_exact) {
            true => Ok(Measured::rate(read * each, elapsed)),
            false => Err(io::Error::other("more came than was asked for")),
        }
    }

    /// How many bytes the member of that index gets with so many bursts.
    fn due(&self, index: usize, bursts: u64) -> u64 {
        let answers = if index == 0 { bursts } else { 0 };
        bursts * BURST * self.sizes.event + answers * self.sizes.answer
    }

    /// Until everybody has so many bursts.
    fn read_up_to(&mut self, bursts: u64) -> io::Result<()> {
        for index in 0..self.members.len() {
            let due = self.due(index, bursts);
            let Member { client, received } = &mut self.members[index];
            while *received < due {
                match client.link.reader.read(&mut self.buffer)? {
                    0 => return Err(ended()),
                    count => *received += count as u64,
                }
            }
        }
        Ok(())
    }
}
