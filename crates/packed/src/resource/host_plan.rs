//! The plan of a change where the plugin does not make it.

use tenon_schema::Body;
use tenon_values::{Path, Value};

use crate::tree::rebuild;

/// What a resource will be. `proposed` has defaults, and null for what is write-only.
///
/// What is configured is kept. If nothing else changes either, computed attributes keep their values;
/// otherwise those that are not configured become unknown, except on an update the stable ones and those
/// whose change would replace the resource.
pub(super) fn plan(body: &Body, prior: &Value, config: &Value, proposed: &Value) -> Value {
    if proposed == prior {
        return prior.clone();
    }
    let before = Some(prior).filter(|prior| !prior.is_null());
    let beside = [Some(config), before];
    rebuild(
        body,
        proposed,
        beside,
        &mut |_, attribute, _, [config, prior]| {
            let is_configured = config.is_some_and(|config| !config.is_null());
            if !attribute.presence.is_computed() || is_configured {
                return None;
            }
            match prior {
                Some(prior) if attribute.is_stable || attribute.replaces => Some(prior.clone()),
                _ => Some(Value::unknown(attribute.implied_type())),
            }
        },
    )
}

/// The attributes whose change replaces the resource.
pub(super) fn replaced(body: &Body, prior: &Value, planned: &Value) -> Vec<Path> {
    if prior.is_null() || planned.is_null() {
        return Vec::new();
    }
    let mut replaced = Vec::new();
    rebuild(
        body,
        planned,
        [Some(prior)],
        &mut |path, attribute, planned, [prior]| {
            let is_same = match prior {
                Some(prior) => prior == planned,
                None => planned.is_null(),
            };
            if !attribute.replaces {
                return None;
            }
            if !is_same {
                replaced.push(path.clone());
            }
            Some(planned.clone())
        },
    );
    replaced
}

#[cfg(test)]
mod tests {
    use tenon_schema::{Attribute, Block, Nesting};
    use tenon_values::Type;

    use super::*;

    fn body() -> Body {
        let inner = Body::new([
            Attribute::new("port", Type::Number).required(),
            Attribute::new("url", Type::String).computed(),
        ]);
        Body::new([
            Attribute::new("name", Type::String).required().replaces(),
            Attribute::new("size", Type::Number),
            Attribute::new("id", Type::String).computed().stable(),
            Attribute::new("zone", Type::String)
                .computed_unless_given()
                .replaces(),
            Attribute::new("etag", Type::String).computed(),
            Attribute::new("color", Type::String).computed_unless_given(),
        ])
        .with_block(Block::new("rule", Nesting::List, inner.clone()))
        .with_block(Block::new("tag", Nesting::Set, inner))
    }

    fn rules(urls: &[(i64, Value)]) -> Value {
        let object = |(port, url): &(i64, Value)| {
            Value::object([("port", Value::from(*port)), ("url", url.clone())])
        };
        let ty = object(&(0, Value::null(Type::String))).ty();
        Value::list(ty, urls.iter().map(object).collect()).unwrap()
    }

    fn config(name: &str, size: i64) -> Value {
        body().object(&[
            ("name", name.into()),
            ("size", size.into()),
            ("rule", rules(&[(1, Value::null(Type::String))])),
        ])
    }

    fn state(name: &str, size: i64) -> Value {
        body().object(&[
            ("name", name.into()),
            ("size", size.into()),
            ("id", "7".into()),
            ("zone", "z".into()),
            ("etag", "e".into()),
            ("color", "red".into()),
            ("rule", rules(&[(1, "u".into())])),
        ])
    }

    fn shown(value: &Value, name: &str) -> String {
        value.attribute(name).unwrap().to_string()
    }

    #[test]
    fn on_create_everything_computed_is_unknown() {
        let null = Value::null(body().implied_type());
        let planned = plan(&body(), &null, &config("a", 1), &config("a", 1));
        for name in ["id", "zone", "etag", "color"] {
            assert!(!planned.attribute(name).unwrap().is_known(), "{name}");
        }
        assert_eq!(shown(&planned, "name"), "\"a\"");
        let rule = planned.attribute("rule").unwrap();
        assert!(
            !rule.elements().unwrap()[0]
                .attribute("url")
                .unwrap()
                .is_known()
        );
        assert_eq!(replaced(&body(), &null, &planned), []);
    }

    #[test]
    fn without_a_change_nothing_is_unknown() {
        let prior = state("a", 1);
        assert_eq!(plan(&body(), &prior, &config("a", 1), &prior), prior);
    }

    #[test]
    fn on_update_what_is_stable_stays() {
        let (prior, proposed) = (state("a", 1), state("a", 2));
        let planned = plan(&body(), &prior, &config("a", 2), &proposed);
        assert_eq!(shown(&planned, "id"), "\"7\"");
        assert_eq!(shown(&planned, "zone"), "\"z\"");
        assert!(!planned.attribute("etag").unwrap().is_known());
        assert!(!planned.attribute("color").unwrap().is_known());
        assert_eq!(replaced(&body(), &prior, &planned), []);
    }

    #[test]
    fn a_change_of_what_replaces_is_found() {
        let (prior, proposed) = (state("a", 1), state("b", 1));
        let planned = plan(&body(), &prior, &config("b", 1), &proposed);
        let paths = replaced(&body(), &prior, &planned);
        assert_eq!(
            paths.iter().map(Path::to_string).collect::<Vec<_>>(),
            [".name"]
        );
    }
}
