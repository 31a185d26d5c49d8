//! The schema of a provider.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tenon_values::{Error, Type, Value, convert, json};

use crate::json::Json;
use crate::lenient::null_as_default;

/// The schema of a provider: the answer to `describe`, and the output of `<provider> schema`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "the schema of a provider, an object")]
pub struct ProviderSchema {
    /// The name of the provider.
    pub name: String,
    /// Its version, in any form.
    #[serde(default, deserialize_with = "null_as_default")]
    pub version: String,
    /// The version of the protocol, which must be [`VERSION`](super::VERSION).
    #[serde(default, deserialize_with = "null_as_default")]
    pub protocol: String,
    /// The attributes of `configure`.
    #[serde(default, deserialize_with = "null_as_default")]
    pub config: BTreeMap<String, AttrSchema>,
    /// The actions that can be executed.
    #[serde(default, deserialize_with = "null_as_default")]
    pub actions: BTreeMap<String, ActionSchema>,
    /// How many actions may be executed at the same time; 1 if absent. An extension of Orchard: a host that
    /// does not know it sends one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_in_flight: Option<usize>,
}

/// One kind of action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "the schema of an action, an object")]
pub struct ActionSchema {
    /// What the action does, for people.
    #[serde(default, deserialize_with = "null_as_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its attributes.
    #[serde(default, deserialize_with = "null_as_default")]
    pub attrs: BTreeMap<String, AttrSchema>,
    /// The type of its outputs, as one value; `None` without outputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<AttrSchema>,
    /// Running it again with the same attributes changes nothing more, so a host may repeat it
    /// when the outcome of a call is unknown. An extension of Orchard.
    #[serde(default, deserialize_with = "null_as_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

/// One attribute of an action or of a configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "the schema of an attribute, an object")]
pub struct AttrSchema {
    /// The type, on the wire as an expression: `list(string)`.
    #[serde(
        rename = "type",
        serialize_with = "write_type",
        deserialize_with = "read_type"
    )]
    pub ty: Type,
    /// Whether the attribute is required.
    #[serde(default, deserialize_with = "null_as_default")]
    pub required: bool,
    /// The default; see [`AttrSchema::default_value`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// What it means, for people.
    #[serde(default, deserialize_with = "null_as_default")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Whether it is a secret. An extension of Orchard: a host that does not know it treats the attribute
    /// as an ordinary one.
    #[serde(default, deserialize_with = "null_as_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sensitive: bool,
    /// It is an idempotency key: two calls with the same key are done once. A scenario gives a
    /// string, or `true` to have the host create the key. An extension of Orchard.
    #[serde(default, deserialize_with = "null_as_default")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub idempotency_key: bool,
}

impl ActionSchema {
    /// The name of the attribute that is the idempotency key, if there is one.
    pub fn idempotency_key(&self) -> Option<&str> {
        let mut keys = { self.attrs.iter() }.filter(|(_, attribute)| attribute.idempotency_key);
        keys.next().map(|(name, _)| name.as_str())
    }
}

impl AttrSchema {
    /// An optional attribute of this type.
    pub fn new(ty: Type) -> AttrSchema {
        AttrSchema {
            ty,
            required: false,
            default: None,
            description: String::new(),
            sensitive: false,
            idempotency_key: false,
        }
    }

    /// With a default, written so that [`AttrSchema::default_value`] reads it back.
    ///
    /// # Errors
    /// As for [`Json::of`].
    pub fn with_default(mut self, default: &Value) -> Result<AttrSchema, Error> {
        let json = Json::of(default)?;
        let is_read_once_more = self.ty == Type::String && held_string(default).is_some();
        self.default = Some(match is_read_once_more {
            true => Json::of(&Value::from(json.text()))?,
            false => json,
        });
        Ok(self)
    }

    /// The default, as a value of the attribute's type.
    ///
    /// The JSON is the value itself. Since Orchard's pages also show a string that holds JSON,
    /// `"default": "\"GET\""`, a string is parsed as JSON in two cases: when the string itself does not
    /// fit the type, and when the type is `string` and the content is itself a string in
    /// double quotes. (The price: a default that begins and ends with a double quote must be written
    /// that way.)
    ///
    /// # Errors
    /// The default does not fit the type.
    pub fn default_value(&self) -> Result<Option<Value>, Error> {
        let Some(default) = &self.default else {
            return Ok(None);
        };
        let plain = default.value()?;
        if self.ty == Type::String
            && let Some(string) = held_string(&plain)
        {
            return Ok(Some(string));
        }
        let read_once_more = |error| match held(&plain) {
            Some(held) => convert::convert(&held, &self.ty).map_err(|_| error),
            None => Err(error),
        };
        let value = convert::convert(&plain, &self.ty).or_else(read_once_more)?;
        Ok(Some(value))
    }
}

/// The value whose JSON a string holds.
fn held(value: &Value) -> Option<Value> {
    json::implied(value.as_str()?.as_bytes()).ok()
}

/// As [`held`], if that is a string as well. With blanks around it, it is meant as it stands.
fn held_string(value: &Value) -> Option<Value> {
    let is_quoted = value.as_str()?.starts_with('"') && value.as_str()?.ends_with('"');
    held(value).filter(|held| is_quoted && held.as_str().is_some())
}

fn write_type<S: Serializer>(ty: &Type, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(ty)
}

fn read_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Type, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(text: &str) -> AttrSchema {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn absent_and_null_are_empty() {
        let least: ProviderSchema = serde_json::from_str(r#"{"name":"a"}"#).unwrap();
        let nulls = r#"{"name":"a","version":null,"protocol":null,"config":null,"actions":null,
            "max_in_flight":null,"later":{}}"#;
        assert_eq!(
            serde_json::from_str::<ProviderSchema>(nulls).unwrap(),
            least
        );
        let action: ActionSchema = serde_json::from_str(
            r#"{"description":null,"attrs":null,"outputs":null,"idempotent":null}"#,
        )
        .unwrap();
        assert_eq!(action, ActionSchema::default());
        let text = r#"{"type":"any","required":null,"default":null,"sensitive":null,
            "idempotency_key":null}"#;
        assert_eq!(attribute(text), AttrSchema::new(Type::Dynamic));
    }

    #[test]
    fn is_written_in_order_and_without_what_is_empty() {
        let text = r#"{"name":"a","version":"2","protocol":"1","config":{"k":{"type":"string","required":true,"sensitive":true}},"actions":{"b":{"attrs":{"n":{"type":"list(number)","required":false,"default":[1.50]},"o":{"type":"any","required":false,"idempotency_key":true}},"idempotent":true}},"max_in_flight":4}"#;
        let schema: ProviderSchema = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&schema).unwrap(), text);
    }

    #[test]
    fn both_spellings_of_a_type_are_read() {
        let narrow = attribute(r#"{"type":"object({body=string,headers=map(string)})"}"#);
        let wide = attribute(r#"{"type":"object({ headers = map(string), body = string })"}"#);
        assert_eq!(narrow, wide);
        let error = serde_json::from_str::<AttrSchema>(r#"{"type":"strin"}"#).unwrap_err();
        assert!(error.to_string().contains("\"strin\""), "{error}");
    }

    #[test]
    fn a_default_is_the_value_or_a_string_of_it() {
        let cases = [
            ("string", r#""GET""#, Value::from("GET")),
            ("string", r#""\"GET\"""#, Value::from("GET")),
            ("string", r#""\"""#, Value::from("\"")),
            ("string", r#""5""#, Value::from("5")),
            ("string", r#""null""#, Value::from("null")),
            ("number", "5", Value::from(5)),
            ("number", r#""5""#, Value::from(5)),
            ("bool", r#""true""#, Value::TRUE),
            ("any", r#""\"GET\"""#, Value::from("\"GET\"")),
        ];
        let list = Value::list(Type::String, vec!["a".into()]).unwrap();
        let lists = [r#"["a"]"#, r#""[\"a\"]""#].map(|text| ("list(string)", text, list.clone()));
        for (ty, default, value) in cases.into_iter().chain(lists) {
            let attribute = attribute(&format!(r#"{{"type":"{ty}","default":{default}}}"#));
            assert_eq!(
                attribute.default_value().unwrap(),
                Some(value),
                "{ty} {default}"
            );
        }
        for text in ["GET", "\"GET\"", "\"\\\"GET\\\"\"", " \"GET\" "] {
            let value = Value::from(text);
            let attribute = AttrSchema::new(Type::String).with_default(&value).unwrap();
            assert_eq!(attribute.default_value().unwrap(), Some(value));
        }
        let wrong = attribute(r#"{"type":"number","default":"many"}"#);
        assert!(wrong.default_value().is_err());
    }
}
