//! What is measured, and how much of it.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    /// Microseconds of a call of the client and its answer.
    Call,
    /// Microseconds of an event of the client and an update of the agent.
    Update,
    /// Microseconds of a call of the agent for a file and its answer.
    Read,
    /// Thousands of chunks per second, each of them passed on.
    Chunks,
    /// Thousands of chunks per second, joined above the rate of updates.
    Joined,
    /// Milliseconds of a call of the agent that writes a file of 10 MiB, to a client that only reads the message.
    Write,
    /// The same, to a client that decodes the message and writes the file.
    Stored,
    /// MiB of the process between, with 100 open sessions.
    Sessions,
}

impl Cell {
    pub const ALL: [Cell; 8] = [
        Cell::Call,
        Cell::Update,
        Cell::Read,
        Cell::Chunks,
        Cell::Joined,
        Cell::Write,
        Cell::Stored,
        Cell::Sessions,
    ];

    /// Two messages pass in each.
    pub const ROUND_TRIPS: [Cell; 3] = [Cell::Call, Cell::Update, Cell::Read];

    pub fn heading(self) -> &'static str {
        match self {
            Cell::Call => "call and answer µs",
            Cell::Update => "event and update µs",
            Cell::Read => "fs/read and answer µs",
            Cell::Chunks => "chunks k/s",
            Cell::Joined => "chunks k/s, joined",
            Cell::Write => "fs/write of 10 MiB ms",
            Cell::Stored => "and stored ms",
            Cell::Sessions => "100 sessions MiB",
        }
    }
}

/// How much of each is measured in a round.
pub struct Amounts {
    /// How long calls and updates are measured.
    pub each: Duration,
    pub reads: usize,
    pub chunks: usize,
    pub writes: usize,
}

impl Amounts {
    pub const WHOLE: Amounts = Amounts {
        each: Duration::from_millis(100),
        reads: 2000,
        chunks: 200_000,
        writes: 5,
    };

    pub const QUICK: Amounts = Amounts {
        each: Duration::from_millis(40),
        reads: 500,
        chunks: 50_000,
        writes: 3,
    };
}

/// The content of the file that is written: 10 MiB, less the rest of the message, which counts as well.
pub const BYTES: usize = 10 * 1024 * 1024 - 4096;

/// How many sessions are opened to measure memory.
pub const SESSIONS: usize = 100;
