//! Values on disk: plain JSON, with secrets masked, and read back as far as that goes.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_values::{Error, Kind, Type, Value, json};

use tenon_protocols::MASK;

/// A value as it is kept and shown.
#[derive(Clone, Debug)]
pub struct Masked {
    /// Plain JSON with `"(sensitive)"` for every secret.
    pub value: Box<RawValue>,
    /// Where the secrets were.
    pub sensitive: Vec<Way>,
}

/// The path to a secret: names and indexes.
pub type Way = Vec<Key>;

/// A step to a masked value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// Of a list.
    Index(usize),
    /// Of an object.
    Name(String),
}

impl Masked {
    /// A value without its secrets.
    ///
    /// # Errors
    /// Something in it is unknown, or no JSON.
    pub fn of(value: &Value) -> Result<Masked, Error> {
        Ok(Masked::split(value)?.0)
    }

    /// A value without its secrets, and the secrets, in the order of the ways to them.
    ///
    /// # Errors
    /// As for [`Masked::of`].
    pub(crate) fn split(value: &Value) -> Result<(Masked, Vec<Value>), Error> {
        let mut writer = Writer {
            text: String::new(),
            way: Vec::new(),
            sensitive: Vec::new(),
            secrets: Vec::new(),
            ways: 0,
        };
        writer.value(value)?;
        if writer.ways > MOST_WAYS {
            // Masking more than the secrets does no harm.
            let masked = Masked {
                value: raw(format!("{MASK:?}")),
                sensitive: vec![Way::new()],
            };
            return Ok((masked, vec![value.unmark_deep().0]));
        }
        let masked = Masked {
            value: raw(writer.text),
            sensitive: writer.sensitive,
        };
        Ok((masked, writer.secrets))
    }

    /// The value with its secrets as far as `find` has them; others are unknown. All are marked.
    ///
    /// # Errors
    /// It is not a value.
    pub(crate) fn filled(&self, find: impl Fn(&Way) -> Option<Value>) -> Result<Value, Error> {
        let mut value = json::implied(self.value.get().as_bytes())?;
        for way in &self.sensitive {
            let secret = find(way).unwrap_or_else(|| Value::unknown(Type::Dynamic));
            value = put(&value, way, &secret.sensitive());
        }
        Ok(value)
    }
}

fn raw(text: String) -> Box<RawValue> {
    // What was written is JSON; null stands in for what never happens.
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// How many bytes the ways to secrets may take. A provider that returns a secret a million times
/// behind long names would fill the memory with ways to it; everything is masked then.
const MOST_WAYS: usize = 8 * 1024 * 1024;

struct Writer {
    text: String,
    way: Vec<Key>,
    sensitive: Vec<Way>,
    secrets: Vec<Value>,
    /// How many bytes the ways take.
    ways: usize,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Result<(), Error> {
        if self.ways > MOST_WAYS {
            return Ok(());
        }
        if value.is_sensitive() {
            let step = |key: &Key| match key {
                Key::Index(_) => size_of::<Key>(),
                Key::Name(name) => size_of::<Key>() + name.len(),
            };
            self.ways += self.way.iter().map(step).sum::<usize>();
            self.text += &format!("{MASK:?}");
            self.sensitive.push(self.way.clone());
            self.secrets.push(value.unmark_deep().0);
            return Ok(());
        }
        let (value, _) = value.unmark();
        match value.kind() {
            Kind::List(values) | Kind::Set(values) | Kind::Tuple(values) => {
                let numbered = values.iter().enumerate();
                self.items(
                    '[',
                    numbered.map(|(index, value)| (Key::Index(index), value)),
                    ']',
                )
            }
            Kind::Map(entries) => {
                let named = entries.iter();
                let named = named.map(|(key, value)| (key.to_string_lossy().into_owned(), value));
                self.items('{', named.map(|(key, value)| (Key::Name(key), value)), '}')
            }
            Kind::Object(attributes) => {
                let named = attributes.iter();
                let named = named.map(|(name, value)| (Key::Name(name.to_owned()), value));
                self.items('{', named, '}')
            }
            _ => {
                self.text += &json::encode(&value, &value.ty())?;
                Ok(())
            }
        }
    }

    fn items<'v>(
        &mut self,
        open: char,
        items: impl Iterator<Item = (Key, &'v Value)>,
        close: char,
    ) -> Result<(), Error> {
        self.text.push(open);
        for (index, (key, value)) in items.enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            if let Key::Name(name) = &key {
                self.text += &json::encode(&Value::string(name), &Type::String)?;
                self.text.push(':');
            }
            self.way.push(key);
            self.value(value)?;
            self.way.pop();
        }
        self.text.push(close);
        Ok(())
    }
}

/// The value with another at the end of the way.
fn put(value: &Value, way: &[Key], new: &Value) -> Value {
    let Some((key, rest)) = way.split_first() else {
        return new.clone();
    };
    match (value.kind(), key) {
        (Kind::Tuple(values), Key::Index(wanted)) => {
            let values = values.iter().enumerate();
            let values = values.map(|(index, value)| match index == *wanted {
                true => put(value, rest, new),
                false => value.clone(),
            });
            Value::tuple(values.collect())
        }
        (Kind::Object(attributes), Key::Name(wanted)) => {
            Value::object(attributes.iter().map(|(name, value)| {
                let value = match name == wanted {
                    true => put(value, rest, new),
                    false => value.clone(),
                };
                (name, value)
            }))
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use tenon_values::convert;

    use super::*;

    #[test]
    fn secrets_are_masked_and_come_back_unknown() {
        let value = Value::object([
            ("id", Value::from(7)),
            ("token", Value::from("hunter2").sensitive()),
            (
                "pins",
                Value::list(Type::Number, vec![1.into(), Value::from(2).sensitive()]).unwrap(),
            ),
        ]);
        let masked = Masked::of(&value).unwrap();
        assert_eq!(
            masked.value.get(),
            r#"{"id":7,"pins":[1,"(sensitive)"],"token":"(sensitive)"}"#
        );
        let ways = serde_json::to_string(&masked.sensitive).unwrap();
        assert_eq!(ways, r#"[["pins",1],["token"]]"#);
        let back = masked.filled(|_| None).unwrap();
        let back = convert::convert(&back, &value.ty()).unwrap();
        assert_eq!(back.ty(), value.ty());
        assert_eq!(back.attribute("id").unwrap(), Value::from(7));
        let token = back.attribute("token").unwrap();
        assert!(token.is_sensitive() && !token.is_known());
        assert_eq!(token.ty(), Type::String);
    }

    #[test]
    fn secrets_that_are_found_again_are_filled_in_and_marked() {
        let secret = Value::tuple(vec![1.into(), "hunter2".into()]);
        let value = Value::object([("id", 7.into()), ("pins", secret.sensitive())]);
        let (masked, secrets) = Masked::split(&value).unwrap();
        assert_eq!(secrets, [secret]);
        let filled = masked.filled(|_| secrets.first().cloned()).unwrap();
        assert_eq!(filled, value);
    }

    /// 2,000 secrets behind a name of 10,000 letters would take 20 MB of ways.
    #[test]
    fn too_many_ways_mask_everything() {
        let secret = Value::from("hunter2").sensitive();
        let inner = Value::tuple(vec![secret; 2_000]);
        let value = Value::object([("x".repeat(10_000), inner), ("id".to_owned(), 7.into())]);
        let (masked, secrets) = Masked::split(&value).unwrap();
        assert_eq!(masked.value.get(), r#""(sensitive)""#);
        assert_eq!(masked.sensitive, [Way::new()]);
        assert_eq!(secrets, [value.unmark_deep().0]);
    }

    #[test]
    fn digits_are_kept() {
        let json = r#"{"n":123456789012345678901234567890.5}"#;
        let value = json::implied(json.as_bytes()).unwrap();
        assert_eq!(Masked::of(&value).unwrap().value.get(), json);
    }
}
