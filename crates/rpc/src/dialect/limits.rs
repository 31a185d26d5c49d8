//! How much a peer may send.

/// Limits on what is accepted of a peer's stream.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes of one frame.
    pub frame: usize,
    /// The nesting of the values in it, at most 1,024.
    pub depth: usize,
    /// The values in one frame of msgpack.
    pub elements: usize,
    /// The messages in one batch.
    pub batch: usize,
    /// What happens to a frame that is too long.
    pub oversized: Oversized,
}

/// What happens to a frame that is longer than [`Limits::frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oversized {
    /// It ends the connection.
    End,
    /// It is skipped as it arrives, and what follows it is read. Nothing of it is kept but its id:
    /// if it is an answer, that call fails ([`CallError::TooLong`](crate::CallError::TooLong)); if it
    /// is a request, it is answered with an error.
    Skip,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            frame: 16 * 1024 * 1024,
            depth: 128,
            elements: 4_000_000,
            batch: 1024,
            oversized: Oversized::End,
        }
    }
}
