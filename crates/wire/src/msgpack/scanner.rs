//! Where a msgpack value ends, as it arrives.

use super::{extent, head};

/// Finds the end of the value at the start of a growing buffer, going on where it stopped: each
/// byte is looked at only once, however small the pieces are that it arrives in.
#[derive(Debug, Default)]
pub struct Scanner {
    /// Everything before this has been looked at.
    at: usize,
    /// How many values the innermost open container wants after the next one.
    more: u64,
    /// The same for the containers around it.
    open: Vec<u64>,
    elements: u64,
}

/// How much of one value a [`Scanner`] accepts.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// The bytes of the value.
    pub bytes: usize,
    /// The levels of nesting.
    pub depth: usize,
    /// The values in it, keys of maps included.
    pub elements: u64,
}

/// Why a stream cannot be followed.
#[derive(Debug)]
pub enum Violation {
    /// It is not msgpack.
    NotMsgpack(&'static str),
    /// It is too much of something.
    Limit(String),
}

impl Scanner {
    /// The length of the first value in `buffer` once all of it is there. `buffer` must start
    /// with the same bytes as in the call before, until a length has been returned.
    ///
    /// # Errors
    /// The bytes are not msgpack, or go over the budget.
    pub fn scan(&mut self, buffer: &[u8], budget: Budget) -> Result<Option<usize>, Violation> {
        let within = buffer.len().min(budget.bytes);
        let (mut at, mut more) = (self.at, self.more);
        while let Some(extent) = extent(buffer, at) {
            let (size, children) = extent.map_err(Violation::NotMsgpack)?;
            let end = at.saturating_add(size);
            if end > budget.bytes {
                return Err(Violation::Limit(format!(
                    "a message of more than {} bytes",
                    budget.bytes
                )));
            }
            if end > within {
                // Come back when the payload is there. The head is read again, nothing else.
                break;
            }
            at = end;
            if children > 0 {
                self.enter(children, budget)?;
                self.open.push(more);
                more = children - 1;
                continue;
            }
            // A value ended, and with it perhaps the containers around it.
            while more == 0 {
                let Some(around) = self.open.pop() else {
                    (self.at, self.more, self.elements) = (0, 0, 0);
                    return Ok(Some(at));
                };
                more = around;
            }
            more -= 1;
        }
        (self.at, self.more) = (at, more);
        Ok(None)
    }

    /// Counts the values of a container that begins.
    fn enter(&mut self, children: u64, budget: Budget) -> Result<(), Violation> {
        self.elements += children;
        if self.elements > budget.elements {
            return Err(Violation::Limit(format!(
                "more than {} values in a message",
                budget.elements
            )));
        }
        if self.open.len() == budget.depth {
            return Err(Violation::Limit(format!(
                "nested more than {} levels deep",
                budget.depth
            )));
        }
        Ok(())
    }
}

/// Steps over a value that is not kept, as it arrives.
#[derive(Debug, Default)]
pub struct Skipper {
    has_begun: bool,
    /// How many values each open container still wants.
    open: Vec<u64>,
    /// Bytes of a text or binary value that are still to come.
    payload: usize,
}

impl Skipper {
    /// Deeper values cannot be followed.
    const DEPTH: usize = 16 * 1024;

    /// How many bytes of `buffer` belong to the value, and whether they are the last of it.
    ///
    /// # Errors
    /// The bytes are not msgpack, or are nested too deeply to be followed.
    pub fn skip(&mut self, buffer: &[u8]) -> Result<(usize, bool), &'static str> {
        let mut at = 0;
        loop {
            let taken = self.payload.min(buffer.len() - at);
            self.payload -= taken;
            at += taken;
            if self.payload > 0 {
                return Ok((at, false));
            }
            if self.has_begun && self.open.is_empty() {
                return Ok((at, true));
            }
            let Some(head) = head(&buffer[at..]) else {
                return Ok((at, false));
            };
            let head = head?;
            if head.size > buffer.len() - at {
                return Ok((at, false));
            }
            at += head.size;
            (self.has_begun, self.payload) = (true, head.payload);
            if let Some(left) = self.open.last_mut() {
                *left -= 1;
            }
            if head.children > 0 {
                if self.open.len() == Skipper::DEPTH {
                    return Err("nested too deeply to be skipped");
                }
                self.open.push(head.children);
            }
            while self.open.last() == Some(&0) {
                self.open.pop();
            }
        }
    }
}
