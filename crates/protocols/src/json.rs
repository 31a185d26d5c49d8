//! JSON that is kept as it was written until its type is known.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_values::{Error, Problem, Type, Value, convert, json};

/// A JSON value as it was written: no digit is lost. `Debug` prints only its length, since attributes
/// may be secrets.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The plain JSON of a value.
    ///
    /// # Errors
    /// A part of the value is unknown, marked or infinite. The caller has to unmark secrets explicitly.
    pub fn of(value: &Value) -> Result<Json, Error> {
        let raw = RawValue::from_string(json::encode(value, &value.ty())?)
            .map_err(|error| Error::from(Problem::Serde(error.to_string())))?;
        Ok(Json(raw))
    }

    /// The plain JSON of an object of attributes. Null attributes are left out, which means the same to a
    /// provider.
    ///
    /// # Errors
    /// As for [`Json::of`].
    pub fn of_attributes(object: &Value) -> Result<Json, Error> {
        match object.attributes() {
            Some(attributes) => {
                let given = attributes.iter().filter(|(_, value)| !value.is_null());
                Json::of(&Value::object(
                    given.map(|(name, value)| (name, value.clone())),
                ))
            }
            None => Json::of(object),
        }
    }

    /// The value, with the type that the JSON implies: arrays are tuples, objects are objects.
    ///
    /// # Errors
    /// A property is a duplicate with another type, or a number is too large.
    pub fn value(&self) -> Result<Value, Error> {
        json::implied(self.text().as_bytes())
    }

    /// The value as one of this type.
    ///
    /// # Errors
    /// As for [`Json::value`], or there is no conversion to the type.
    pub fn value_of(&self, ty: &Type) -> Result<Value, Error> {
        convert::convert(&self.value()?, ty)
    }

    /// A null.
    pub fn null() -> Json {
        Json(RawValue::NULL.to_owned())
    }

    /// Whether it is a null.
    pub fn is_null(&self) -> bool {
        self.text() == "null"
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

/// An empty object.
impl Default for Json {
    fn default() -> Json {
        let empty = RawValue::from_string("{}".to_owned());
        Json(empty.unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

/// Compares the text: `1` and `1.0` are not equal.
impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Json({} bytes)", self.text().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_plain() {
        let value = Value::object([
            ("absent", Value::null(Type::String)),
            ("list", Value::list(Type::Number, vec![1.into()]).unwrap()),
            ("any", Value::tuple(vec![Value::NULL, "a".into()])),
        ]);
        let json = Json::of(&value).unwrap();
        assert_eq!(
            json.text(),
            r#"{"absent":null,"any":[null,"a"],"list":[1]}"#
        );
        let json = Json::of_attributes(&value).unwrap();
        assert_eq!(json.text(), r#"{"any":[null,"a"],"list":[1]}"#);
        assert_eq!(Json::default().text(), "{}");
    }

    #[test]
    fn secrets_are_neither_written_nor_shown() {
        let secret = Value::object([("password", Value::from("hunter2").sensitive())]);
        let error = Json::of(&secret).unwrap_err().to_string();
        assert!(error.starts_with("at .password: "), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
        let json = Json::of(&secret.unmark_deep().0).unwrap();
        assert_eq!(format!("{json:?}"), "Json(22 bytes)");
    }
}
