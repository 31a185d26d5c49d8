//! The pieces of a msgpack value that has all arrived.

use std::ops::Range;

use super::{Token, head};

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

    /// A piece with its length or its value in the bytes behind the first.
    fn long_token(&mut self, marker: u8) -> Option<Token<'a>> {
        let head = head(self.bytes.get(self.at..)?)?.ok()?;
        let start = self.at + head.size;
        let payload = self.bytes.get(start..start.checked_add(head.payload)?)?;
        self.at = start + head.payload;
        let unsigned = || payload.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let signed = || {
            let unused = 64 - 8 * payload.len() as u32;
            (unsigned() << unused) as i64 >> unused
        };
        Some(match marker {
            0xcc..=0xcf => Token::Unsigned(unsigned()),
            0xd0..=0xd3 => match signed() {
                number @ ..0 => Token::Negative(number),
                number => Token::Unsigned(number.unsigned_abs()),
            },
            0xca => Token::Float(f32::from_bits(unsigned() as u32).into()),
            0xcb => Token::Float(f64::from_bits(unsigned())),
            0xd9..=0xdb => Token::Str(payload),
            0xc4..=0xc6 => Token::Bin(payload),
            0xc7..=0xc9 | 0xd4..=0xd8 => Token::Ext(self.bytes[start - 1] as i8, payload),
            0xdc | 0xdd => Token::Array(u32::try_from(head.children).ok()?),
            0xde | 0xdf => Token::Map(u32::try_from(head.children / 2).ok()?),
            // Never used, or said in one byte.
            0xc1 | 0x00..=0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => return None,
        })
    }

    /// Steps over one whole value and gives its place; `None` as in [`token`](Reader::token).
    #[inline]
    pub fn skip(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let mut left: u64 = 1;
        while left > 0 {
            let head = head(self.bytes.get(self.at..)?)?.ok()?;
            let end = self.at.checked_add(head.size)?.checked_add(head.payload)?;
            if end > self.bytes.len() {
                return None;
            }
            self.at = end;
            left = (left - 1).checked_add(head.children)?;
        }
        Some(start..self.at)
    }
}
