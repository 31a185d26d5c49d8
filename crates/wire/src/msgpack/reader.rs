//! The pieces of a msgpack value that has all arrived.

use std::ops::Range;

use super::{Token, extent, head};

/// Reads a complete value piece by piece.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first of `bytes`.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Where the next piece starts.
    #[inline]
    pub fn position(&self) -> usize {
        self.at
    }

    /// Takes the next piece; `None` when the bytes end too early or are not msgpack.
    #[inline]
    pub fn token(&mut self) -> Option<Token<'a>> {
        let &marker = self.bytes.get(self.at)?;
        // Most pieces say everything in their first byte.
        let token = match marker {
            0x00..=0x7f => Token::Unsigned(marker.into()),
            0xe0..=0xff => Token::Negative((marker as i8).into()),
            0xc0 => Token::Nil,
            0xc2 | 0xc3 => Token::Bool(marker == 0xc3),
            0x80..=0x8f => Token::Map((marker & 0x0f).into()),
            0x90..=0x9f => Token::Array((marker & 0x0f).into()),
            0xa0..=0xbf => {
                let start = self.at + 1;
                let end = start + usize::from(marker & 0x1f);
                let text = self.bytes.get(start..end)?;
                self.at = end;
                return Some(Token::Str(text));
            }
            _ => return self.long_token(marker),
        };
        self.at += 1;
        Some(token)
    }

    /// A piece with its length or its value in the bytes after the first.
    fn long_token(&mut self, marker: u8) -> Option<Token<'a>> {
        Some(match marker {
            0xcc => Token::Unsigned(u8::from_be_bytes(self.fixed()?).into()),
            0xcd => Token::Unsigned(u16::from_be_bytes(self.fixed()?).into()),
            0xce => Token::Unsigned(u32::from_be_bytes(self.fixed()?).into()),
            0xcf => Token::Unsigned(u64::from_be_bytes(self.fixed()?)),
            0xd0 => integer(i8::from_be_bytes(self.fixed()?).into()),
            0xd1 => integer(i16::from_be_bytes(self.fixed()?).into()),
            0xd2 => integer(i32::from_be_bytes(self.fixed()?).into()),
            0xd3 => integer(i64::from_be_bytes(self.fixed()?)),
            0xca => Token::Float(f32::from_be_bytes(self.fixed()?).into()),
            0xcb => Token::Float(f64::from_be_bytes(self.fixed()?)),
            0xd9..=0xdb => Token::Str(self.sized()?),
            0xc4..=0xc6 => Token::Bin(self.sized()?),
            0xc7..=0xc9 | 0xd4..=0xd8 => {
                let payload = self.sized()?;
                let kind = self.bytes[self.at - payload.len() - 1];
                Token::Ext(kind as i8, payload)
            }
            0xdc => Token::Array(u16::from_be_bytes(self.fixed()?).into()),
            0xdd => Token::Array(u32::from_be_bytes(self.fixed()?)),
            0xde => Token::Map(u16::from_be_bytes(self.fixed()?).into()),
            0xdf => Token::Map(u32::from_be_bytes(self.fixed()?)),
            // Never used, or whole in one byte.
            0xc1 | 0x00..=0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => return None,
        })
    }

    /// Takes the first byte and this many after it, which are returned.
    #[inline]
    fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.bytes.get(self.at + 1..)?.first_chunk()?;
        self.at += 1 + N;
        Some(*bytes)
    }

    /// Takes a piece whose head says its length, and returns its payload.
    fn sized(&mut self) -> Option<&'a [u8]> {
        let head = head(self.bytes.get(self.at..)?)?.ok()?;
        let start = self.at + head.size;
        let payload = self.bytes.get(start..start.checked_add(head.payload)?)?;
        self.at = start + head.payload;
        Some(payload)
    }

    /// Steps over one whole value and gives its place; `None` as in [`token`](Reader::token).
    #[inline]
    pub fn skip(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let mut left: u64 = 1;
        while left > 0 {
            let (size, children) = extent(self.bytes, self.at)?.ok()?;
            let end = self.at.checked_add(size)?;
            if end > self.bytes.len() {
                return None;
            }
            self.at = end;
            left = (left - 1).checked_add(children)?;
        }
        Some(start..self.at)
    }
}

fn integer(number: i64) -> Token<'static> {
    match number {
        ..0 => Token::Negative(number),
        _ => Token::Unsigned(number.unsigned_abs()),
    }
}
