//! Lenient reading of what scripts send, whose languages have other types.

use std::fmt;
use std::num::NonZeroUsize;

use serde::de::{self, Deserialize, Deserializer, Visitor};

pub(super) use crate::lenient::null_as_default;

/// A member that is present, even if it is null. `default` is for absent ones.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// A string; a number is read as its digits, and null as absent.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Word>::deserialize(deserializer)?.map(|word| word.0))
}

/// A list of strings, some of which may be numbers.
pub(super) fn texts<'de, D>(deserializer: D) -> Result<Option<Vec<String>>, D::Error>
where
    D: Deserializer<'de>,
{
    let words = Option::<Vec<Word>>::deserialize(deserializer)?;
    Ok(words.map(|words| words.into_iter().map(|word| word.0).collect()))
}

/// Seconds since 1970, with or without a fraction; also milliseconds, which `Date.now()` returns.
pub(super) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    /// As seconds, this is the year 5138; as milliseconds, 1973.
    const MILLISECONDS: f64 = 1e11;
    let Some(Word(word)) = Option::deserialize(deserializer)? else {
        return Ok(None);
    };
    let number: f64 = word
        .parse()
        .map_err(|_| de::Error::custom(format_args!("{word:?} is not a time in seconds")))?;
    let seconds = match number.abs() >= MILLISECONDS {
        true => number / 1000.0,
        false => number,
    };
    Ok(Some(seconds as i64))
}

/// A positive integer; anything else is absent.
pub(super) fn count<'de, D>(deserializer: D) -> Result<Option<NonZeroUsize>, D::Error>
where
    D: Deserializer<'de>,
{
    let value = serde_json::Value::deserialize(deserializer)?;
    // Some languages write integers with a fraction.
    let whole = |number: f64| (number.fract() == 0.0 && number >= 1.0).then_some(number as usize);
    let number = value.as_f64().and_then(whole);
    Ok(number
        .filter(|number| *number < usize::MAX)
        .and_then(NonZeroUsize::new))
}

/// A text or a number.
struct Word(String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        deserializer.deserialize_any(WordVisitor)
    }
}

struct WordVisitor;

impl Visitor<'_> for WordVisitor {
    type Value = Word;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Word, E> {
        Ok(Word(text.to_owned()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Word, E> {
        Ok(Word(number.to_string()))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Word, E> {
        Ok(Word(number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Word, E> {
        Ok(Word(number.to_string()))
    }
}
