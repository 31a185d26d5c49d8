//! As much msgpack as the raw client needs: writing a string, and finding where a value ends.

pub fn text(value: &str, out: &mut Vec<u8>) {
    let length = value.len();
    match length {
        0..32 => out.push(0xa0 | length as u8),
        32..256 => out.extend([0xd9, length as u8]),
        256..65536 => {
            out.push(0xda);
            out.extend((length as u16).to_be_bytes());
        }
        _ => {
            out.push(0xdb);
            out.extend((length as u32).to_be_bytes());
        }
    }
    out.extend(value.as_bytes());
}

/// The length of the first value in the buffer, when all of it is there.
pub fn value_length(buffer: &[u8]) -> Result<Option<usize>, String> {
    let mut at = 0;
    // How many values are still to be passed over; a container adds its children.
    let mut left = 1usize;
    while left > 0 {
        let Some(&tag) = buffer.get(at) else {
            return Ok(None);
        };
        at += 1;
        left -= 1;
        let big_endian = |width: usize| {
            let bytes = buffer.get(at..at + width)?;
            Some(
                bytes
                    .iter()
                    .fold(0usize, |number, &byte| number << 8 | byte as usize),
            )
        };
        // (bytes of the length field, bytes behind it, children)
        let (field, plain, children) = match tag {
            0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => (0, 0, 0),
            0x80..=0x8f => (0, 0, 2 * (tag & 15) as usize),
            0x90..=0x9f => (0, 0, (tag & 15) as usize),
            0xa0..=0xbf => (0, (tag & 31) as usize, 0),
            0xcc | 0xd0 => (0, 1, 0),
            0xcd | 0xd1 => (0, 2, 0),
            0xca | 0xce | 0xd2 => (0, 4, 0),
            0xcb | 0xcf | 0xd3 => (0, 8, 0),
            0xc4 | 0xd9 | 0xc5 | 0xda | 0xc6 | 0xdb | 0xdc | 0xde | 0xdd | 0xdf => {
                let width = match tag {
                    0xc4 | 0xd9 => 1,
                    0xc5 | 0xda | 0xdc | 0xde => 2,
                    _ => 4,
                };
                let Some(number) = big_endian(width) else {
                    return Ok(None);
                };
                match tag {
                    0xdc | 0xdd => (width, 0, number),
                    0xde | 0xdf => (width, 0, 2 * number),
                    _ => (width, number, 0),
                }
            }
            _ => return Err(format!("unexpected msgpack tag {tag:#04x}")),
        };
        at += field + plain;
        left += children;
        if at > buffer.len() {
            return Ok(None);
        }
    }
    Ok(Some(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_string_is_found_for_every_width() {
        for length in [0, 31, 32, 255, 256, 65535, 65536] {
            let mut bytes = Vec::new();
            text(&"x".repeat(length), &mut bytes);
            let whole = bytes.len();
            assert_eq!(value_length(&bytes), Ok(Some(whole)));
            bytes.push(0xc0);
            assert_eq!(value_length(&bytes), Ok(Some(whole)));
            assert_eq!(value_length(&bytes[..whole - 1]), Ok(None));
        }
    }

    #[test]
    fn containers_hold_their_children() {
        let reply = [
            0x94, 1, 0xce, 0, 1, 2, 3, 0xc0, 0x81, 0xa1, b'a', 0xcd, 1, 2,
        ];
        assert_eq!(value_length(&reply), Ok(Some(reply.len())));
        assert_eq!(value_length(&reply[..13]), Ok(None));
    }
}
