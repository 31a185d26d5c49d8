//! Differences between two schemas that should be the same: the output of `<provider> schema`, and the
//! answer of the running provider.

use std::collections::BTreeMap;
use std::fmt::Display;

use super::{ActionSchema, AttrSchema, Json, ProviderSchema};

impl ProviderSchema {
    /// The differences to the other schema, one line for each place:
    /// `actions.echo.attrs.text.type: string, then number`. Empty if they mean the same.
    pub fn differences(&self, other: &ProviderSchema) -> Vec<String> {
        let mut found = Vec::new();
        let in_flight = |schema: &ProviderSchema| schema.max_in_flight.unwrap_or(1);
        compare("name", &self.name, &other.name, &mut found);
        compare("version", &self.version, &other.version, &mut found);
        compare("protocol", &self.protocol, &other.protocol, &mut found);
        compare_all(
            "config",
            [&self.config, &other.config],
            &mut found,
            attributes,
        );
        compare_all(
            "actions",
            [&self.actions, &other.actions],
            &mut found,
            actions,
        );
        compare(
            "max_in_flight",
            in_flight(self),
            in_flight(other),
            &mut found,
        );
        found
    }
}

fn actions(place: &str, [one, other]: [&ActionSchema; 2], found: &mut Vec<String>) {
    let description = format!("{place}.description");
    compare(&description, &one.description, &other.description, found);
    let idempotent = format!("{place}.idempotent");
    compare(&idempotent, one.idempotent, other.idempotent, found);
    compare_all(
        &format!("{place}.attrs"),
        [&one.attrs, &other.attrs],
        found,
        attributes,
    );
    let outputs = format!("{place}.outputs");
    match (&one.outputs, &other.outputs) {
        (Some(one), Some(other)) => attributes(&outputs, [one, other], found),
        (one, other) => compare(
            &outputs,
            presence(one.is_some()),
            presence(other.is_some()),
            found,
        ),
    }
}

fn attributes(place: &str, [one, other]: [&AttrSchema; 2], found: &mut Vec<String>) {
    let at = |member: &str| format!("{place}.{member}");
    compare(&at("type"), &one.ty, &other.ty, found);
    compare(&at("required"), one.required, other.required, found);
    compare(&at("default"), default(one), default(other), found);
    compare(
        &at("description"),
        &one.description,
        &other.description,
        found,
    );
    compare(&at("sensitive"), one.sensitive, other.sensitive, found);
    compare(
        &at("idempotency_key"),
        one.idempotency_key,
        other.idempotency_key,
        found,
    );
}

/// The value of the default, so that two ways to write it are equal.
fn default(attribute: &AttrSchema) -> String {
    match attribute.default_value() {
        Ok(None) => "absent".to_owned(),
        Ok(Some(value)) => value.to_string(),
        Err(_) => { attribute.default.as_ref() }
            .map_or("absent", Json::text)
            .to_owned(),
    }
}

fn presence(is_there: bool) -> &'static str {
    if is_there { "there" } else { "absent" }
}

fn compare<T: PartialEq + Display>(place: &str, one: T, other: T, found: &mut Vec<String>) {
    if one != other {
        let shown = |value: T| match value.to_string() {
            empty if empty.is_empty() => "empty".to_owned(),
            text => text,
        };
        found.push(format!("{place}: {}, then {}", shown(one), shown(other)));
    }
}

fn compare_all<T>(
    place: &str,
    [one, other]: [&BTreeMap<String, T>; 2],
    found: &mut Vec<String>,
    both: impl Fn(&str, [&T; 2], &mut Vec<String>),
) {
    for (name, first) in one {
        let place = format!("{place}.{name}");
        match other.get(name) {
            Some(second) => both(&place, [first, second], found),
            None => compare(&place, presence(true), presence(false), found),
        }
    }
    for name in other.keys().filter(|name| !one.contains_key(*name)) {
        let place = format!("{place}.{name}");
        compare(&place, presence(false), presence(true), found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> ProviderSchema {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn names_what_differs() {
        let printed = schema(
            r#"{"name":"p","protocol":"1","config":{"url":{"type":"string"}},"actions":{
                "echo":{"attrs":{"text":{"type":"string","default":"a"}}},
                "gone":{"outputs":{"type":"any"}}}}"#,
        );
        let described = schema(
            r#"{"name":"p","protocol":"1","max_in_flight":2,"actions":{
                "echo":{"description":"Echoes","attrs":{"text":{"type":"number","default":1}},
                    "outputs":{"type":"any"}},
                "new":{}}}"#,
        );
        assert_eq!(
            printed.differences(&described),
            [
                "config.url: there, then absent",
                "actions.echo.description: empty, then Echoes",
                "actions.echo.attrs.text.type: string, then number",
                "actions.echo.attrs.text.default: \"a\", then 1",
                "actions.echo.outputs: absent, then there",
                "actions.gone: there, then absent",
                "actions.new: absent, then there",
                "max_in_flight: 1, then 2",
            ]
        );
    }

    #[test]
    fn two_ways_to_write_it_are_the_same() {
        let one = schema(
            r#"{"name":"p","max_in_flight":1,"config":{"m":{"type":"string","default":"GET"}}}"#,
        );
        let other = schema(
            r#"{"name":"p","config":{"m":{"type":"string","default":"\"GET\"","required":false}}}"#,
        );
        assert_eq!(one.differences(&other), Vec::<String>::new());
    }
}
