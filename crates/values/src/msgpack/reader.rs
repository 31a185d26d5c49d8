//! Reading msgpack piece by piece.

use crate::error::{Error, Problem};
use crate::limits::Limits;
use crate::text::Text;
use crate::types::Type;
use crate::value::Value;

/// How many elements unknown lists are written out with, beside one for each byte of the data.
const SPREAD_ELEMENTS: usize = 1024;

/// The head of one value. Strings and the like are already read; what an array or map contains
/// follows.
#[derive(Clone, Copy)]
pub(crate) enum Head<'a> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    String(&'a [u8]),
    Binary(&'a [u8]),
    Array(usize),
    Map(usize),
    /// The type code and the payload.
    Extension(i8, &'a [u8]),
}

impl Head<'_> {
    /// What it is, for error messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Head::Nil => "nil",
            Head::Bool(_) => "a bool",
            Head::Unsigned(_) | Head::Signed(_) | Head::Float(_) => "a number",
            Head::String(_) => "a string",
            Head::Binary(_) => "binary data",
            Head::Array(_) => "an array",
            Head::Map(_) => "a map",
            Head::Extension(..) => "an extension",
        }
    }
}

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
    depth: usize,
    elements: usize,
    limits: Limits,
    /// Elements that were read and wait for their neighbours. Room is made as they arrive, and used
    /// again for the next collection.
    pub(super) values: Vec<Value>,
    /// The same for maps.
    pub(super) entries: Vec<(Text, Value)>,
    /// How many unknown elements lists of a known length may still be written out with.
    unknown_elements: usize,
    /// The type of the last dynamic value, and its text. Neighbours mostly have the same.
    last_type: Option<(&'a str, Type)>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], limits: Limits) -> Result<Reader<'a>, Error> {
        limits.check_size(bytes)?;
        let Limits {
            depth, elements, ..
        } = limits;
        Ok(Reader {
            bytes,
            offset: 0,
            depth,
            elements,
            limits,
            unknown_elements: SPREAD_ELEMENTS.saturating_add(bytes.len()),
            values: Vec::new(),
            entries: Vec::new(),
            last_type: None,
        })
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.offset == self.bytes.len()
    }

    /// Where the next byte is read.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    pub(crate) fn fail(&self, message: &'static str) -> Error {
        Problem::Msgpack {
            message,
            offset: self.offset,
        }
        .into()
    }

    fn ended(&self) -> Error {
        Problem::Msgpack {
            message: "the data ends inside a value",
            offset: self.bytes.len(),
        }
        .into()
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], Error> {
        let taken = self
            .offset
            .checked_add(length)
            .and_then(|end| self.bytes.get(self.offset..end));
        let taken = taken.ok_or_else(|| self.ended())?;
        self.offset += length;
        Ok(taken)
    }

    fn number<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let bytes = self.take(N)?.first_chunk::<N>().copied();
        bytes.ok_or_else(|| self.ended())
    }

    fn length(&mut self, size: u8) -> Result<usize, Error> {
        Ok(match size {
            1 => usize::from(u8::from_be_bytes(self.number()?)),
            2 => usize::from(u16::from_be_bytes(self.number()?)),
            _ => usize::try_from(u32::from_be_bytes(self.number()?)).map_err(|_| self.ended())?,
        })
    }

    /// The next value, or its head.
    #[inline(always)]
    pub(crate) fn head(&mut self) -> Result<Head<'a>, Error> {
        let Some(&code) = self.bytes.get(self.offset) else {
            return Err(self.ended());
        };
        self.offset += 1;
        Ok(match code {
            0x00..=0x7f => Head::Unsigned(u64::from(code)),
            0x80..=0x8f => Head::Map(usize::from(code & 0x0f)),
            0x90..=0x9f => Head::Array(usize::from(code & 0x0f)),
            0xa0..=0xbf => Head::String(self.take(usize::from(code & 0x1f))?),
            0xe0..=0xff => Head::Signed(i64::from(code.cast_signed())),
            _ => return self.long_head(code),
        })
    }

    /// Skips these bytes if they are next.
    #[inline]
    pub(crate) fn skip_bytes(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.bytes[self.offset..].starts_with(bytes) && !bytes.is_empty();
        if is_next {
            self.offset += bytes.len();
        }
        is_next
    }

    fn long_head(&mut self, code: u8) -> Result<Head<'a>, Error> {
        Ok(match code {
            0xc0 => Head::Nil,
            0xc2 => Head::Bool(false),
            0xc3 => Head::Bool(true),
            0xc4..=0xc6 => {
                let length = self.length(1 << (code - 0xc4))?;
                Head::Binary(self.take(length)?)
            }
            0xc7..=0xc9 => {
                let length = self.length(1 << (code - 0xc7))?;
                self.extension(length)?
            }
            0xca => Head::Float(f64::from(f32::from_be_bytes(self.number()?))),
            0xcb => Head::Float(f64::from_be_bytes(self.number()?)),
            0xcc => Head::Unsigned(u64::from(u8::from_be_bytes(self.number()?))),
            0xcd => Head::Unsigned(u64::from(u16::from_be_bytes(self.number()?))),
            0xce => Head::Unsigned(u64::from(u32::from_be_bytes(self.number()?))),
            0xcf => Head::Unsigned(u64::from_be_bytes(self.number()?)),
            0xd0 => Head::Signed(i64::from(i8::from_be_bytes(self.number()?))),
            0xd1 => Head::Signed(i64::from(i16::from_be_bytes(self.number()?))),
            0xd2 => Head::Signed(i64::from(i32::from_be_bytes(self.number()?))),
            0xd3 => Head::Signed(i64::from_be_bytes(self.number()?)),
            0xd4..=0xd8 => self.extension(1 << (code - 0xd4))?,
            0xd9..=0xdb => {
                let length = self.length(1 << (code - 0xd9))?;
                Head::String(self.take(length)?)
            }
            0xdc | 0xdd => Head::Array(self.length(2 << (code - 0xdc))?),
            0xde | 0xdf => Head::Map(self.length(2 << (code - 0xde))?),
            _ => {
                self.offset -= 1;
                return Err(self.fail("the byte 0xc1 does not begin a value"));
            }
        })
    }

    fn extension(&mut self, length: usize) -> Result<Head<'a>, Error> {
        let [code] = self.number()?;
        Ok(Head::Extension(code.cast_signed(), self.take(length)?))
    }

    /// Enters a collection of `values` values. They are counted before they are read, and refused
    /// where there are not even as many bytes left.
    pub(crate) fn enter(&mut self, values: usize) -> Result<(), Error> {
        if values > self.bytes.len() - self.offset {
            return Err(self.ended());
        }
        let elements = self.limits.count(self.elements, values)?;
        let Some(depth) = self.depth.checked_sub(1) else {
            let limit = self.limits.depth;
            return Err(Problem::Limit {
                what: "the depth of nesting",
                limit,
            }
            .into());
        };
        self.elements = elements;
        self.depth = depth;
        Ok(())
    }

    /// Goes back out.
    pub(crate) fn leave(&mut self) {
        self.depth += 1;
    }

    /// The value, or where it is a list of unknown elements that takes more room than the data that
    /// described it, the unknown list that says the same.
    pub(crate) fn spread(&mut self, value: Value) -> Value {
        let length = value.elements().map_or(0, <[Value]>::len);
        match self.unknown_elements.checked_sub(length) {
            Some(left) => {
                self.unknown_elements = left;
                value
            }
            None => Value::unknown_with(value.ty(), value.range()),
        }
    }

    /// The type that is written in this JSON.
    pub(crate) fn type_from(&mut self, json: &'a str) -> Result<Type, Error> {
        match &self.last_type {
            Some((known, ty)) if *known == json => Ok(ty.clone()),
            _ => {
                let ty = Type::from_json(json).map_err(Problem::from)?;
                self.last_type = Some((json, ty.clone()));
                Ok(ty)
            }
        }
    }

    /// Skips the next value.
    pub(crate) fn skip(&mut self) -> Result<(), Error> {
        let values = match self.head()? {
            Head::Array(length) => length,
            Head::Map(length) => length.checked_mul(2).ok_or_else(|| self.ended())?,
            _ => return Ok(()),
        };
        self.enter(values)?;
        for _ in 0..values {
            self.skip()?;
        }
        self.leave();
        Ok(())
    }
}
