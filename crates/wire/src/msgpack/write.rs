//! Writes msgpack values in their shortest form.

use bytes::BufMut;

/// Writes nil.
#[inline]
pub fn nil(out: &mut impl BufMut) {
    out.put_u8(0xc0);
}

/// Writes an integer.
#[inline]
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

/// Writes an integer; those that are not negative as unsigned ones.
#[inline]
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

/// Writes a float of 64 bits.
#[inline]
pub fn float(out: &mut impl BufMut, number: f64) {
    out.put_u8(0xcb);
    out.put_f64(number);
}

/// Writes `true` or `false`.
#[inline]
pub fn bool(out: &mut impl BufMut, value: bool) {
    out.put_u8(if value { 0xc3 } else { 0xc2 });
}

/// Writes a float of 32 bits.
#[inline]
pub fn float32(out: &mut impl BufMut, number: f32) {
    out.put_u8(0xca);
    out.put_f32(number);
}

/// Writes a text. The bytes should be UTF-8.
#[inline]
pub fn str(out: &mut impl BufMut, text: &[u8]) {
    match text.len() {
        length @ 0..=31 => out.put_u8(0xa0 | length as u8),
        length => sized(out, [0xd9, 0xda, 0xdb], length),
    }
    out.put_slice(text);
}

/// Writes bytes.
#[inline]
pub fn bin(out: &mut impl BufMut, bytes: &[u8]) {
    sized(out, [0xc4, 0xc5, 0xc6], bytes.len());
    out.put_slice(bytes);
}

/// Writes an ext value of this type.
#[inline]
pub fn ext(out: &mut impl BufMut, kind: i8, bytes: &[u8]) {
    match bytes.len() {
        length @ (1 | 2 | 4 | 8 | 16) => out.put_u8(0xd4 + length.ilog2() as u8),
        length => sized(out, [0xc7, 0xc8, 0xc9], length),
    }
    out.put_i8(kind);
    out.put_slice(bytes);
}

/// Writes the head of an array; `length` values must follow.
#[inline]
pub fn array(out: &mut impl BufMut, length: usize) {
    container(out, [0x90, 0xdc, 0xdd], length);
}

/// Writes the head of a map; `length` keys and values must follow.
#[inline]
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
