//! Whether what a plugin returns agrees with what was planned.

use tenon_values::{Path, Step, Value};

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
    use tenon_values::Type;

    use super::*;

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
