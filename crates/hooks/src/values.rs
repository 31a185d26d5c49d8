//! Values from the JSON of plans and states, which keeps what is unknown and what is sensitive apart.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use serde_json::value::RawValue;
use tenon_protocols::Secrets;
use tenon_values::{Error, Type, Value, json};

/// The JSON trees that go with a value: `true` at each place that is unknown or sensitive.
#[derive(Clone, Copy)]
pub(crate) struct Masks<'a> {
    pub(crate) unknown: &'a Json,
    /// Before the change, after it, in the state, and by the schema: what is sensitive in one of them is
    /// sensitive.
    /// `"*"` stands for every member or element.
    pub(crate) sensitive: [&'a Json; 4],
}

pub(crate) const NOWHERE: &Json = &Json::Bool(false);

impl Masks<'_> {
    /// Everything is known, and nothing is sensitive.
    pub(crate) const NONE: Masks<'static> = Masks {
        unknown: NOWHERE,
        sensitive: [NOWHERE; 4],
    };

    /// The same, with nothing sensitive.
    fn everything_public(&self) -> Self {
        Masks {
            sensitive: [NOWHERE; 4],
            ..*self
        }
    }

    fn member(&self, name: &str) -> Self {
        self.each(|mask| mask.get(name).or(mask.get("*")).unwrap_or(NOWHERE))
    }

    fn element(&self, index: usize) -> Self {
        self.each(|mask| mask.get(index).or(mask.get("*")).unwrap_or(NOWHERE))
    }

    fn each<'a>(&self, part: impl Fn(&'a Json) -> &'a Json) -> Masks<'a>
    where
        Self: 'a,
    {
        Masks {
            unknown: part(self.unknown),
            sensitive: self.sensitive.map(part),
        }
    }
}

/// Reads values, and keeps where sensitive ones were left out.
#[derive(Default)]
pub(crate) struct Reader {
    /// Sensitive values are kept, and are known from then on, so that they can be masked in what plugins say.
    sent: Option<Secrets>,
    /// Where the value that is read now stands: texts and indices.
    path: Vec<Json>,
    /// The length of the path of the set around the value that is read now, if there is one: elements of a set have no
    /// names, so paths end there.
    set: Option<usize>,
    /// The paths of what was left out, each once.
    pub(crate) redacted: Vec<Vec<Json>>,
}

impl Reader {
    pub(crate) fn new(sent: Option<Secrets>) -> Reader {
        Reader {
            sent,
            ..Reader::default()
        }
    }

    /// A value of this type. `None` is null.
    pub(crate) fn read(
        &mut self,
        raw: Option<&RawValue>,
        ty: &Type,
        masks: Masks<'_>,
    ) -> Result<Value, Error> {
        if masks.sensitive.iter().any(|mask| is_true(mask)) {
            if let Some(secrets) = self.sent.take() {
                let value = self.read(raw, ty, masks.everything_public());
                let value = value.inspect(|value| secrets.learn(&value.sensitive()));
                self.sent = Some(secrets);
                return value;
            }
            let path = &self.path[..self.set.unwrap_or(self.path.len())];
            if !self.redacted.iter().any(|one| one == path) {
                self.redacted.push(path.to_vec());
            }
            return Ok(Value::null(ty.clone()));
        }
        if is_true(masks.unknown) {
            return Ok(Value::unknown(ty.clone()));
        }
        let raw = raw.filter(|raw| raw.get() != "null");
        // What is unknown inside a value may be all that there is of it.
        if raw.is_none() && !has_true(masks.unknown) {
            return Ok(Value::null(ty.clone()));
        }
        match ty {
            Type::Object(object) => {
                let mut members = members(raw);
                let attributes = object.attributes().iter().map(|attribute| {
                    let name = attribute.name.as_str();
                    let raw = members.remove(name);
                    let value = self.below(name.into(), |reader| {
                        reader.read(raw, &attribute.ty, masks.member(name))
                    })?;
                    Ok((name, value))
                });
                Ok(Value::object(
                    attributes.collect::<Result<Vec<_>, Error>>()?,
                ))
            }
            Type::Map(element) => {
                let entries = self.entries(raw, element, masks)?;
                Value::map((**element).clone(), entries)
            }
            Type::List(element) => {
                let elements = self.elements(raw, |_| element, masks)?;
                Value::list((**element).clone(), elements)
            }
            Type::Set(element) => {
                let outer = self.set;
                self.set = outer.or(Some(self.path.len()));
                let elements = self.elements(raw, |_| element, masks);
                self.set = outer;
                let elements = elements?;
                Value::set((**element).clone(), elements)
            }
            Type::Tuple(tuple) => {
                let types = tuple.elements();
                let ty = |index| types.get(index).unwrap_or(&Type::Dynamic);
                Ok(Value::tuple(self.elements(raw, ty, masks)?))
            }
            Type::Dynamic => match first_byte(raw, masks.unknown) {
                b'{' => Ok(Value::object(self.entries(raw, &Type::Dynamic, masks)?)),
                b'[' => {
                    let elements = self.elements(raw, |_| &Type::Dynamic, masks)?;
                    Ok(Value::tuple(elements))
                }
                _ => json::implied(text(raw).as_bytes()),
            },
            _ => json::decode(text(raw).as_bytes(), ty),
        }
    }

    fn entries(
        &mut self,
        raw: Option<&RawValue>,
        element: &Type,
        masks: Masks<'_>,
    ) -> Result<Vec<(String, Value)>, Error> {
        let mut members: BTreeMap<String, Option<&RawValue>> = members(raw)
            .into_iter()
            .map(|(name, raw)| (name, Some(raw)))
            .collect();
        // Unknown members are named in the mask alone.
        for name in masks
            .unknown
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
        {
            members.entry(name.clone()).or_default();
        }
        let entries = members.into_iter().map(|(name, raw)| {
            let masks = masks.member(&name);
            let value = self.below(name.as_str().into(), |reader| {
                reader.read(raw, element, masks)
            });
            Ok((name, value?))
        });
        entries.collect()
    }

    fn elements<'t>(
        &mut self,
        raw: Option<&RawValue>,
        ty: impl Fn(usize) -> &'t Type,
        masks: Masks<'_>,
    ) -> Result<Vec<Value>, Error> {
        let elements: Vec<&RawValue> = raw
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let count = elements
            .len()
            .max(masks.unknown.as_array().map_or(0, Vec::len));
        let values = (0..count).map(|index| {
            let raw = elements.get(index).copied();
            self.below(index.into(), |reader| {
                reader.read(raw, ty(index), masks.element(index))
            })
        });
        values.collect()
    }

    fn below<T>(&mut self, step: Json, read: impl FnOnce(&mut Reader) -> T) -> T {
        self.path.push(step);
        let value = read(self);
        self.path.pop();
        value
    }
}

fn members(raw: Option<&RawValue>) -> BTreeMap<String, &RawValue> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
        .unwrap_or_default()
}

fn text(raw: Option<&RawValue>) -> &str {
    raw.map_or("null", RawValue::get)
}

/// What kind of value this is; where it is missing, what its mask looks like.
fn first_byte(raw: Option<&RawValue>, unknown: &Json) -> u8 {
    match (raw, unknown) {
        (Some(raw), _) => raw.get().bytes().next().unwrap_or_default(),
        (None, Json::Object(_)) => b'{',
        (None, Json::Array(_)) => b'[',
        (None, _) => 0,
    }
}

fn is_true(mask: &Json) -> bool {
    *mask == Json::Bool(true)
}

fn has_true(mask: &Json) -> bool {
    match mask {
        Json::Bool(is_true) => *is_true,
        Json::Array(elements) => elements.iter().any(has_true),
        Json::Object(members) => members.values().any(has_true),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(raw: &str, ty: &str, unknown: Json, sensitive: Json) -> (Value, Vec<Vec<Json>>) {
        let raw: Box<RawValue> = serde_json::from_str(raw).unwrap();
        let masks = Masks {
            unknown: &unknown,
            sensitive: [&sensitive, NOWHERE, NOWHERE, NOWHERE],
        };
        let mut reader = Reader::default();
        let value = reader
            .read(Some(&raw), &ty.parse().unwrap(), masks)
            .unwrap();
        (value, reader.redacted)
    }

    #[test]
    fn unknown_parts_are_unknown_values_of_their_type() {
        let ty = "object({ id = string, tags = map(string), ports = list(number), any = any })";
        let unknown = json!({"id": true, "tags": {"b": true}, "ports": [false, true],
            "any": {"x": [true], "y": false}});
        let raw = r#"{"tags":{"a":"1"},"ports":[7,null],"any":{"y":0.1000000000000000000001}}"#;
        let (value, redacted) = read(raw, ty, unknown, json!({}));
        let any = Value::object([
            ("x", Value::tuple(vec![Value::unknown(Type::Dynamic)])),
            (
                "y",
                Value::number(
                    "0.1000000000000000000001"
                        .parse::<tenon_values::Number>()
                        .unwrap(),
                ),
            ),
        ]);
        let tags = [("a", Value::from("1")), ("b", Value::unknown(Type::String))];
        let ports = vec![Value::from(7), Value::unknown(Type::Number)];
        let expected = Value::object([
            ("any", any),
            ("id", Value::unknown(Type::String)),
            ("ports", Value::list(Type::Number, ports).unwrap()),
            ("tags", Value::map(Type::String, tags).unwrap()),
        ]);
        assert_eq!(value, expected);
        assert!(redacted.is_empty());
    }

    #[test]
    fn sensitive_parts_are_null_and_listed() {
        let ty = "object({ a = string, b = list(object({ c = string })), d = string })";
        let sensitive = json!({"a": true, "b": [{}, {"c": true}]});
        let raw = r#"{"a":"secret","b":[{"c":"x"},{"c":"secret"}],"d":"y"}"#;
        let (value, redacted) = read(raw, ty, json!({}), sensitive);
        assert!(!format!("{value:?}").contains("secret"));
        assert_eq!(
            redacted,
            [vec![json!("a")], vec![json!("b"), json!(1), json!("c")]]
        );
        let (value, redacted) = read(raw, ty, json!({}), json!(true));
        assert!(value.is_null() && redacted == [Vec::<Json>::new()]);
    }

    #[test]
    fn the_path_of_what_is_sensitive_ends_at_a_set() {
        let ty = "object({ a = list(set(object({ b = string, c = list(string) }))), d = string })";
        let inner = json!({"b": true, "c": [false, true]});
        let sensitive = json!({"a": [[], [inner, inner]], "d": true});
        let raw = r#"{"a":[[],[{"b":"secret","c":["x","secret"]},{"b":"y","c":[]}]],"d":"secret"}"#;
        let (value, redacted) = read(raw, ty, json!({}), sensitive);
        assert!(!format!("{value:?}").contains("secret"));
        assert_eq!(redacted, [vec![json!("a"), json!(1)], vec![json!("d")]]);
    }

    #[test]
    fn a_value_of_another_shape_is_an_error() {
        let raw: Box<RawValue> = serde_json::from_str(r#""x""#).unwrap();
        let mut reader = Reader::default();
        assert!(reader.read(Some(&raw), &Type::Number, Masks::NONE).is_err());
    }
}
