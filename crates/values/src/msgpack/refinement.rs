//! Unknown values in msgpack: an extension, perhaps with what is known of the value.

use crate::error::{Error, Problem};
use crate::limits::Limits;
use crate::msgpack::decode::number;
use crate::msgpack::reader::{Head, Reader};
use crate::msgpack::writer;
use crate::refinement::{Bound, Refinement};
use crate::text::Text;
use crate::types::Type;
use crate::value::Value;

/// The ext type that unknown values without refinements are written as, with one zero byte. When
/// reading, every ext value that is not a refined unknown is one of these.
pub const UNKNOWN: i8 = 0;
/// The ext type that unknown values with refinements are written as.
pub const REFINED_UNKNOWN: i8 = 12;
/// The most that a peer accepts of a refined unknown.
const LARGEST: usize = 1024;
/// A prefix that is longer than the first is cut to the second before it is sent.
const LONGEST_PREFIX: usize = 256;
const CUT_PREFIX: usize = 255;

mod key {
    pub(super) const NULL: u64 = 1;
    pub(super) const PREFIX: u64 = 2;
    pub(super) const LOWER: u64 = 3;
    pub(super) const UPPER: u64 = 4;
    pub(super) const SHORTEST: u64 = 5;
    pub(super) const LONGEST: u64 = 6;
}

pub(super) fn decode(code: i8, payload: &[u8], ty: &Type) -> Result<Value, Error> {
    let unknown = Value::unknown(ty.clone());
    if payload.len() < 2 || code != REFINED_UNKNOWN {
        return Ok(unknown);
    }
    if payload.len() > LARGEST {
        return Err(Problem::Limit {
            what: "the size of a refinement in bytes",
            limit: LARGEST,
        }
        .into());
    }
    let mut reader = Reader::new(payload, Limits::default())?;
    let Head::Map(length) = reader.head()? else {
        return Err(reader.fail("the refinement of an unknown value must be a map"));
    };
    reader.enter(length.saturating_mul(2))?;
    let mut value = unknown;
    for _ in 0..length {
        let key = match reader.head()? {
            Head::Unsigned(key) => key,
            // No negative key has a meaning yet.
            Head::Signed(key) => u64::try_from(key).unwrap_or(u64::MAX),
            _ => return Err(reader.fail("the keys of a refinement must be numbers")),
        };
        value = match key {
            key::NULL => match boolean(&mut reader)? {
                true => value.refine_null()?,
                false => value.refine_not_null()?,
            },
            key::PREFIX => value.refine_whole_prefix(prefix(&mut reader)?)?,
            key::LOWER => value.refine_lower_to(Some(bound(&mut reader)?))?,
            key::UPPER => value.refine_upper_to(Some(bound(&mut reader)?))?,
            key::SHORTEST => {
                // No collection is shorter than 0, so a negative least length says nothing.
                let length = self::length(&mut reader)?;
                value.refine_shortest(u64::try_from(length).unwrap_or(0))?
            }
            key::LONGEST => match u64::try_from(self::length(&mut reader)?) {
                Ok(length) => value.refine_longest(length)?,
                Err(_) => return Err(reader.fail("the maximum length is negative")),
            },
            _ => {
                // A later version may know more.
                reader.skip()?;
                value
            }
        };
    }
    Ok(value)
}

fn boolean(reader: &mut Reader<'_>) -> Result<bool, Error> {
    match reader.head()? {
        Head::Bool(value) => Ok(value),
        _ => Err(reader.fail("a bool is required here")),
    }
}

fn prefix(reader: &mut Reader<'_>) -> Result<Text, Error> {
    let text = match reader.head()? {
        Head::String(bytes) | Head::Binary(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    };
    text.map(Text::new)
        .ok_or_else(|| reader.fail("a known prefix must be UTF-8 text"))
}

fn bound(reader: &mut Reader<'_>) -> Result<Bound, Error> {
    let Head::Array(2) = reader.head()? else {
        return Err(reader.fail("a bound must be an array of a number and a bool"));
    };
    let number = number(&reader.head()?)?;
    Ok(Bound {
        number,
        is_inclusive: boolean(reader)?,
    })
}

fn length(reader: &mut Reader<'_>) -> Result<i64, Error> {
    // Peers hold lengths in signed numbers.
    let length = match reader.head()? {
        Head::Unsigned(length) => i64::try_from(length).ok(),
        Head::Signed(length) => Some(length),
        _ => None,
    };
    length.ok_or_else(|| reader.fail("a known length must be an integer of 64 bits"))
}

pub(super) fn encode(refinement: &Refinement, out: &mut Vec<u8>) {
    let mut payload = Vec::new();
    let mut count = 0;
    let mut key = |key: u64, payload: &mut Vec<u8>| {
        count += 1;
        writer::unsigned(key, payload);
    };
    if refinement.is_not_null {
        key(key::NULL, &mut payload);
        writer::boolean(false, &mut payload);
    }
    if let Some(prefix) = refinement.prefix.as_ref().and_then(sent_prefix) {
        key(key::PREFIX, &mut payload);
        writer::string(prefix.as_bytes(), &mut payload);
    }
    for (number, bound) in [
        (key::LOWER, &refinement.lower),
        (key::UPPER, &refinement.upper),
    ] {
        if let Some(bound) = bound {
            key(number, &mut payload);
            writer::array(2, &mut payload);
            writer::number(&bound.number, &mut payload);
            writer::boolean(bound.is_inclusive, &mut payload);
        }
    }
    if refinement.shortest > 0 {
        key(key::SHORTEST, &mut payload);
        writer::unsigned(refinement.shortest, &mut payload);
    }
    if let Some(longest) = refinement.longest {
        key(key::LONGEST, &mut payload);
        writer::unsigned(longest, &mut payload);
    }
    if count == 0 {
        writer::extension(UNKNOWN, 1, out);
        out.push(0);
        return;
    }
    writer::extension(REFINED_UNKNOWN, payload.len() + 1, out);
    writer::map(count, out);
    out.extend_from_slice(&payload);
}

/// The prefix, cut where peers would refuse it.
fn sent_prefix(prefix: &Text) -> Option<Text> {
    let text = prefix.as_str()?;
    if text.len() <= LONGEST_PREFIX {
        return Some(prefix.clone());
    }
    let mut end = CUT_PREFIX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = Text::new(&text[..end]).safe_prefix();
    (!cut.as_bytes().is_empty()).then_some(cut)
}
