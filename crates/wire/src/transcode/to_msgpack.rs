//! From JSON to msgpack.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::{ExtContent, ExtName, JSON_DEPTH};
use crate::json::{self, Scanner};
use crate::msgpack::write;

/// Appends the msgpack value to `out`. `text` has been checked: it is one JSON value.
pub(super) fn write(text: &[u8], out: &mut Vec<u8>, names: &[ExtName], depth: usize) -> Option<()> {
    let packer = Packer {
        text,
        scanner: Scanner::new(text, JSON_DEPTH),
        out,
        names,
    };
    { packer }.value(depth)
}

/// Walks the text, writing as it goes.
struct Packer<'a> {
    text: &'a [u8],
    scanner: Scanner<'a>,
    out: &'a mut Vec<u8>,
    names: &'a [ExtName],
}

impl Packer<'_> {
    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.scanner.peek()? {
            b'{' => self.object(&[], depth),
            b'[' => self.array(depth),
            _ => {
                let place = self.scanner.value().ok()?;
                write_scalar(&self.text[place], self.out)
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.scanner.take(b'[');
        let (start, mut count, mut is_first) = (self.out.len(), 0, true);
        while self.scanner.another(b']', &mut is_first).ok()? {
            self.value(depth)?;
            count += 1;
        }
        let mut head = Vec::new();
        write::array(&mut head, count);
        self.out.splice(start..start, head);
        Some(())
    }

    /// An object, in which `names` stand for numbers.
    fn object(&mut self, names: &[(u64, &str)], depth: usize) -> Option<()> {
        self.scanner.take(b'{');
        let (start, mut count, mut is_first) = (self.out.len(), 0, true);
        while self.scanner.another(b'}', &mut is_first).ok()? {
            let key = &self.text[self.scanner.key().ok()?];
            if count == 0 && key.starts_with(b"$") {
                let before = self.scanner.clone();
                let value = self.scanner.value().ok()?;
                if self.scanner.take(b'}') {
                    return self.spelling(key, &self.text[value], depth);
                }
                self.scanner = before;
            }
            let key = json::unescape(key)?;
            match names.iter().find(|(_, name)| *name == key) {
                Some((number, _)) => write::unsigned(self.out, *number),
                None => write::str(self.out, key.as_bytes()),
            }
            self.value(depth)?;
            count += 1;
        }
        let mut head = Vec::new();
        write::map(&mut head, count);
        self.out.splice(start..start, head);
        Some(())
    }

    /// Writes what the only member of an object stands for.
    fn spelling(&mut self, key: &[u8], value: &[u8], depth: usize) -> Option<()> {
        let bytes = |text: String| STANDARD.decode(text).ok();
        match key {
            b"$binary" => write::bin(self.out, &bytes(serde_json::from_slice(value).ok()?)?),
            b"$ext" => {
                let (code, text) = serde_json::from_slice(value).ok()?;
                write::ext(self.out, code, &bytes(text)?);
            }
            b"$float" => write::float(
                self.out,
                match serde_json::from_slice::<&str>(value).ok()? {
                    "NaN" => f64::NAN,
                    "Infinity" => f64::INFINITY,
                    "-Infinity" => f64::NEG_INFINITY,
                    _ => return None,
                },
            ),
            b"$map" => {
                let entries: Vec<(&RawValue, &RawValue)> = serde_json::from_slice(value).ok()?;
                write::map(self.out, entries.len());
                for (key, value) in entries {
                    self.inside(key.get().as_bytes(), depth)?;
                    self.inside(value.get().as_bytes(), depth)?;
                }
            }
            _ => match self.named_ext(key, value) {
                Some((code, ExtContent::Fixed(bytes))) => write::ext(self.out, code, bytes),
                Some((code, ExtContent::Map(keys))) => {
                    let mut bytes = Vec::new();
                    let mut packer = Packer {
                        text: value,
                        scanner: Scanner::new(value, JSON_DEPTH),
                        out: &mut bytes,
                        names: self.names,
                    };
                    match packer.scanner.peek()? {
                        b'{' => packer.object(keys, depth.checked_sub(1)?)?,
                        _ => packer.value(depth)?,
                    }
                    write::ext(self.out, code, &bytes);
                }
                None => {
                    write::map(self.out, 1);
                    write::str(self.out, json::unescape(key)?.as_bytes());
                    self.inside(value, depth)?;
                }
            },
        }
        Some(())
    }

    fn inside(&mut self, text: &[u8], depth: usize) -> Option<()> {
        write(text, self.out, self.names, depth)
    }

    fn named_ext(&self, key: &[u8], value: &[u8]) -> Option<(i8, ExtContent)> {
        let is_meant = |named: &&ExtName| {
            let is_fixed = matches!(named.content, ExtContent::Fixed(_));
            key == named.name.as_bytes() && is_fixed == (value == b"true")
        };
        let named = self.names.iter().find(is_meant)?;
        Some((named.code, named.content))
    }
}

fn write_scalar(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match text.first()? {
        b'n' => write::nil(out),
        b't' => out.push(0xc3),
        b'f' => out.push(0xc2),
        b'"' => write::str(out, json::unescape(&text[1..text.len() - 1])?.as_bytes()),
        _ => {
            let number = std::str::from_utf8(text).ok()?;
            match (number.parse::<u64>(), number.parse::<i64>()) {
                (Ok(number), _) => write::unsigned(out, number),
                (_, Ok(number)) if number != 0 => write::signed(out, number),
                _ => write::float(out, number.parse().ok().filter(|n: &f64| n.is_finite())?),
            }
        }
    }
    Some(())
}
