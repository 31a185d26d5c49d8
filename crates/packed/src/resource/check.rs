//! Whether what a plugin returns agrees with what was configured and planned.

use tenon_schema::Body;
use tenon_values::{Path, Step, Value};

use crate::tree::rebuild;

/// Where a plan contradicts the configuration: a value that the user gave is another one, unless it is
/// the one from before, or there is a value that neither the user nor the plugin may give.
pub(super) fn plan_contradiction(
    body: &Body,
    config: &Value,
    prior: &Value,
    planned: &Value,
) -> Option<(Path, &'static str)> {
    let mut found = None;
    let beside = [Some(config), Some(prior)];
    rebuild(
        body,
        planned,
        beside,
        &mut |path, attribute, planned, [config, prior]| {
            let is_nested = matches!(attribute.ty, tenon_schema::AttributeType::Nested(..));
            let may_be_computed = attribute.presence.is_computed() || attribute.default.is_some();
            let problem = match config {
                _ if attribute.is_write_only || prior == Some(planned) => None,
                Some(config) if config.is_null() => (!may_be_computed && !planned.is_null())
                    .then_some("it is not configured, and it is not computed"),
                Some(config) if is_nested && !planned.is_null() && config.is_known() => None,
                Some(config) if config.is_wholly_known() => {
                    (config != planned).then_some("it differs from the configuration")
                }
                _ => None,
            };
            if let Some(problem) = problem
                && found.is_none()
            {
                found = Some((path.clone(), problem));
            }
            // Go on with what is inside only where it has a schema.
            (!is_nested).then(|| planned.clone())
        },
    );
    found
}

/// Where a state contradicts the plan: a value that was known in the plan is another one now, or one
/// that was unknown is not what was known of it.
pub(super) fn state_contradiction(planned: &Value, state: &Value) -> Option<Path> {
    compare(planned, state, Path::root())
}

fn compare(planned: &Value, state: &Value, path: Path) -> Option<Path> {
    if !planned.is_known() {
        return (!planned.could_be(state)).then_some(path);
    }
    if planned == state {
        return None;
    }
    if let (Some(planned), Some(state)) = (planned.attributes(), state.attributes()) {
        return planned
            .iter()
            .find_map(|(name, planned)| match state.get(name) {
                Some(state) => compare(planned, state, path.clone().attribute(name)),
                None => Some(path.clone().attribute(name)),
            });
    }
    if let (Some(before), Some(after)) = (planned.entries(), state.entries()) {
        if before.len() != after.len() {
            return Some(path);
        }
        return before
            .iter()
            .zip(after)
            .find_map(|((key, one), (other, two))| match key == other {
                true => compare(one, two, path.clone().key(key.clone())),
                false => Some(path.clone()),
            });
    }
    match (planned.elements(), state.elements()) {
        // The elements of a set cannot be told apart while some are unknown.
        (Some(_), Some(_)) if matches!(planned.ty(), tenon_values::Type::Set(_)) => {
            planned.is_wholly_known().then_some(path)
        }
        (Some(before), Some(after)) if before.len() == after.len() => {
            let mut pairs = before.iter().zip(after).enumerate();
            pairs.find_map(|(index, (one, two))| compare(one, two, path.clone().index(index)))
        }
        _ => Some(path),
    }
}

/// The first part of a value that is unknown.
pub(crate) fn unknown_part(value: &Value) -> Option<Path> {
    let mut found = None;
    value.walk(&mut |path: &Path, value: &Value| {
        if found.is_none() && !value.is_known() {
            let steps = path.steps().iter();
            let steps = steps.take_while(|step| !matches!(step, Step::Element(_)));
            found = Some(steps.fold(Path::root(), |path, step| path.step(step.clone())));
        }
        found.is_none()
    });
    found
}

#[cfg(test)]
mod tests {
    use tenon_schema::Attribute;
    use tenon_values::Type;

    use super::*;

    fn body() -> Body {
        Body::new([
            Attribute::new("name", Type::String).required(),
            Attribute::new("note", Type::String),
            Attribute::new("id", Type::String).computed(),
            Attribute::new("size", Type::Number).with_default(1.into()),
        ])
    }

    fn object(name: &str, note: Value, size: i64) -> Value {
        let id = Value::unknown(Type::String);
        body().object(&[
            ("name", name.into()),
            ("note", note),
            ("id", id),
            ("size", size.into()),
        ])
    }

    #[test]
    fn a_plan_keeps_to_the_configuration() {
        let config = body().object(&[("name", "a".into())]);
        let null = Value::null(body().implied_type());
        let none = || Value::null(Type::String);
        let wrong = |prior: &Value, planned: Value| {
            let found = plan_contradiction(&body(), &config, prior, &planned);
            found.map(|(path, _)| path.to_string())
        };
        assert_eq!(wrong(&null, object("a", none(), 5)), None);
        assert_eq!(
            wrong(&null, object("b", none(), 1)).as_deref(),
            Some(".name")
        );
        assert_eq!(
            wrong(&null, object("a", "x".into(), 1)).as_deref(),
            Some(".note")
        );
        let prior = object("b", none(), 1);
        assert_eq!(wrong(&prior, object("b", none(), 1)), None, "as before");
    }

    #[test]
    fn a_state_keeps_to_the_plan() {
        let planned = |values: [Value; 2]| Value::object(["a", "b"].into_iter().zip(values));
        let prefixed = Value::unknown(Type::String).refine_prefix("id-").unwrap();
        let plan = planned([1.into(), prefixed]);
        let wrong = |state: Value| state_contradiction(&plan, &state).map(|path| path.to_string());
        assert_eq!(wrong(planned([1.into(), "id-7".into()])), None);
        assert_eq!(
            wrong(planned([2.into(), "id-7".into()])).as_deref(),
            Some(".a")
        );
        assert_eq!(
            wrong(planned([1.into(), "7".into()])).as_deref(),
            Some(".b")
        );
        let list = |values: Vec<Value>| Value::list(Type::Number, values).unwrap();
        let plan = list(vec![1.into(), Value::unknown(Type::Number)]);
        let wrong = |state: Value| state_contradiction(&plan, &state).map(|path| path.to_string());
        assert_eq!(wrong(list(vec![1.into(), 5.into()])), None);
        assert_eq!(
            wrong(list(vec![2.into(), 5.into()])).as_deref(),
            Some("[0]")
        );
        assert_eq!(wrong(list(vec![1.into()])).as_deref(), Some(""));
    }

    #[test]
    fn unknown_parts_are_found() {
        let value = Value::object([(
            "a",
            Value::tuple(vec![1.into(), Value::unknown(Type::String)]),
        )]);
        assert_eq!(unknown_part(&value).unwrap().to_string(), ".a[1]");
        assert_eq!(unknown_part(&Value::from(1)), None);
    }
}
