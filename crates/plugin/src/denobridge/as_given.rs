//! Props as the user has written them.

use tenon_values::Value;

/// What was found, without the defaults that the user has left out. `completed` is what the user has given, with them.
///
/// The host compares the props that it gets with those that it has sent: a default would be a change in every plan.
pub(super) fn as_given(found: &Value, completed: &Value, given: &Value) -> Value {
    if found == completed {
        return given.clone();
    }
    let parts = (
        found.attributes(),
        completed.attributes(),
        given.attributes(),
    );
    if let (Some(found), Some(completed), Some(given)) = parts {
        return Value::object(found.iter().filter_map(|(name, value)| {
            match (completed.get(name), given.get(name)) {
                (Some(completed), Some(given)) => Some((name, as_given(value, completed, given))),
                (Some(completed), None) if completed == value => None,
                _ => Some((name, value.clone())),
            }
        }));
    }
    match (found.elements(), completed.elements(), given.elements()) {
        (Some(found), Some(completed), Some(given))
            if found.len() == completed.len() && found.len() == given.len() =>
        {
            let parts = found.iter().zip(completed).zip(given);
            Value::tuple(parts.map(|((a, b), c)| as_given(a, b, c)).collect())
        }
        _ => found.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        let json: tenon_protocols::denobridge::Json = serde_json::from_str(json).unwrap();
        json.value().unwrap()
    }

    #[test]
    fn defaults_that_were_omitted_are_not_a_change() {
        let given = r#"{"name":"a","ports":[{"number":80},{"number":81,"protocol":"udp"}]}"#;
        let completed = r#"{"name":"a","size":3,"label":null,"ports":[{"number":80,"protocol":"tcp"},{"number":81,"protocol":"udp"}]}"#;
        let check = |found: &str, expected: &str| {
            let result = as_given(&value(found), &value(completed), &value(given));
            assert_eq!(result, value(expected), "{found}");
        };
        check(completed, given);
        check(
            &completed.replace("null", "\"theirs\""),
            &given.replace("\"name\"", "\"label\":\"theirs\",\"name\""),
        );
        check(
            &completed.replace("\"number\":80", "\"number\":90"),
            &given.replace("80", "90"),
        );
        check(
            &completed.replace("\"tcp\"", "\"sctp\""),
            &given.replace("{\"number\":80}", "{\"number\":80,\"protocol\":\"sctp\"}"),
        );
    }
}
