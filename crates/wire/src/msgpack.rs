//! MessagePack without a value tree: where a value ends, and what its pieces are.
//!
//! Lengths that a peer declares are never allocated from; only bytes that arrived count.

/// One piece of a msgpack stream: a whole scalar, or the beginning of a container.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Negative(i64),
    Float(f64),
    Str(&'a [u8]),
    Bin(&'a [u8]),
    Ext(i8, &'a [u8]),
    Array(u32),
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

/// Finds the end of the value at the start of a growing buffer, going on where it stopped: each
/// byte is looked at once however small the pieces are that it arrives in.
#[derive(Debug, Default)]
pub struct Scanner {
    /// Everything before this has been looked at.
    at: usize,
    /// How many values each open container still wants.
    open: Vec<u64>,
    elements: u64,
}

/// How much a [`Scanner`] puts up with.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub bytes: usize,
    pub depth: usize,
    pub elements: u64,
}

/// Why a stream cannot be followed.
#[derive(Debug)]
pub enum Violation {
    /// It is no msgpack.
    NoMsgpack(&'static str),
    /// It is too much of something.
    Limit(String),
}

impl Scanner {
    /// The length of the first value in `buffer` once all of it is there. `buffer` must start
    /// with the same bytes as in the call before, until a length has been returned.
    pub fn scan(&mut self, buffer: &[u8], budget: Budget) -> Result<Option<usize>, Violation> {
        loop {
            let Some(head) = buffer.get(self.at..).and_then(head) else {
                return Ok(None);
            };
            let head = head.map_err(Violation::NoMsgpack)?;
            let end = self
                .at
                .saturating_add(head.size)
                .saturating_add(head.payload);
            if end > budget.bytes {
                return Err(Violation::Limit(format!(
                    "a message of more than {} bytes",
                    budget.bytes
                )));
            }
            if end > buffer.len() {
                // Come back when the payload is there. The head is read again, nothing else.
                return Ok(None);
            }
            self.elements += head.children;
            if self.elements > budget.elements {
                return Err(Violation::Limit(format!(
                    "more than {} values in a message",
                    budget.elements
                )));
            }
            self.at = end;
            if head.children > 0 {
                if self.open.len() == budget.depth {
                    return Err(Violation::Limit(format!(
                        "nested more than {} levels deep",
                        budget.depth
                    )));
                }
                self.open.push(head.children);
                continue;
            }
            // A value ended, and with it perhaps the containers around it.
            loop {
                match self.open.last_mut() {
                    None => {
                        let length = std::mem::take(&mut self.at);
                        self.elements = 0;
                        return Ok(Some(length));
                    }
                    Some(1) => {
                        self.open.pop();
                    }
                    Some(left) => {
                        *left -= 1;
                        break;
                    }
                }
            }
        }
    }

    /// Whether the scanner is in the middle of a value.
    #[cfg(test)]
    pub fn is_fresh(&self) -> bool {
        self.at == 0 && self.open.is_empty()
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

/// Reads a complete value piece by piece.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Where the next piece starts.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Takes the next piece; `None` when the bytes end too early or are no msgpack.
    pub fn next(&mut self) -> Option<Token<'a>> {
        let head = head(self.bytes.get(self.at..)?)?.ok()?;
        let marker = self.bytes[self.at];
        let start = self.at + head.size;
        let payload = self.bytes.get(start..start.checked_add(head.payload)?)?;
        self.at = start + head.payload;
        let unsigned = || payload.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let signed = || {
            let unused = 64 - 8 * payload.len() as u32;
            (unsigned() << unused) as i64 >> unused
        };
        Some(match marker {
            0x00..=0x7f => Token::Unsigned(marker.into()),
            0xe0..=0xff => Token::Negative((marker as i8).into()),
            0xc0 => Token::Nil,
            0xc2 | 0xc3 => Token::Bool(marker == 0xc3),
            0xcc..=0xcf => Token::Unsigned(unsigned()),
            0xd0..=0xd3 => match signed() {
                number @ ..0 => Token::Negative(number),
                number => Token::Unsigned(number.unsigned_abs()),
            },
            0xca => Token::Float(f32::from_bits(unsigned() as u32).into()),
            0xcb => Token::Float(f64::from_bits(unsigned())),
            0xa0..=0xbf | 0xd9..=0xdb => Token::Str(payload),
            0xc4..=0xc6 => Token::Bin(payload),
            0xc7..=0xc9 | 0xd4..=0xd8 => Token::Ext(self.bytes[start - 1] as i8, payload),
            0x90..=0x9f | 0xdc | 0xdd => Token::Array(u32::try_from(head.children).ok()?),
            0x80..=0x8f | 0xde | 0xdf => Token::Map(u32::try_from(head.children / 2).ok()?),
            0xc1 => return None,
        })
    }

    /// Steps over one whole value and gives its bytes.
    pub fn skip(&mut self) -> Option<std::ops::Range<usize>> {
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

/// Writes values in their shortest form.
pub mod write {
    use bytes::BufMut;

    pub fn nil(out: &mut impl BufMut) {
        out.put_u8(0xc0);
    }

    pub fn unsigned(out: &mut impl BufMut, number: u64) {
        match number {
            0..=0x7f => out.put_u8(number as u8),
            0x80..=0xff => {
                out.put_u8(0xcc);
                out.put_u8(number as u8);
            }
            0x100..=0xffff => {
                out.put_u8(0xcd);
                out.put_u16(number as u16);
            }
            0x1_0000..=0xffff_ffff => {
                out.put_u8(0xce);
                out.put_u32(number as u32);
            }
            _ => {
                out.put_u8(0xcf);
                out.put_u64(number);
            }
        }
    }

    pub fn signed(out: &mut impl BufMut, number: i64) {
        match number {
            0.. => unsigned(out, number.unsigned_abs()),
            -32..=-1 => out.put_i8(number as i8),
            -0x80..=-33 => {
                out.put_u8(0xd0);
                out.put_i8(number as i8);
            }
            -0x8000..=-0x81 => {
                out.put_u8(0xd1);
                out.put_i16(number as i16);
            }
            -0x8000_0000..=-0x8001 => {
                out.put_u8(0xd2);
                out.put_i32(number as i32);
            }
            _ => {
                out.put_u8(0xd3);
                out.put_i64(number);
            }
        }
    }

    pub fn float(out: &mut impl BufMut, number: f64) {
        out.put_u8(0xcb);
        out.put_f64(number);
    }

    pub fn str(out: &mut impl BufMut, text: &[u8]) {
        match text.len() {
            length @ 0..=31 => out.put_u8(0xa0 | length as u8),
            length => sized(out, [0xd9, 0xda, 0xdb], length),
        }
        out.put_slice(text);
    }

    pub fn bin(out: &mut impl BufMut, bytes: &[u8]) {
        sized(out, [0xc4, 0xc5, 0xc6], bytes.len());
        out.put_slice(bytes);
    }

    pub fn ext(out: &mut impl BufMut, kind: i8, bytes: &[u8]) {
        match bytes.len() {
            length @ (1 | 2 | 4 | 8 | 16) => out.put_u8(0xd4 + length.ilog2() as u8),
            length => sized(out, [0xc7, 0xc8, 0xc9], length),
        }
        out.put_i8(kind);
        out.put_slice(bytes);
    }

    pub fn array(out: &mut impl BufMut, length: usize) {
        container(out, [0x90, 0xdc, 0xdd], length);
    }

    pub fn map(out: &mut impl BufMut, length: usize) {
        container(out, [0x80, 0xde, 0xdf], length);
    }

    fn container(out: &mut impl BufMut, [short, word, long]: [u8; 3], length: usize) {
        match length {
            0..=15 => out.put_u8(short | length as u8),
            16..=0xffff => {
                out.put_u8(word);
                out.put_u16(length as u16);
            }
            _ => {
                out.put_u8(long);
                out.put_u32(length as u32);
            }
        }
    }

    fn sized(out: &mut impl BufMut, [byte, word, long]: [u8; 3], length: usize) {
        match length {
            0..=0xff => {
                out.put_u8(byte);
                out.put_u8(length as u8);
            }
            0x100..=0xffff => {
                out.put_u8(word);
                out.put_u16(length as u16);
            }
            _ => {
                out.put_u8(long);
                out.put_u32(length as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rmpv::Value;

    const BUDGET: Budget = Budget {
        bytes: 1 << 20,
        depth: 32,
        elements: 10_000,
    };

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
            prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::Binary),
            (any::<i8>(), prop::collection::vec(any::<u8>(), 0..40))
                .prop_map(|(kind, bytes)| Value::Ext(kind, bytes)),
        ];
        leaf.prop_recursive(4, 64, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
                prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
            ]
        })
    }

    fn encoded(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, value).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn finds_the_end_however_the_bytes_arrive(value in any_value(), step in 1usize..7) {
            let bytes = encoded(&value);
            let mut followed = bytes.clone();
            followed.extend([0xc1, 0xc1]);
            let mut scanner = Scanner::default();
            let mut have = 0;
            let length = loop {
                have = (have + step).min(followed.len());
                if let Some(length) = scanner.scan(&followed[..have], BUDGET).unwrap() {
                    break length;
                }
                prop_assert!(have < followed.len());
            };
            prop_assert_eq!(length, bytes.len());
            prop_assert!(scanner.is_fresh());
            prop_assert_eq!(Reader::new(&bytes).skip(), Some(0..bytes.len()));
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Scanner::default().scan(&bytes, BUDGET);
            let mut reader = Reader::new(&bytes);
            while reader.next().is_some() {}
            let _ = Reader::new(&bytes).skip();
        }

        #[test]
        fn integers_are_written_as_short_as_an_independent_writer_does(number in any::<i64>(), shift in 0u32..64) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            write::signed(&mut bytes, number);
            prop_assert_eq!(&bytes, &encoded(&Value::from(number)));
            let expected = if number < 0 { Token::Negative(number) } else { Token::Unsigned(number as u64) };
            prop_assert_eq!(Reader::new(&bytes).next(), Some(expected));
        }
    }

    #[test]
    fn declared_lengths_cost_nothing() {
        let error = |bytes: &[u8]| {
            let violation = Scanner::default().scan(bytes, BUDGET).unwrap_err();
            format!("{violation:?}")
        };
        assert!(error(b"\xdd\xff\xff\xff\xff").contains("values"));
        assert!(error(b"\xdb\xff\xff\xff\xff").contains("bytes"));
        assert!(error(b"\xdf\xff\xff\xff\xff").contains("values"));
        assert!(error(&[0x91; 100]).contains("deep"));
        assert!(error(b"\x91\xc1").contains("c1"));
        // A chain of headers, each of them modest, still adds up.
        assert!(error(&b"\xdc\x0f\xff".repeat(20)).contains("values"));
    }
}
