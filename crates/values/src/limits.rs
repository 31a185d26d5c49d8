//! How much is too much.

use crate::error::Problem;

/// Numbers with fewer digits than these are not much longer than what they were read from.
const LONG_NUMBER: usize = 128;

/// How much a decoder takes on. All are far above what Terraform sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of the whole value.
    pub size: usize,
    /// How deep values are nested. JSON may be nested twice as deep, since dynamic values take a level
    /// of their own there.
    pub depth: usize,
    /// How many values there are, at every depth together.
    pub elements: usize,
}

impl Limits {
    /// The data is not too large.
    pub(crate) fn check_size(&self, data: &[u8]) -> Result<(), Problem> {
        match data.len() > self.size {
            true => Err(Problem::Limit {
                what: "the number of bytes",
                limit: self.size,
            }),
            false => Ok(()),
        }
    }

    /// The end of what is written is not beyond the size that would be read, after a number was
    /// written that took `written` bytes. Only numbers need that: where all their digits are written,
    /// a few bytes of an exponent become many.
    pub(crate) fn check_digits(&self, written: usize, end: usize) -> Result<(), Problem> {
        match written > LONG_NUMBER && end > self.size {
            true => Err(Problem::Limit {
                what: "the number of bytes",
                limit: self.size,
            }),
            false => Ok(()),
        }
    }

    /// How many values are left after `values` more; an error if there are too many.
    pub(crate) fn count(&self, left: usize, values: usize) -> Result<usize, Problem> {
        left.checked_sub(values).ok_or(Problem::Limit {
            what: "the number of values",
            limit: self.elements,
        })
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            size: 64 << 20,
            depth: 128,
            elements: 4 << 20,
        }
    }
}
