//! Going through the attributes of a value by its schema.

mod pairing;
mod proposal;

use tenon_protocols::Secrets;
use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting};
use tenon_values::{Path, Step, Text, Type, Value};

use pairing::pairs;
pub(crate) use proposal::proposal;

/// The same value with other attributes in it.
///
/// `change` is called with every attribute, the outer before the inner: where it is, its value, and its
/// value in each of `beside`, which are objects of the same schema (`None` where they have no such
/// object). What it returns replaces the value. If that is nothing, the value stays, and the attributes
/// inside it come next. Elements of lists are paired by their index, of maps by their key, and of sets as
/// [`pairing`] has it.
pub(crate) fn rebuild<const N: usize>(
    body: &Body,
    value: &Value,
    beside: [Option<&Value>; N],
    change: &mut impl FnMut(&Path, &Attribute, &Value, [Option<&Value>; N]) -> Option<Value>,
) -> Value {
    object(
        &body.attributes,
        &body.blocks,
        &Path::root(),
        value,
        beside,
        change,
    )
}

fn object<const N: usize>(
    attributes: &[Attribute],
    blocks: &[Block],
    path: &Path,
    value: &Value,
    beside: [Option<&Value>; N],
    change: &mut impl FnMut(&Path, &Attribute, &Value, [Option<&Value>; N]) -> Option<Value>,
) -> Value {
    let Some(parts) = value.attributes() else {
        // Null or unknown.
        return value.clone();
    };
    let part = |one: Option<&'_ Value>, name: &str| one?.attributes()?.get(name).cloned();
    let mut changed = Vec::with_capacity(parts.len());
    for one in attributes {
        let Some(value) = parts.get(&one.name) else {
            continue;
        };
        let path = path.clone().attribute(&one.name);
        let found = beside.map(|beside| part(beside, &one.name));
        let found = found.each_ref().map(Option::as_ref);
        let new = change(&path, one, value, found).unwrap_or_else(|| match &one.ty {
            AttributeType::Plain(_) => value.clone(),
            AttributeType::Nested(nesting, inner) => {
                nested(*nesting, (inner, &[]), &path, value, found, change)
            }
        });
        changed.push((one.name.as_str(), new));
    }
    for one in blocks {
        let Some(value) = parts.get(&one.name) else {
            continue;
        };
        let path = path.clone().attribute(&one.name);
        let found = beside.map(|beside| part(beside, &one.name));
        let found = found.each_ref().map(Option::as_ref);
        let Body {
            attributes, blocks, ..
        } = &one.body;
        let new = nested(
            one.nesting,
            (attributes, blocks),
            &path,
            value,
            found,
            change,
        );
        changed.push((one.name.as_str(), new));
    }
    Value::object(changed)
}

fn nested<const N: usize>(
    nesting: Nesting,
    (attributes, blocks): (&[Attribute], &[Block]),
    path: &Path,
    value: &Value,
    beside: [Option<&Value>; N],
    change: &mut impl FnMut(&Path, &Attribute, &Value, [Option<&Value>; N]) -> Option<Value>,
) -> Value {
    if matches!(nesting, Nesting::Single | Nesting::Group) {
        let beside = beside.map(|one| one.filter(|one| !one.is_null()));
        return object(attributes, blocks, path, value, beside, change);
    }
    if let Some(elements) = value.elements() {
        let others = beside.map(|one| one.and_then(Value::elements).unwrap_or_default());
        let partners = others.map(|others| match nesting {
            Nesting::Set => pairs(attributes, blocks, elements, others),
            _ => (0..elements.len()).map(Some).collect(),
        });
        let mut each = |(index, element): (usize, &Value)| {
            let mut found = [None; N];
            for ((found, others), partners) in found.iter_mut().zip(others).zip(&partners) {
                *found = partners[index].and_then(|place| others.get(place));
            }
            let step = match nesting {
                Nesting::Set => Step::Element(index),
                _ => Step::Index(index),
            };
            let path = path.clone().step(step);
            object(attributes, blocks, &path, element, found, change)
        };
        let changed: Vec<Value> = elements.iter().enumerate().map(&mut each).collect();
        return sequence(nesting, changed, value);
    }
    entries_of(value, |key, element| {
        let found = beside.map(|one| entry(one?, key));
        let found = found.each_ref().map(Option::as_ref);
        let path = path.clone().key(key.clone());
        object(attributes, blocks, &path, element, found, change)
    })
}

/// The same map with other elements. Objects with a value of the type `any` in them do not make a map: they stand as
/// attributes.
fn entries_of(value: &Value, mut change: impl FnMut(&Text, &Value) -> Value) -> Value {
    if let Some(entries) = value.entries() {
        let changed = entries
            .iter()
            .map(|(key, one)| (key.clone(), change(key, one)));
        let ty = value.ty();
        let element = ty.element().cloned().unwrap_or(tenon_values::Type::Dynamic);
        return Value::map(element, changed.collect::<Vec<_>>()).unwrap_or_else(|_| value.clone());
    }
    match value.attributes() {
        Some(parts) => {
            let changed = parts
                .iter()
                .map(|(name, one)| (name, change(&name.into(), one)));
            Value::object(changed.collect::<Vec<_>>())
        }
        None => value.clone(),
    }
}

/// The element of a map with this key.
pub(crate) fn entry(map: &Value, key: &Text) -> Option<Value> {
    match (map.entries(), map.attributes()) {
        (Some(entries), _) => {
            let found = entries.iter().find(|(other, _)| other == key);
            found.map(|(_, one)| one.clone())
        }
        (None, Some(parts)) => parts.get(&key.to_string_lossy()).cloned(),
        (None, None) => None,
    }
}

/// Elements that make the same as before.
fn sequence(nesting: Nesting, changed: Vec<Value>, before: &Value) -> Value {
    let ty = before.ty();
    let rebuilt = match (nesting, ty.element()) {
        (Nesting::Set, Some(element)) => Value::set(element.clone(), changed),
        (_, Some(element)) => Value::list(element.clone(), changed),
        (_, None) => Ok(Value::tuple(changed)),
    };
    rebuilt.unwrap_or_else(|_| before.clone())
}

/// The value with defaults where the configuration has null.
pub(crate) fn with_defaults(body: &Body, value: &Value, config: &Value) -> Value {
    rebuild(
        body,
        value,
        [Some(config)],
        &mut |_, attribute, _, [config]| default_of(attribute, config),
    )
}

/// The default of an attribute, if the configuration has nothing for it.
fn default_of(attribute: &Attribute, config: Option<&Value>) -> Option<Value> {
    let is_given = config.is_some_and(|config| !config.is_null());
    let default = attribute.default.as_ref().filter(|_| !is_given)?;
    // The schema was checked, so the default fits.
    tenon_values::convert::convert(default, &attribute.implied_type()).ok()
}

/// The value with null for what is write-only.
pub(crate) fn without_write_only(body: &Body, value: &Value) -> Value {
    rebuild(body, value, [], &mut |_, attribute, _, []| {
        { attribute.is_write_only }.then(|| Value::null(attribute.implied_type()))
    })
}

/// Remembers what must not be shown.
pub(crate) fn learn(secrets: &Secrets, body: &Body, value: &Value) {
    rebuild(body, value, [], &mut |_, attribute, value, []| {
        let is_secret = attribute.is_sensitive || attribute.is_write_only;
        is_secret.then(|| {
            secrets.learn(&value.sensitive());
            value.clone()
        })
    });
}

/// The same for a state that an older version has written: its shape may be another, so that what is secret today is
/// looked for by its name.
pub(crate) fn learn_earlier(secrets: &Secrets, body: &Body, value: &Value) {
    earlier(secrets, &body.attributes, &body.blocks, value);
}

fn earlier(secrets: &Secrets, attributes: &[Attribute], blocks: &[Block], value: &Value) {
    for element in value.elements().unwrap_or_default() {
        earlier(secrets, attributes, blocks, element);
    }
    let Some(parts) = value.attributes() else {
        return;
    };
    for (name, part) in parts.iter() {
        let attribute = attributes.iter().find(|one| one.name == name);
        let block = blocks.iter().find(|one| one.name == name);
        match (attribute, block) {
            (Some(one), _) if one.is_sensitive || one.is_write_only => {
                let inner = match &one.ty {
                    // With its type, in a state.
                    AttributeType::Plain(Type::Dynamic) => part.attribute("value").ok(),
                    _ => None,
                };
                secrets.learn(&inner.unwrap_or_else(|| part.clone()).sensitive());
            }
            (Some(one), _) => {
                if let AttributeType::Nested(_, inner) = &one.ty {
                    earlier(secrets, inner, &[], part);
                }
            }
            (None, Some(block)) => {
                earlier(secrets, &block.body.attributes, &block.body.blocks, part);
            }
            // The key of an element, perhaps.
            (None, None) => earlier(secrets, attributes, blocks, part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Body {
        let inner = Body::new([
            Attribute::new("key", Type::String).required(),
            Attribute::new("size", Type::Number).with_default(1.into()),
            Attribute::new("secret", Type::String).write_only(),
        ]);
        let nestings = [
            ("list", Nesting::List),
            ("set", Nesting::Set),
            ("map", Nesting::Map),
            ("one", Nesting::Single),
        ];
        let outer = Body::new([Attribute::new("color", Type::String).with_default("red".into())]);
        nestings.into_iter().fold(outer, |body, (name, nesting)| {
            body.with_block(Block::new(name, nesting, inner.clone()))
        })
    }

    fn element(key: &str, size: Value) -> Value {
        Value::object([
            ("key", key.into()),
            ("size", size),
            ("secret", Value::from("hidden")),
        ])
    }

    fn value(size: &dyn Fn() -> Value) -> Value {
        let ty = element("a", Value::null(Type::Number)).ty();
        let elements = || vec![element("a", size()), element("b", Value::from(7))];
        body().object(&[
            ("list", Value::list(ty.clone(), elements()).unwrap()),
            ("set", Value::set(ty.clone(), elements()).unwrap()),
            (
                "map",
                Value::map(ty, [("k", element("a", size()))]).unwrap(),
            ),
            ("one", element("a", size())),
        ])
    }

    #[test]
    fn defaults_are_filled_in_at_every_depth() {
        let config = value(&|| Value::null(Type::Number));
        let filled = with_defaults(&body(), &config, &config);
        let expected = body().object(&[("color", "red".into())]);
        let parts = value(&|| Value::from(1));
        let parts = parts.attributes().unwrap();
        for name in ["list", "set", "map", "one"] {
            assert_eq!(
                filled.attribute(name).unwrap(),
                *parts.get(name).unwrap(),
                "{name}"
            );
        }
        assert_eq!(filled.attribute("color"), expected.attribute("color"));
        assert_eq!(filled.ty(), config.ty());
    }

    #[test]
    fn a_default_counts_even_if_there_was_another_value_before() {
        let config = value(&|| Value::null(Type::Number));
        let proposed = value(&|| Value::from(5));
        let filled = with_defaults(&body(), &proposed, &config);
        let one = filled.attribute("one").unwrap();
        assert_eq!(one.attribute("size").unwrap(), Value::from(1));
        let list = filled.attribute("list").unwrap();
        let second = list.elements().unwrap()[1].attribute("size").unwrap();
        assert_eq!(second, Value::from(7));
        let set = filled.attribute("set").unwrap();
        let sizes = set.elements().unwrap().iter();
        let sizes: Vec<Value> = sizes.map(|one| one.attribute("size").unwrap()).collect();
        assert!(
            sizes.contains(&Value::from(1)) && sizes.contains(&Value::from(7)),
            "{sizes:?}"
        );
    }

    #[test]
    fn write_only_values_are_taken_out_at_every_depth() {
        let cleared = without_write_only(&body(), &value(&|| Value::from(1)));
        assert!(!cleared.to_string().contains("hidden"), "{cleared}");
        assert_eq!(cleared.ty(), body().implied_type());
    }

    #[test]
    fn secrets_are_learned_at_every_depth() {
        let secrets = Secrets::default();
        learn(&secrets, &body(), &value(&|| Value::from(1)));
        assert_eq!(secrets.hide("it is hidden"), "it is (sensitive)");
    }

    /// In whatever nesting they were then.
    #[test]
    fn secrets_of_an_earlier_state_are_learned_by_their_names() {
        let mut body = body();
        let any = Attribute::new("any", Type::Dynamic).sensitive();
        body.attributes.push(any);
        let state = r#"{
            "color": "red", "gone": { "x": [1, true, null] },
            "any": { "value": { "deep": ["token-1"] }, "type": ["object", { "deep": ["list", "string"] }] },
            "list": { "key": "a", "secret": "token-2" },
            "set": [{ "secret": "token-3" }],
            "map": { "k": { "secret": "token-4" } },
            "one": [{ "secret": "token-5" }]
        }"#;
        let secrets = Secrets::default();
        let state = tenon_values::json::implied(state.as_bytes()).unwrap();
        learn_earlier(&secrets, &body, &state);
        for token in 1..=5 {
            let said = secrets.hide(&format!("it is token-{token}"));
            assert_eq!(said, "it is (sensitive)");
        }
        assert_eq!(secrets.hide("a red list, object"), "a red list, object");
    }
}
