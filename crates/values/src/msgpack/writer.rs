//! Writing msgpack, each thing in its shortest form.

use crate::Number;

#[inline]
pub(crate) fn nil(out: &mut Vec<u8>) {
    out.push(0xc0);
}

#[inline]
pub(crate) fn boolean(value: bool, out: &mut Vec<u8>) {
    out.push(0xc2 | u8::from(value));
}

#[inline]
pub(crate) fn unsigned(value: u64, out: &mut Vec<u8>) {
    let bytes = value.to_be_bytes();
    match value {
        0..=0x7f => out.push(bytes[7]),
        0x80..=0xff => out.extend_from_slice(&[0xcc, bytes[7]]),
        0x100..=0xffff => out.extend_from_slice(&[0xcd, bytes[6], bytes[7]]),
        0x1_0000..=0xffff_ffff => {
            out.push(0xce);
            out.extend_from_slice(&bytes[4..]);
        }
        _ => {
            out.push(0xcf);
            out.extend_from_slice(&bytes);
        }
    }
}

fn negative(value: i64, out: &mut Vec<u8>) {
    let bytes = value.to_be_bytes();
    match value {
        -0x20.. => out.push(bytes[7]),
        -0x80.. => out.extend_from_slice(&[0xd0, bytes[7]]),
        -0x8000.. => out.extend_from_slice(&[0xd1, bytes[6], bytes[7]]),
        -0x8000_0000.. => {
            out.push(0xd2);
            out.extend_from_slice(&bytes[4..]);
        }
        _ => {
            out.push(0xd3);
            out.extend_from_slice(&bytes);
        }
    }
}

/// A number: an integer that fits 64 bits as one, a fraction that is exactly a float64 as one,
/// and anything else as decimal text. Integers are never floats.
#[inline]
pub(crate) fn number(number: &Number, out: &mut Vec<u8>) {
    match number.to_i64() {
        Some(integer) => self::integer(integer, out),
        None => large(number, out),
    }
}

#[inline]
pub(crate) fn integer(value: i64, out: &mut Vec<u8>) {
    match u64::try_from(value) {
        Ok(value) => unsigned(value, out),
        Err(_) => negative(value, out),
    }
}

/// A number that is not an integer of 64 bits.
pub(crate) fn large(number: &Number, out: &mut Vec<u8>) {
    let is_float = number.is_infinite() || !number.is_integer();
    match number.to_f64_exact().filter(|_| is_float) {
        Some(float) => {
            out.push(0xcb);
            out.extend_from_slice(&float.to_be_bytes());
        }
        None => string(number.to_text().as_bytes(), out),
    }
}

#[inline]
pub(crate) fn string(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes.len() {
        length @ 0..=31 => out.push(0xa0 | length as u8),
        length @ 32..=0xff => out.extend_from_slice(&[0xd9, length as u8]),
        length => sized(length, 0xda, 0xdb, out),
    }
    out.extend_from_slice(bytes);
}

pub(crate) fn binary(bytes: &[u8], out: &mut Vec<u8>) {
    match bytes.len() {
        length @ 0..=0xff => out.extend_from_slice(&[0xc4, length as u8]),
        length => sized(length, 0xc5, 0xc6, out),
    }
    out.extend_from_slice(bytes);
}

#[inline]
pub(crate) fn array(length: usize, out: &mut Vec<u8>) {
    match length {
        0..=15 => out.push(0x90 | length as u8),
        _ => sized(length, 0xdc, 0xdd, out),
    }
}

#[inline]
pub(crate) fn map(length: usize, out: &mut Vec<u8>) {
    match length {
        0..=15 => out.push(0x80 | length as u8),
        _ => sized(length, 0xde, 0xdf, out),
    }
}

/// The head of an extension with a payload of `length` bytes.
pub(crate) fn extension(code: i8, length: usize, out: &mut Vec<u8>) {
    match length {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        0..=0xff => out.extend_from_slice(&[0xc7, length as u8]),
        _ => sized(length, 0xc8, 0xc9, out),
    }
    out.push(code.cast_unsigned());
}

/// A length in two bytes after one code, or in four after another.
fn sized(length: usize, two: u8, four: u8, out: &mut Vec<u8>) {
    if let Ok(length) = u16::try_from(length) {
        out.push(two);
        out.extend_from_slice(&length.to_be_bytes());
    } else {
        // No value in memory has more than four billion elements or bytes.
        out.push(four);
        out.extend_from_slice(&(length as u32).to_be_bytes());
    }
}

/// The name of an attribute, ready to be written and to be looked for: in its shortest form, with
/// zeros behind it. All zeros where it is longer than that form can be.
pub(crate) struct Key([u8; 32]);

impl Key {
    pub(crate) fn new(name: &str) -> Key {
        let mut key = [0; 32];
        if let Some(room) = key.get_mut(1..=name.len()) {
            room.copy_from_slice(name.as_bytes());
            key[0] = 0xa0 | name.len() as u8;
        }
        Key(key)
    }

    /// The bytes without the zeros; none of a long name.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.0[0] {
            0 => &[],
            head => &self.0[..=usize::from(head & 0x1f)],
        }
    }

    /// Writes the name that the key was made from. All 32 bytes are copied, which is faster than to
    /// copy as many as there are, and those that are too many are given up again.
    #[inline]
    pub(crate) fn write(&self, name: &str, out: &mut Vec<u8>) {
        if self.0[0] == 0 {
            return string(name.as_bytes(), out);
        }
        let end = out.len() + self.bytes().len();
        out.extend_from_slice(&self.0);
        out.truncate(end);
    }
}
