//! Whether what a plugin plans agrees with the configuration.
//!
//! Terraform refuses such plans as well, in words that are for the authors of providers and do not name the method. What
//! it accepts is accepted here: elements of sets have no names, so of a set little can be said.

use tenon_schema::{Attribute, AttributeType, Block, Body, Nesting, Presence};
use tenon_values::{Path, Text, Value};

use crate::tree::entry;

/// Where a plan contradicts the configuration, and how: a value that the user gave is another one, unless it is the one
/// from before; there is a value that neither the user nor the plugin may give; or there are other blocks or elements
/// than the user wrote.
pub(super) fn plan_contradiction(
    body: &Body,
    config: &Value,
    prior: &Value,
    planned: &Value,
) -> Option<(Path, String)> {
    let found = Values {
        config,
        prior: Some(prior),
        planned,
    };
    object(&body.attributes, &body.blocks, Path::root(), found)
}

/// The values of one place.
#[derive(Clone, Copy)]
struct Values<'a> {
    config: &'a Value,
    prior: Option<&'a Value>,
    planned: &'a Value,
}

impl<'a> Values<'a> {
    /// What was there before, if it was not null.
    fn earlier(&self) -> Option<&'a Value> {
        self.prior.filter(|prior| !prior.is_null())
    }

    /// The plan has what is configured.
    fn keeps_config(&self) -> bool {
        is_same(self.planned, self.config)
    }

    /// The plan has what was there before: the plugin says that it means the same as what is configured.
    fn keeps_prior(&self) -> bool {
        let keeps = |prior| !self.config.is_null() && is_same(self.planned, prior);
        self.earlier().is_some_and(keeps)
    }
}

fn object(
    attributes: &[Attribute],
    blocks: &[Block],
    path: Path,
    values: Values<'_>,
) -> Option<(Path, String)> {
    let attribute = |one: &Attribute| {
        let path = path.clone().attribute(&one.name);
        let ty = || one.implied_type();
        let part = |value: &Value| match value.attributes() {
            Some(parts) => parts.get(&one.name).cloned(),
            None if value.is_known() => Some(Value::null(ty())),
            None => Some(Value::unknown(ty())),
        };
        let (config, planned) = (part(values.config)?, part(values.planned)?);
        let prior = values.earlier().and_then(part);
        let values = Values {
            config: &config,
            prior: prior.as_ref(),
            planned: &planned,
        };
        attribute_contradiction(one, path, values)
    };
    let block = |one: &Block| {
        let path = path.clone().attribute(&one.name);
        let part = |value: &Value| value.attributes()?.get(&one.name).cloned();
        let (config, planned) = (part(values.config)?, part(values.planned)?);
        let prior = values.earlier().and_then(part);
        let values = Values {
            config: &config,
            prior: prior.as_ref(),
            planned: &planned,
        };
        block_contradiction(one, path, values)
    };
    { attributes.iter().find_map(attribute) }.or_else(|| blocks.iter().find_map(block))
}

fn attribute_contradiction(
    attribute: &Attribute,
    path: Path,
    values: Values<'_>,
) -> Option<(Path, String)> {
    let Values {
        config, planned, ..
    } = values;
    if attribute.is_write_only || values.keeps_config() || values.keeps_prior() {
        return None;
    }
    let may_be_computed = attribute.presence.is_computed() || attribute.default.is_some();
    // With `ignore_changes`, even what only the plugin sets has a configured value.
    if attribute.presence == Presence::Computed || (config.is_null() && may_be_computed) {
        return None;
    }
    let problem = match &attribute.ty {
        _ if config.is_null() => "it is not configured, and it is not computed",
        _ if !config.is_known() => "it is known, but its configuration is unknown",
        AttributeType::Nested(nesting, inner) if planned.is_known() && !planned.is_null() => {
            return nested(*nesting, (inner, &[]), path, values);
        }
        _ => "it differs from the configuration",
    };
    Some((path, problem.to_owned()))
}

fn block_contradiction(block: &Block, path: Path, values: Values<'_>) -> Option<(Path, String)> {
    let Values {
        config, planned, ..
    } = values;
    if values.keeps_config() {
        return None;
    }
    let problem = if !config.is_known() {
        "it is known, but its configuration is unknown"
    } else if !planned.is_known() {
        "it is unknown, but blocks are configured: only attributes in them can be unknown"
    } else if block.nesting == Nesting::Single && planned.is_null() {
        "the configured block is missing"
    } else if block.nesting == Nesting::Single && config.is_null() {
        "the block is not configured"
    } else {
        let Body {
            attributes, blocks, ..
        } = &block.body;
        return nested(block.nesting, (attributes, blocks), path, values);
    };
    Some((path, problem.to_owned()))
}

/// Of one or several objects, which are configured and planned.
fn nested(
    nesting: Nesting,
    (attributes, blocks): (&[Attribute], &[Block]),
    path: Path,
    values: Values<'_>,
) -> Option<(Path, String)> {
    let Values {
        config, planned, ..
    } = values;
    let is_block = |value: &Value| value.is_known() && !value.is_null();
    let element = |path: Path, config: &Value, prior: Option<&Value>, planned: &Value| {
        let values = Values {
            config,
            prior,
            planned,
        };
        if values.keeps_config() || values.keeps_prior() {
            return None;
        }
        if is_block(config) && !is_block(planned) {
            return Some((path, "it differs from the configuration".to_owned()));
        }
        object(attributes, blocks, path, values)
    };
    match nesting {
        Nesting::Single | Nesting::Group => object(attributes, blocks, path, values),
        Nesting::List => {
            let of = |value: &Value| value.elements().unwrap_or_default().to_vec();
            let (configured, found) = (of(config), of(planned));
            if configured.len() != found.len() {
                return Some((path, other_count(found.len(), configured.len())));
            }
            let before = values.earlier().map(of).unwrap_or_default();
            let pairs = configured.iter().zip(&found).enumerate();
            { pairs }.find_map(|(index, (config, planned))| {
                element(
                    path.clone().index(index),
                    config,
                    before.get(index),
                    planned,
                )
            })
        }
        Nesting::Map => {
            let (configured, found) = (keys(config), keys(planned));
            if let Some(key) = found.iter().find(|key| !configured.contains(key)) {
                return Some((path.key(key.clone()), "it is not configured".to_owned()));
            }
            if let Some(key) = configured.iter().find(|key| !found.contains(key)) {
                let problem = "it is configured, and missing from the plan";
                return Some((path.key(key.clone()), problem.to_owned()));
            }
            found.iter().find_map(|key| {
                let prior = values.earlier().and_then(|prior| entry(prior, key));
                let path = path.clone().key(key.clone());
                element(
                    path,
                    &entry(config, key)?,
                    prior.as_ref(),
                    &entry(planned, key)?,
                )
            })
        }
        Nesting::Set => {
            let count = |value: &Value| value.elements().map_or(0, <[Value]>::len);
            let (configured, found) = (count(config), count(planned));
            // Elements that differ only in what is not configured may become one.
            let is_other = (configured == 0) != (found == 0);
            (is_other && !values.keeps_prior()).then(|| (path, other_count(found, configured)))
        }
    }
}

fn other_count(found: usize, configured: usize) -> String {
    format!("the plan has {found} of them, and the configuration {configured}")
}

/// The keys of a map. Objects with a value of the type `any` in them do not make a map, but an object.
fn keys(map: &Value) -> Vec<Text> {
    match (map.entries(), map.attributes()) {
        (Some(entries), _) => entries.iter().map(|(key, _)| key.clone()).collect(),
        (None, Some(parts)) => parts.iter().map(|(name, _)| name.into()).collect(),
        (None, None) => Vec::new(),
    }
}

/// Whether two values are the same, whatever is known of what is unknown: a plugin need not repeat that.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other || !one.is_wholly_known() && !other.is_wholly_known() && plain(one) == plain(other)
}

fn plain(value: &Value) -> Value {
    let plain = value.transform(&mut |_, part| {
        Ok(match part.is_known() {
            true => part,
            false => Value::unknown(part.ty()),
        })
    });
    // The function never fails.
    plain.unwrap_or_else(|_| value.clone())
}

#[cfg(test)]
mod tests {
    use tenon_values::Type;

    use super::*;

    fn body() -> Body {
        let inner = Body::new([
            Attribute::new("port", Type::Number),
            Attribute::new("url", Type::String).computed(),
        ]);
        let Body { attributes, .. } = inner.clone();
        Body::new([
            Attribute::new("name", Type::String),
            Attribute::new("id", Type::String).computed(),
            Attribute::new("color", Type::String).computed_unless_given(),
            Attribute::new("size", Type::Number).with_default(1.into()),
            Attribute::nested("disks", Nesting::List, attributes.clone()),
            Attribute::nested("hosts", Nesting::Map, attributes),
        ])
        .with_block(Block::new("rule", Nesting::List, inner.clone()))
        .with_block(Block::new("tag", Nesting::Set, inner.clone()))
        .with_block(Block::new("by", Nesting::Map, inner.clone()))
        .with_block(Block::new("one", Nesting::Single, inner))
    }

    fn inner(port: Value, url: Value) -> Value {
        Value::object([("port", port), ("url", url)])
    }

    fn plain_inner(port: i64) -> Value {
        inner(port.into(), Value::null(Type::String))
    }

    fn computed_inner(port: i64) -> Value {
        inner(port.into(), "u".into())
    }

    fn list(elements: Vec<Value>) -> Value {
        Value::list(plain_inner(0).ty(), elements).unwrap()
    }

    fn map(entries: Vec<(&str, Value)>) -> Value {
        Value::map(plain_inner(0).ty(), entries).unwrap()
    }

    /// What is wrong if these values are configured, were there before, and are planned.
    fn wrong(name: &str, config: Value, prior: Option<Value>, planned: Value) -> Option<String> {
        let body = body();
        let of = |value: Value| body.object(&[(name, value)]);
        let null = || Value::null(body.implied_type());
        let prior = prior.map_or_else(null, of);
        let found = plan_contradiction(&body, &of(config), &prior, &of(planned));
        found.map(|(path, problem)| format!("{path}: {problem}"))
    }

    fn null() -> Value {
        Value::null(Type::String)
    }

    fn unknown() -> Value {
        Value::unknown(Type::String)
    }

    #[test]
    fn a_plan_keeps_what_is_configured() {
        let a = || Value::from("a");
        assert_eq!(wrong("name", a(), None, a()), None);
        let differs = Some(".name: it differs from the configuration".to_owned());
        assert_eq!(wrong("name", a(), None, "b".into()), differs);
        assert_eq!(wrong("name", a(), None, unknown()), differs);
        assert_eq!(wrong("name", a(), None, null()), differs);
        assert_eq!(wrong("name", a(), Some("b".into()), "b".into()), None);
        assert_eq!(wrong("name", a(), Some(null()), null()), differs);
    }

    #[test]
    fn what_is_unknown_in_the_configuration_is_unknown_in_the_plan() {
        assert_eq!(wrong("name", unknown(), None, unknown()), None);
        let refined = unknown().refine_prefix("x").unwrap();
        assert_eq!(wrong("name", refined, None, unknown()), None);
        let known = Some(".name: it is known, but its configuration is unknown".to_owned());
        assert_eq!(wrong("name", unknown(), None, "a".into()), known);
        assert_eq!(wrong("name", unknown(), Some("a".into()), "a".into()), None);
        assert_eq!(
            wrong("size", Value::unknown(Type::Number), None, 5.into()).as_deref(),
            Some(".size: it is known, but its configuration is unknown")
        );
    }

    #[test]
    fn only_what_is_computed_may_be_added() {
        let added = Some(".name: it is not configured, and it is not computed".to_owned());
        assert_eq!(wrong("name", null(), None, "a".into()), added);
        // Also what was there before: the user has removed it.
        assert_eq!(wrong("name", null(), Some("a".into()), "a".into()), added);
        assert_eq!(wrong("name", null(), None, unknown()), added);
        for name in ["id", "color"] {
            assert_eq!(wrong(name, null(), None, "a".into()), None);
            assert_eq!(wrong(name, null(), None, unknown()), None);
        }
        assert_eq!(
            wrong("size", Value::null(Type::Number), None, 5.into()),
            None
        );
        // With `ignore_changes`.
        assert_eq!(wrong("id", "a".into(), None, "b".into()), None);
    }

    #[test]
    fn a_plan_has_the_configured_elements() {
        let two = || list(vec![plain_inner(1), plain_inner(2)]);
        for name in ["rule", "disks"] {
            let computed = list(vec![computed_inner(1), computed_inner(2)]);
            assert_eq!(wrong(name, two(), None, computed), None);
            let other = list(vec![plain_inner(1), plain_inner(3)]);
            let expected = format!(".{name}[1].port: it differs from the configuration");
            assert_eq!(wrong(name, two(), None, other), Some(expected));
            let expected = format!(".{name}: the plan has 1 of them, and the configuration 2");
            let fewer = list(vec![plain_inner(1)]);
            assert_eq!(wrong(name, two(), None, fewer), Some(expected));
            let expected = format!(".{name}: the plan has 1 of them, and the configuration 0");
            let none = list(Vec::new());
            assert_eq!(
                wrong(name, none, None, list(vec![plain_inner(1)])),
                Some(expected)
            );
        }
        let unknown = Value::unknown(two().ty());
        for name in ["rule", "disks"] {
            assert_eq!(wrong(name, unknown.clone(), None, unknown.clone()), None);
            let expected = format!(".{name}: it is known, but its configuration is unknown");
            assert_eq!(wrong(name, unknown.clone(), None, two()), Some(expected));
            assert!(wrong(name, two(), None, unknown.clone()).is_some());
        }
    }

    #[test]
    fn a_plan_has_the_configured_keys() {
        let a = || map(vec![("a", plain_inner(1))]);
        for name in ["by", "hosts"] {
            assert_eq!(
                wrong(name, a(), None, map(vec![("a", computed_inner(1))])),
                None
            );
            let more = map(vec![("a", plain_inner(1)), ("b", plain_inner(2))]);
            let expected = format!(".{name}[\"b\"]: it is not configured");
            assert_eq!(wrong(name, a(), None, more.clone()), Some(expected));
            let expected = format!(".{name}[\"b\"]: it is configured, and missing from the plan");
            assert_eq!(wrong(name, more, None, a()), Some(expected));
            let other = map(vec![("a", plain_inner(2))]);
            let expected = format!(".{name}[\"a\"].port: it differs from the configuration");
            assert_eq!(wrong(name, a(), None, other), Some(expected));
        }
    }

    #[test]
    fn a_plan_has_the_configured_blocks() {
        let none = || Value::null(plain_inner(0).ty());
        assert_eq!(wrong("one", plain_inner(1), None, computed_inner(1)), None);
        assert_eq!(
            wrong("one", plain_inner(1), None, none()).as_deref(),
            Some(".one: the configured block is missing")
        );
        assert_eq!(
            wrong("one", none(), None, plain_inner(1)).as_deref(),
            Some(".one: the block is not configured")
        );
        let set = |elements| Value::set(plain_inner(0).ty(), elements).unwrap();
        let two = || set(vec![plain_inner(1), plain_inner(2)]);
        let computed = set(vec![computed_inner(2), computed_inner(1)]);
        assert_eq!(wrong("tag", two(), None, computed), None);
        assert_eq!(wrong("tag", two(), None, set(vec![plain_inner(7)])), None);
        assert_eq!(
            wrong("tag", two(), None, set(Vec::new())).as_deref(),
            Some(".tag: the plan has 0 of them, and the configuration 2")
        );
    }
}
