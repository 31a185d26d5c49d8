//! MessagePack without a value tree: where a value ends, what its pieces are, and a codec for serde
//! types, in which [`Packed`] keeps a value as its bytes.
//!
//! Lengths that a peer declares are never allocated from; only bytes that arrived count.

mod decode;
mod encode;
mod packed;
mod reader;
mod scanner;
pub mod write;

use std::fmt;

pub use decode::decode;
pub use encode::encode;
pub use packed::Packed;
pub use reader::Reader;
pub use scanner::{Budget, Scanner, Skipper, Violation};

/// One piece of a msgpack stream: a whole scalar, or the beginning of a container.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// Nothing.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// An integer that is not negative.
    Unsigned(u64),
    /// An integer below zero.
    Negative(i64),
    /// A float, of 32 or 64 bits.
    Float(f64),
    /// A text, which may not be UTF-8.
    Str(&'a [u8]),
    /// Bytes.
    Bin(&'a [u8]),
    /// An ext value: its type and its bytes.
    Ext(i8, &'a [u8]),
    /// The beginning of an array, with the number of its values.
    Array(u32),
    /// The beginning of a map, with the number of its entries.
    Map(u32),
}

/// What a first byte and the length bytes behind it say.
struct Head {
    /// Bytes of marker, length and, for an ext value, its type.
    size: usize,
    /// Bytes of payload that follow.
    payload: usize,
    /// Values that follow (a map has two for each entry).
    children: u64,
}

/// What a first byte says where it says everything: how many bytes the value takes, and how many values
/// follow it. The value takes no bytes where the length is in the bytes that follow, and for the byte that
/// is never used.
static FIRST: [(u8, u8); 256] = {
    let mut first = [(1, 0); 256];
    let mut low = 0;
    while low < 16 {
        first[0x80 + low as usize] = (1, low * 2);
        first[0x90 + low as usize] = (1, low);
        first[0xa0 + low as usize] = (1 + low, 0);
        first[0xb0 + low as usize] = (17 + low, 0);
        low += 1;
    }
    let mut marker = 0xc4;
    while marker <= 0xdf {
        first[marker] = match marker {
            0xcc | 0xd0 => (2, 0),
            0xcd | 0xd1 => (3, 0),
            0xca | 0xce | 0xd2 => (5, 0),
            0xcb | 0xcf | 0xd3 => (9, 0),
            0xd4..=0xd8 => (2 + (1 << (marker - 0xd4)), 0),
            _ => (0, 0),
        };
        marker += 1;
    }
    first[0xc1] = (0, 0);
    first
};

/// How many bytes the value at `at` takes, without the values that follow it, and how many these are.
/// `None` when its head has not all arrived.
#[inline]
fn extent(bytes: &[u8], at: usize) -> Option<Result<(usize, u64), &'static str>> {
    let &marker = bytes.get(at)?;
    // Most values say everything in their first byte.
    match FIRST[usize::from(marker)] {
        (0, _) => Some(head(&bytes[at..])?.map(|head| {
            let size = head.size.saturating_add(head.payload);
            (size, head.children)
        })),
        (size, children) => Some(Ok((size.into(), children.into()))),
    }
}

/// Reads the head at the start of `bytes`; `None` when it has not all arrived.
fn head(bytes: &[u8]) -> Option<Result<Head, &'static str>> {
    let scalar = |size, payload| Head {
        size,
        payload,
        children: 0,
    };
    let container = |size, children: u64| Head {
        size,
        payload: 0,
        children,
    };
    let (&marker, rest) = bytes.split_first()?;
    let length = |width: usize| -> Option<usize> {
        let digits = rest.get(..width)?;
        Some(digits.iter().fold(0, |n, &byte| n << 8 | usize::from(byte)))
    };
    let low = usize::from(marker & 0x0f);
    Some(Ok(match marker {
        0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => scalar(1, 0),
        0x80..=0x8f => container(1, low as u64 * 2),
        0x90..=0x9f => container(1, low as u64),
        0xa0..=0xbf => scalar(1, usize::from(marker & 0x1f)),
        0xc1 => return Some(Err("the byte c1, which msgpack never uses")),
        0xc4 | 0xd9 => scalar(2, length(1)?),
        0xc5 | 0xda => scalar(3, length(2)?),
        0xc6 | 0xdb => scalar(5, length(4)?),
        0xc7 => scalar(3, length(1)?),
        0xc8 => scalar(4, length(2)?),
        0xc9 => scalar(6, length(4)?),
        0xcc | 0xd0 => scalar(1, 1),
        0xcd | 0xd1 => scalar(1, 2),
        0xca | 0xce | 0xd2 => scalar(1, 4),
        0xcb | 0xcf | 0xd3 => scalar(1, 8),
        0xd4..=0xd8 => scalar(2, 1 << (marker - 0xd4)),
        0xdc => container(3, length(2)? as u64),
        0xdd => container(5, length(4)? as u64),
        0xde => container(3, length(2)? as u64 * 2),
        0xdf => container(5, length(4)? as u64 * 2),
    }))
}

/// A value that could not be encoded as msgpack, or decoded from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct CodecError {
    problem: String,
}

impl CodecError {
    fn new(problem: impl fmt::Display) -> CodecError {
        CodecError {
            problem: problem.to_string(),
        }
    }
}

impl serde::ser::Error for CodecError {
    fn custom<T: fmt::Display>(problem: T) -> CodecError {
        CodecError::new(problem)
    }
}

impl serde::de::Error for CodecError {
    fn custom<T: fmt::Display>(problem: T) -> CodecError {
        CodecError::new(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_the_heads_say() {
        for marker in 0..=u8::MAX {
            let bytes = [marker, 0, 0, 0, 0, 0, 0, 0, 0];
            let head = head(&bytes).unwrap();
            let found = extent(&bytes, 0).unwrap();
            let expected = head.map(|head| (head.size + head.payload, head.children));
            assert_eq!(found, expected, "{marker:x}");
        }
    }
}
