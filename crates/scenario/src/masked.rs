//! Values on disk: plain JSON, with secrets masked, and read back as far as that goes.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_values::{Error, Kind, Type, Value, convert, json};

use tenon_protocols::MASK;

/// A value as it is kept and shown.
#[derive(Clone, Debug)]
pub struct Masked {
    /// Plain JSON with `"(sensitive)"` for every secret.
    pub value: Box<RawValue>,
    /// Where the secrets were.
    pub sensitive: Vec<Way>,
}

/// Names and numbers that lead to a secret.
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
        let mut writer = Writer {
            text: String::new(),
            way: Vec::new(),
            sensitive: Vec::new(),
        };
        writer.value(value)?;
        Ok(Masked {
            value: raw(writer.text),
            sensitive: writer.sensitive,
        })
    }

    /// The value of a type, as far as it was kept: secrets are unknown, and marked.
    ///
    /// # Errors
    /// It does not fit the type.
    pub(crate) fn read(&self, ty: &Type) -> Result<Value, Error> {
        let mut value = json::implied(self.value.get().as_bytes())?;
        for way in &self.sensitive {
            value = forget(&value, way);
        }
        convert::convert(&value, ty)
    }
}

fn raw(text: String) -> Box<RawValue> {
    // What was written is JSON; null stands in for what never happens.
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

struct Writer {
    text: String,
    way: Vec<Key>,
    sensitive: Vec<Way>,
}

impl Writer {
    fn value(&mut self, value: &Value) -> Result<(), Error> {
        if value.is_sensitive() {
            self.text += &format!("{MASK:?}");
            self.sensitive.push(self.way.clone());
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

/// The value with what is at the end of the way unknown, and marked.
fn forget(value: &Value, way: &[Key]) -> Value {
    let Some((key, rest)) = way.split_first() else {
        return Value::unknown(Type::Dynamic).sensitive();
    };
    match (value.kind(), key) {
        (Kind::Tuple(values), Key::Index(wanted)) => Value::tuple(
            values
                .iter()
                .enumerate()
                .map(|(index, value)| match index == *wanted {
                    true => forget(value, rest),
                    false => value.clone(),
                })
                .collect(),
        ),
        (Kind::Object(attributes), Key::Name(wanted)) => {
            Value::object(attributes.iter().map(|(name, value)| {
                let value = match name == wanted {
                    true => forget(value, rest),
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
        let back = masked.read(&value.ty()).unwrap();
        assert_eq!(back.ty(), value.ty());
        assert_eq!(back.attribute("id").unwrap(), Value::from(7));
        let token = back.attribute("token").unwrap();
        assert!(token.is_sensitive() && !token.is_known());
        assert_eq!(token.ty(), Type::String);
    }

    #[test]
    fn digits_are_kept() {
        let json = r#"{"n":123456789012345678901234567890.5}"#;
        let value = json::implied(json.as_bytes()).unwrap();
        assert_eq!(Masked::of(&value).unwrap().value.get(), json);
    }
}
