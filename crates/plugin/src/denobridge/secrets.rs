//! Secrets travel apart from the rest: write-only props, and the sensitive part of a state.

use tenon_protocols::denobridge::{Diagnostic, Json};
use tenon_schema::Attribute;
use tenon_values::{Problem, Type, Value};

use super::{json, value};
use crate::Failure;
use crate::parts::{Given, Refusal};
use crate::secret::hidden;

/// Props and write-only props in one object.
pub(super) fn props(
    plain: &Json,
    secret: Option<&Json>,
    attributes: &[Attribute],
) -> Result<Value, Refusal> {
    let plain = value(Given::Props, plain)?;
    let is_write_only = |name: &str| is(attributes, name, |one| one.is_write_only);
    let mut names = { plain.attributes().into_iter() }.flat_map(|all| all.iter());
    if let Some((name, _)) = names.find(|(name, value)| is_write_only(name) && !value.is_null()) {
        // It would be stored with the other props.
        let summary = format!("{name:?} is write-only");
        let detail = format!("move it from `props` to `write_only_props`: {name} is never stored");
        return Err(Failure::diagnosed([Diagnostic::error(summary, detail).at([name])]).into());
    }
    joined(&plain, secret, Given::WriteOnly, is_write_only)
}

/// A state and its sensitive part in one object; `None` if there is neither.
pub(super) fn state(
    plain: &Json,
    secret: Option<&Json>,
    attributes: &[Attribute],
) -> Result<Option<Value>, Refusal> {
    let plain = value(Given::State, plain)?;
    let is_sensitive = |name: &str| is(attributes, name, |one| one.is_sensitive);
    let state = joined(&plain, secret, Given::Sensitive, is_sensitive)?;
    Ok(Some(state).filter(|state| !state.is_null()))
}

fn joined(
    plain: &Value,
    secret: Option<&Json>,
    given: Given,
    is_secret: impl Fn(&str) -> bool,
) -> Result<Value, Refusal> {
    let Some(secret) = secret.filter(|secret| !secret.is_null()) else {
        return Ok(plain.clone());
    };
    let refuse = |error| Refusal::Unfit(given, hidden(error));
    let secret = secret.value().map_err(refuse)?;
    let Some(secrets) = secret.attributes() else {
        let wanted = Type::object::<&str>([]);
        let given = secret.ty();
        return Err(refuse(Problem::WrongType { wanted, given }.into()));
    };
    let plains = match plain.attributes() {
        Some(attributes) => attributes.iter().collect(),
        None if plain.is_null() => Vec::new(),
        // It is refused as it is when it is read.
        None => return Ok(plain.clone()),
    };
    let plains = plains.into_iter().filter(|(name, _)| !is_secret(name));
    let secrets = secrets.iter().filter(|(name, _)| is_secret(name));
    Ok(Value::object(
        plains
            .chain(secrets)
            .map(|(name, value)| (name, value.clone())),
    ))
}

/// What the plugin returned, as what may be shown and what may not. Without a value for any secret
/// the second part is absent: everything secret stays as it was.
pub(super) fn split(
    returned: &Value,
    attributes: &[Attribute],
) -> Result<(Json, Option<Json>), Refusal> {
    let part = |is_wanted: &dyn Fn(&str) -> bool| {
        let all = { returned.attributes().into_iter() }.flat_map(|all| all.iter());
        let wanted = all.filter(|(name, _)| is_wanted(name));
        Value::object(wanted.map(|(name, value)| (name, value.clone())))
    };
    let is_secret = |name: &str| is(attributes, name, |one| one.is_sensitive);
    let secret = part(&is_secret);
    let has_secret = { secret.attributes().into_iter() }
        .flat_map(|all| all.iter())
        .any(|(_, value)| !value.is_null());
    let plain = json(&part(&|name| !is_secret(name)))?;
    let secret = has_secret.then(|| json(&secret)).transpose()?;
    Ok((plain, secret))
}

/// Props as they are sent: without what is never stored.
pub(super) fn written(props: &Value, attributes: &[Attribute]) -> Result<Json, Refusal> {
    let all = { props.attributes().into_iter() }.flat_map(|all| all.iter());
    let stored = all.filter(|(name, _)| !is(attributes, name, |one| one.is_write_only));
    json(&Value::object(
        stored.map(|(name, value)| (name, value.clone())),
    ))
}

fn is(attributes: &[Attribute], name: &str, is: impl Fn(&Attribute) -> bool) -> bool {
    attributes.iter().any(|one| one.name == name && is(one))
}
